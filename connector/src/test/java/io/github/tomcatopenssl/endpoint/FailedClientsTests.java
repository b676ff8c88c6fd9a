// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.time.Duration;
import java.time.Instant;

import io.github.tomcatopenssl.endpoint.HandshakeCounters.FailedClient;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link FailedClients}.
 */
class FailedClientsTests {

	private Instant now = Instant.parse("2026-11-28T12:00:00Z");

	private final FailedClients clients = new FailedClients(() -> this.now);

	@Test
	void whenHandshakesFailThenTheyAreCountedByReasonAndClient() {
		Instant start = this.now;
		this.clients.add(FailureReason.NO_SHARED_SUITE, "a");
		this.clients.add(FailureReason.PROTOCOL_VERSION, "a");
		pass(Duration.ofHours(1));
		this.clients.add(FailureReason.NO_SHARED_SUITE, "b");
		this.clients.add(FailureReason.NO_SHARED_SUITE, "a");
		assertThat(this.clients.all()).containsExactly(new FailedClient("no shared suite", "a", 2, this.now),
				new FailedClient("no shared suite", "b", 1, this.now),
				new FailedClient("protocol version", "a", 1, start));
	}

	@Test
	void whenDayIsOverThenClientIsForgotten() {
		this.clients.add(FailureReason.NO_SHARED_SUITE, "a");
		pass(Duration.ofHours(20));
		this.clients.add(FailureReason.NO_SHARED_SUITE, "b");
		pass(Duration.ofHours(4));
		assertThat(this.clients.all()).hasSize(2);
		pass(Duration.ofSeconds(1));
		assertThat(this.clients.all()).extracting(FailedClient::fingerprint).containsExactly("b");
	}

	@Test
	void whenStrangersHaveManyFingerprintsThenTheyAreOthersUntilThereIsRoom() {
		for (int i = 0; i < 10_000; i++) {
			this.clients.add((i % 2 == 0) ? FailureReason.NO_SHARED_SUITE : FailureReason.OTHER, "f" + i);
		}
		this.clients.add(FailureReason.OTHER, "f1");
		assertThat(this.clients.all()).hasSize(FailedClients.MOST + 2)
			.contains(new FailedClient("no shared suite", "others", 4950, this.now),
					new FailedClient("other", "others", 4950, this.now), new FailedClient("other", "f1", 2, this.now));
		pass(Duration.ofHours(25));
		this.clients.add(FailureReason.OTHER, "late");
		assertThat(this.clients.all()).containsExactly(new FailedClient("other", "late", 1, this.now));
	}

	private void pass(Duration duration) {
		this.now = this.now.plus(duration);
	}

}
