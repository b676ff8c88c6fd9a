// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.github.tomcatopenssl.internal.engine.Engine;
import io.github.tomcatopenssl.test.Http;
import io.github.tomcatopenssl.test.tls.Outcome;
import io.github.tomcatopenssl.test.tls.RawTlsClient;
import io.github.tomcatopenssl.test.tls.ReceivedRecord;
import io.github.tomcatopenssl.test.tls.TlsVersion;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What a hostile client does, and what each engine must answer.
 *
 * @param name the name
 * @param version the version that the client speaks
 * @param http what it would ask with
 * @param attack what it does
 * @param reactions what must be
 */
record HostileCase(String name, TlsVersion version, Http http, Attack attack, Map<Engine, Reaction> reactions) {

	HostileCase(String name, TlsVersion version, Http http, Attack attack) {
		this(name, version, http, attack, Reaction.ALERT);
	}

	/**
	 * Create a case. JSSE ends connections as OpenSSL does, but does not always manage to
	 * say why: in Tomcat's hands it has no alert for some errors of key shares, and loses
	 * it to what is written at the same time.
	 * @param name the name
	 * @param version the version that the client speaks
	 * @param http what it would ask with
	 * @param attack what it does
	 * @param reaction what must be
	 */
	HostileCase(String name, TlsVersion version, Http http, Attack attack, Reaction reaction) {
		this(name, version, http, attack, Map.of(Engine.OPENSSL, reaction, Engine.JSSE, reaction.withoutAlert()));
	}

	HostileCase withJsse(Reaction reaction) {
		return new HostileCase(this.name, this.version, this.http, this.attack,
				Map.of(Engine.OPENSSL, this.reactions.get(Engine.OPENSSL), Engine.JSSE, reaction));
	}

	static List<HostileCase> all() {
		return Stream.of(HostileHandshakes.all(), HostileConnections.all()).flatMap(List::stream).toList();
	}

	void run(Engine engine, RawTlsClient client) throws IOException {
		this.attack.run(client);
		Reaction reaction = this.reactions.get(engine);
		reaction.verify(client.outcome(reaction.patience));
	}

	RawTlsClient connect(int port) throws IOException {
		return this.version.connect(port, this.http);
	}

	@Override
	public String toString() {
		return "%s (%s, %s)".formatted(this.name, this.version, this.http);
	}

	interface Attack {

		void run(RawTlsClient client) throws IOException;

	}

	enum Reaction {

		/**
		 * An alert and the end, both at once.
		 */
		ALERT(RawTlsClient.PATIENCE) {

			@Override
			void verify(Outcome outcome) {
				END.verify(outcome);
				assertThat(outcome.alert()).as("alert in %s", outcome).isPresent();
			}

		},

		/**
		 * The end at once, with an alert or without.
		 */
		END(RawTlsClient.PATIENCE) {

			@Override
			void verify(Outcome outcome) {
				assertThat(outcome).matches(Outcome::isClosed, "is closed");
				assertThat(outcome.after()).as("end of %s", outcome).isLessThan(Duration.ofSeconds(1));
			}

		},

		/**
		 * A {@code close_notify} and the end, both at once.
		 */
		CLOSE_NOTIFY(RawTlsClient.PATIENCE) {

			@Override
			void verify(Outcome outcome) {
				END.verify(outcome);
				assertThat(outcome.alert()).as("alert in %s", outcome)
					.hasValueSatisfying((alert) -> assertThat(alert.isAlert(0)).isTrue());
			}

		},

		/**
		 * An alert at once or the end at once.
		 */
		REFUSAL(Duration.ofSeconds(1)) {

			@Override
			void verify(Outcome outcome) {
				Duration after = outcome.alert().map(ReceivedRecord::after).orElse(outcome.after());
				assertThat(after).as("refusal in %s", outcome).isLessThan(Duration.ofSeconds(1));
			}

		},

		/**
		 * Nothing but records of this connection, which the client verifies. Its end
		 * comes with a timeout.
		 */
		RECORDS(Duration.ofMillis(200)) {

			@Override
			void verify(Outcome outcome) {
				assertThat(outcome.answers()).isLessThan(3);
			}

		};

		private final Duration patience;

		Reaction(Duration patience) {
			this.patience = patience;
		}

		Reaction withoutAlert() {
			return (this == ALERT || this == CLOSE_NOTIFY) ? END : this;
		}

		abstract void verify(Outcome outcome);

	}

}
