// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.time.Duration;
import java.util.Random;

import io.github.tomcatopenssl.test.Http;
import io.github.tomcatopenssl.test.tls.HandshakeFailure;
import io.github.tomcatopenssl.test.tls.Outcome;
import io.github.tomcatopenssl.test.tls.RawTlsClient;
import io.github.tomcatopenssl.test.tls.ReceivedRecord;
import io.github.tomcatopenssl.test.tls.TlsVersion;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A connection on which one flight is mutated.
 */
final class FuzzedConnection {

	private static final Duration A_MOMENT = Duration.ofMillis(20);

	private static final Duration AT_ONCE = Duration.ofSeconds(1);

	/**
	 * Tomcat's HTTP/2 waits for the rest of a frame (5 seconds) and of a stream (20),
	 * also where the client has ended its side.
	 */
	private static final Duration HTTP_2_TIMEOUT = Duration.ofSeconds(25);

	private final Random random;

	private final TlsVersion version;

	private final Http http;

	FuzzedConnection(long seed) {
		this.random = new Random(seed);
		this.version = TlsVersion.values()[this.random.nextInt(2)];
		this.http = Http.values()[this.random.nextInt(2)];
	}

	void run(int port) throws IOException {
		try (RawTlsClient client = this.version.connect(port, this.http)) {
			try {
				attack(client);
			}
			catch (HandshakeFailure ex) {
				// As it may
			}
			assertEnds(client);
		}
	}

	private void attack(RawTlsClient client) throws IOException {
		switch (this.random.nextInt(4)) {
			case 0 -> sendMutated(client, client.hello().record());
			case 1 -> {
				client.send(client.hello().record());
				sendMutated(client, client.flight());
			}
			case 2 -> {
				client.completeHandshake();
				sendMutated(client, client.request());
			}
			default -> {
				client.completeHandshake();
				client.send(client.request(), sealedGarbage(client), client.request());
			}
		}
	}

	// Decrypts, and is as wrong as can be
	private byte[] sealedGarbage(RawTlsClient client) {
		byte[] content = new byte[this.random.nextInt(64)];
		this.random.nextBytes(content);
		return client.seal((this.random.nextInt(8) == 0) ? this.random.nextInt(256) : 20 + this.random.nextInt(4),
				content);
	}

	private void sendMutated(RawTlsClient client, byte[] flight) throws IOException {
		for (byte[] segment : Mutations.segments(Mutations.mutate(flight, this.random), this.random)) {
			client.send(segment);
		}
	}

	private void assertEnds(RawTlsClient client) throws IOException {
		if (this.random.nextInt(4) == 0) {
			Outcome outcome = client.outcome(A_MOMENT);
			if (outcome.alert().filter(FuzzedConnection::isLast).isPresent()) {
				assertThat(client.outcome(AT_ONCE)).matches(Outcome::isClosed, "is closed");
				return;
			}
		}
		client.shutdownOutput();
		assertThat(client.outcome(HTTP_2_TIMEOUT)).matches(Outcome::isClosed, "is closed");
	}

	private static boolean isLast(ReceivedRecord alert) {
		return alert.isAlert(0) || alert.content()[0] == 2;
	}

}
