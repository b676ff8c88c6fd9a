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

import io.github.tomcatopenssl.endpoint.HandshakeCounters.FailedClient;

/**
 * Counts failed handshakes by their reason and the fingerprint of the client. A client is
 * forgotten a day after its last one. Strangers can send as many fingerprints as they
 * like: once there are {@value #MOST}, new ones count as {@value #OTHERS}.
 */
final class FailedClients {

	static final int MOST = 100;

	static final String OTHERS = "others";

	private static final Duration KEPT = Duration.ofDays(1);

	private final InstantSource clock;

	private final Map<Client, Failures> clients = new HashMap<>();

	FailedClients(InstantSource clock) {
		this.clock = clock;
	}

	synchronized void add(FailureReason reason, String fingerprint) {
		Client client = new Client(reason, fingerprint);
		if (!this.clients.containsKey(client) && this.clients.size() >= MOST) {
			forget();
		}
		boolean known = this.clients.containsKey(client) || this.clients.size() < MOST;
		this.clients.merge(known ? client : new Client(reason, OTHERS), new Failures(1, this.clock.instant()),
				(before, now) -> new Failures(before.count() + 1, now.last()));
	}

	synchronized List<FailedClient> all() {
		forget();
		return this.clients.entrySet()
			.stream()
			.map((entry) -> new FailedClient(entry.getKey().reason().toString(), entry.getKey().fingerprint(),
					entry.getValue().count(), entry.getValue().last()))
			.sorted(Comparator.comparingLong(FailedClient::handshakes)
				.reversed()
				.thenComparing(FailedClient::last, Comparator.reverseOrder()))
			.toList();
	}

	private void forget() {
		Instant start = this.clock.instant().minus(KEPT);
		this.clients.values().removeIf((failures) -> failures.last().isBefore(start));
	}

	private record Client(FailureReason reason, String fingerprint) {

	}

	private record Failures(long count, Instant last) {

	}

}
