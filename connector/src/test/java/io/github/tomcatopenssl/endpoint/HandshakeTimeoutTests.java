// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.github.tomcatopenssl.internal.engine.Engine;
import io.github.tomcatopenssl.test.Http;
import io.github.tomcatopenssl.test.tls.Outcome;
import io.github.tomcatopenssl.test.tls.RawTlsClient;
import io.github.tomcatopenssl.test.tls.TlsBytes;
import io.github.tomcatopenssl.test.tls.TlsVersion;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the time that a handshake may take.
 */
@Tag("jdk")
class HandshakeTimeoutTests extends AbstractEngineTests {

	// Tomcat looks at timeouts once a second
	private static final Duration LIMIT = Duration.ofSeconds(3);

	private static final Duration IDLE = Duration.ofMillis(2500);

	@Override
	ConnectorServer start(ConnectorServer server) {
		return server.start(ConnectorServer.settings(null, null, Duration.ofSeconds(1)));
	}

	@ParameterizedTest
	@EnumSource
	void whenClientsDoNotEndTheHandshakeThenConnectionsAreClosed(Engine engine) throws Exception {
		List<RawTlsClient> clients = new ArrayList<>();
		try {
			for (int i = 0; i < 50; i++) {
				RawTlsClient client = TlsVersion.values()[i % 2].connect(port(engine), Http.HTTP_1_1);
				clients.add(client);
				Silence.values()[i % Silence.values().length].begin(client);
			}
			for (RawTlsClient client : clients) {
				assertThat(client.outcome(LIMIT)).matches(Outcome::isClosed, "is closed")
					.satisfies((outcome) -> assertThat(outcome.after()).isLessThan(LIMIT));
			}
		}
		finally {
			closeAll(clients);
		}
		assertServes(engine);
	}

	@ParameterizedTest
	@EnumSource
	void whenClientTricklesTheHandshakeThenConnectionIsClosed(Engine engine) throws Exception {
		try (RawTlsClient client = TlsVersion.TLS_1_3.connect(port(engine), Http.HTTP_1_1)) {
			byte[] hello = client.hello().record();
			long start = System.nanoTime();
			Outcome outcome;
			int sent = 0;
			do {
				client.send(new byte[] { hello[sent++] });
				outcome = client.outcome(Duration.ofMillis(100));
			}
			while (!outcome.isClosed() && sent < 50);
			assertThat(outcome).matches(Outcome::isClosed, "is closed");
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(LIMIT);
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenConnectionIdlesAfterItsHandshakeThenItIsStillServed(Engine engine) throws Exception {
		List<RawTlsClient> clients = new ArrayList<>();
		try {
			for (TlsVersion version : TlsVersion.values()) {
				for (Http http : Http.values()) {
					RawTlsClient client = version.connect(port(engine), http);
					clients.add(client);
					client.completeHandshake();
				}
			}
			for (int i = 0; i < clients.size(); i++) {
				RawTlsClient client = clients.get(i);
				assertThat(client.outcome((i == 0) ? IDLE : Duration.ofMillis(1)))
					.matches((outcome) -> !outcome.isClosed(), "is open");
				client.send(client.request());
				assertThat(client.answers(1).answers()).isOne();
			}
		}
		finally {
			closeAll(clients);
		}
	}

	private static void closeAll(List<RawTlsClient> clients) throws IOException {
		for (RawTlsClient client : clients) {
			client.close();
		}
	}

	/**
	 * Where a client stops.
	 */
	private enum Silence {

		NOTHING {

			@Override
			void begin(RawTlsClient client) {
			}

		},

		HALF_A_HEADER {

			@Override
			void begin(RawTlsClient client) throws IOException {
				client.send(TlsBytes.hex("160301"));
			}

		},

		HALF_A_HELLO {

			@Override
			void begin(RawTlsClient client) throws IOException {
				client.send(Arrays.copyOf(client.hello().record(), 60));
			}

		},

		A_HELLO {

			@Override
			void begin(RawTlsClient client) throws IOException {
				client.send(client.hello().record());
			}

		};

		abstract void begin(RawTlsClient client) throws IOException;

	}

}
