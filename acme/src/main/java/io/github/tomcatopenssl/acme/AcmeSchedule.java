// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.time.Duration;

/**
 * How long {@link AcmeCertificates} waits.
 *
 * @param otherAtWork while another replica is at work
 * @param firstDelay after the first failure; each further one doubles it
 * @param longestDelay at most, whatever a clock shows or the CA says
 * @param restartDelay after a failure, if the process is started again: somebody may have
 * removed the cause, but Let's Encrypt allows five failures an hour
 * @param betweenWarnings between two warnings about the same
 * @param clockCheck until the clock is read again: while a machine is suspended, its
 * clock goes on, and a wait does not
 */
record AcmeSchedule(Duration otherAtWork, Duration firstDelay, Duration longestDelay, Duration restartDelay,
		Duration betweenWarnings, Duration clockCheck) {

	static final AcmeSchedule DEFAULT = new AcmeSchedule(Duration.ofSeconds(10), Duration.ofMinutes(2),
			Duration.ofHours(6), Duration.ofMinutes(15), Duration.ofDays(1), Duration.ofMinutes(1));

}
