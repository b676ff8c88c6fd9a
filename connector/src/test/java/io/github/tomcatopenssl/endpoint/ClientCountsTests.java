// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.time.Duration;
import java.time.Instant;

import io.github.tomcatopenssl.endpoint.HandshakeCounters.ClientCount;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ClientCounts}.
 */
class ClientCountsTests {

	private Instant now = Instant.parse("2026-11-28T12:00:00Z");

	private final ClientCounts clients = new ClientCounts(() -> this.now);

	@Test
	void whenHandshakesFailThenTheyAreCountedByReasonAndClient() {
		Instant start = this.now;
		this.clients.add("no shared suite", "a");
		this.clients.add("protocol version", "a");
		pass(Duration.ofHours(1));
		this.clients.add("no shared suite", "b");
		this.clients.add("no shared suite", "a");
		assertThat(this.clients.all()).containsExactly(new ClientCount("no shared suite", "a", 2, this.now),
				new ClientCount("no shared suite", "b", 1, this.now),
				new ClientCount("protocol version", "a", 1, start));
	}

	@Test
	void whenDayIsOverThenClientIsForgotten() {
		this.clients.add("no shared suite", "a");
		pass(Duration.ofHours(20));
		this.clients.add("no shared suite", "b");
		pass(Duration.ofHours(4));
		assertThat(this.clients.all()).hasSize(2);
		pass(Duration.ofSeconds(1));
		assertThat(this.clients.all()).extracting(ClientCount::client).containsExactly("b");
	}

	@Test
	void whenStrangersHaveManyFingerprintsThenTheyAreOthersOfTheirReasonUntilThereIsRoom() {
		for (int i = 0; i < 10_000; i++) {
			this.clients.add((i % 2 == 0) ? "no shared suite" : "other", "f" + i);
		}
		this.clients.add("other", "f1");
		assertThat(this.clients.all()).hasSize(2 * (ClientCounts.MOST + 1))
			.contains(new ClientCount("no shared suite", "others", 4900, this.now),
					new ClientCount("other", "others", 4900, this.now), new ClientCount("other", "f1", 2, this.now));
		pass(Duration.ofHours(25));
		this.clients.add("other", "late");
		assertThat(this.clients.all()).containsExactly(new ClientCount("other", "late", 1, this.now));
	}

	private void pass(Duration duration) {
		this.now = this.now.plus(duration);
	}

}
