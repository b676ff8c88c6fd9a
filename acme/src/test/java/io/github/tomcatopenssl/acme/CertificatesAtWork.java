// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

import org.jspecify.annotations.Nullable;
import org.shredzone.acme4j.Session;

/**
 * The certificates of a host, and the threads that obtain them.
 */
final class CertificatesAtWork {

	private final AcmeStore store;

	private final AcmeCa ca;

	private final AcmeCertificates certificates;

	private final AcmeWork work;

	CertificatesAtWork(AcmeSettings settings, AcmeStore store, Supplier<Session> sessions,
			Function<Session, AcmeClient> clients, CaClock clock, AcmeSchedule schedule) {
		this(settings, store, sessions, clients, clock, schedule, null);
	}

	CertificatesAtWork(AcmeSettings settings, AcmeStore store, Supplier<Session> sessions,
			Function<Session, AcmeClient> clients, CaClock clock, AcmeSchedule schedule,
			AcmeCertificates.@Nullable Host host) {
		this.store = store;
		this.ca = new AcmeCa(sessions, clock, schedule,
				new AcmeLimits(store, settings.properties().ordersPerHour(), clock, schedule));
		this.certificates = new AcmeCertificates(settings, store, this.ca, clients, host);
		this.work = new AcmeWork(clock, schedule);
	}

	List<Path> writeFiles() throws IOException {
		return this.certificates.writeFiles();
	}

	void start() {
		this.work.add(this.certificates, Duration.ZERO);
		this.work.start();
	}

	void stop() {
		this.work.stop();
	}

	AcmeCertificates.Status status() {
		return this.certificates.status();
	}

	AcmeStore store() {
		return this.store;
	}

	long issued() {
		return this.ca.issued().get();
	}

	long failed() {
		return this.ca.failed().get();
	}

}
