// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.time.Duration;
import java.time.Instant;

/**
 * How long {@link AcmeCertificates} waits.
 *
 * @param otherAtWork delay while another replica holds the lock
 * @param firstDelay after the first failure; each further one doubles it
 * @param afterOrder after an order, at least; twice as long after each further one in a
 * row whose certificate is due that soon
 * @param longestDelay at most, whatever a clock shows or the CA says
 * @param restartDelay after a failure, if the process is started again: somebody may have
 * removed the cause, but Let's Encrypt allows five failures an hour
 * @param betweenWarnings between two warnings about the same
 * @param clockCheck until the clock is read again: while a machine is suspended, its
 * clock goes on, and a wait does not
 */
record AcmeSchedule(Duration otherAtWork, Duration firstDelay, Duration afterOrder, Duration longestDelay,
		Duration restartDelay, Duration betweenWarnings, Duration clockCheck) {

	static final AcmeSchedule DEFAULT = new AcmeSchedule(Duration.ofSeconds(10), Duration.ofMinutes(2),
			Duration.ofMinutes(1), Duration.ofHours(6), Duration.ofMinutes(15), Duration.ofDays(1),
			Duration.ofMinutes(1));

	/**
	 * How exact the clock of the CA is, which answers show in seconds.
	 */
	private static final Duration RESOLUTION = Duration.ofSeconds(1);

	/**
	 * Return when another certificate can be ordered.
	 * @param obtained when the last one arrived
	 * @param dueAtOnce how many in a row were due as soon as they arrived
	 * @return when, at the earliest
	 */
	Instant nextOrder(Instant obtained, int dueAtOnce) {
		Duration pause = this.afterOrder.multipliedBy(1L << Math.max(0, Math.min(dueAtOnce - 1, 16)));
		return obtained.plus((pause.compareTo(this.longestDelay) < 0) ? pause : this.longestDelay).plus(RESOLUTION);
	}

	/**
	 * Return how long to wait for a time before the CA is asked. If it were asked
	 * earlier, its answer could set the clock back to before this time.
	 * @param time a time of the clock of the CA
	 * @param now what the clock of the CA shows
	 * @return the wait
	 */
	static Duration until(Instant time, Instant now) {
		return Duration.between(now, time).plus(RESOLUTION);
	}

}
