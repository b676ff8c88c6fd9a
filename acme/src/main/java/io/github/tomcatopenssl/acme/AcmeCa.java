// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

import org.shredzone.acme4j.Session;

/**
 * What all sets of domains have in common at a CA.
 *
 * @param sessions opens a session with the CA for an attempt
 * @param clock the clock of the CA
 * @param schedule how long to wait
 * @param limits how many certificates are ordered
 * @param issued counts the certificates that were issued
 * @param failed counts the attempts that failed
 */
record AcmeCa(Supplier<Session> sessions, CaClock clock, AcmeSchedule schedule, AcmeLimits limits, AtomicLong issued,
		AtomicLong failed) {

	AcmeCa(Supplier<Session> sessions, CaClock clock, AcmeSchedule schedule, AcmeLimits limits) {
		this(sessions, clock, schedule, limits, new AtomicLong(), new AtomicLong());
	}

}
