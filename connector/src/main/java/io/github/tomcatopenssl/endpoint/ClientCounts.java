// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.tomcatopenssl.endpoint.HandshakeCounters.ClientCount;

/**
 * Counts handshakes by their reason and their client. A client is forgotten a day after
 * its last one. Strangers can have as many fingerprints and certificates as they like:
 * once a reason has {@value #MOST} clients, its new ones count as {@value #OTHERS}.
 */
final class ClientCounts {

	static final int MOST = 100;

	static final String OTHERS = "others";

	private static final Duration KEPT = Duration.ofDays(1);

	private final InstantSource clock;

	private final Map<String, Map<String, Count>> reasons = new HashMap<>();

	ClientCounts(InstantSource clock) {
		this.clock = clock;
	}

	synchronized void add(String reason, String client) {
		if (!this.reasons.containsKey(reason)) {
			forget();
		}
		Map<String, Count> clients = this.reasons.computeIfAbsent(reason, (added) -> new HashMap<>());
		if (!clients.containsKey(client) && clients.size() >= MOST) {
			forget(clients);
		}
		boolean known = clients.containsKey(client) || clients.size() < MOST;
		clients.merge(known ? client : OTHERS, new Count(1, this.clock.instant()),
				(before, now) -> new Count(before.handshakes() + 1, now.last()));
	}

	synchronized List<ClientCount> all() {
		forget();
		return this.reasons.entrySet()
			.stream()
			.flatMap((reason) -> reason.getValue()
				.entrySet()
				.stream()
				.map((client) -> new ClientCount(reason.getKey(), client.getKey(), client.getValue().handshakes(),
						client.getValue().last())))
			.sorted(Comparator.comparingLong(ClientCount::handshakes)
				.reversed()
				.thenComparing(ClientCount::last, Comparator.reverseOrder()))
			.toList();
	}

	private void forget() {
		this.reasons.values().forEach(this::forget);
		this.reasons.values().removeIf(Map::isEmpty);
	}

	private void forget(Map<String, Count> clients) {
		Instant start = this.clock.instant().minus(KEPT);
		clients.values().removeIf((count) -> count.last().isBefore(start));
	}

	private record Count(long handshakes, Instant last) {

	}

}
