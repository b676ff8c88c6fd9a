// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.store;

import java.time.Duration;

/**
 * How long a {@link JdbcStore} waits.
 *
 * @param lease how long a lock lasts after its owner was last heard of
 * @param refresh between two questions for what has changed
 */
public record StoreSchedule(Duration lease, Duration refresh) {

	/**
	 * A new certificate is served by all replicas within half a minute.
	 */
	public static final StoreSchedule DEFAULT = new StoreSchedule(Duration.ofSeconds(30), Duration.ofSeconds(10));

	/**
	 * Return the time between two renewals of a lease, two of which may fail.
	 */
	Duration renewal() {
		return this.lease.dividedBy(3);
	}

	/**
	 * Return how long to wait for a lock: longer than that of a process that has ended.
	 */
	Duration patience() {
		return this.lease.multipliedBy(3).dividedBy(2);
	}

}
