/*
 * Copyright 2026-present the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.github.tomcatopenssl.autoconfigure;

import java.io.IOException;
import java.time.Duration;
import java.util.Random;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A connection on which one flight is mutated.
 */
final class FuzzedConnection {

	private static final Duration A_MOMENT = Duration.ofMillis(20);

	private static final Duration AT_ONCE = Duration.ofSeconds(1);

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
				client.shakeHands();
				sendMutated(client, client.request());
			}
			default -> {
				client.shakeHands();
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
		assertThat(client.outcome()).matches(Outcome::isClosed, "is closed");
	}

	private static boolean isLast(ReceivedRecord alert) {
		return alert.isAlert(0) || alert.content()[0] == 2;
	}

}
