// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.github.tomcatopenssl.internal.certificate.CertificateWatcher;
import io.github.tomcatopenssl.internal.certificate.VirtualHostFiles;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * Reports {@code OUT_OF_SERVICE} while the server uses no certificate of a CA, or one
 * that has expired. A failure while it uses a valid one is only a detail. Reads no file:
 * a file system that does not respond must not take down a server that does.
 */
class AcmeHealthIndicator extends AbstractHealthIndicator {

	private final AcmeCertificateSource source;

	private final ObjectProvider<CertificateWatcher> watcher;

	AcmeHealthIndicator(AcmeCertificateSource source, ObjectProvider<CertificateWatcher> watcher) {
		super("The state of the certificate is not known");
		this.source = source;
		this.watcher = watcher;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		builder.up();
		AcmeCertificates certificates = this.source.certificates();
		if (certificates != null) {
			addDefaultHost(builder, certificates);
		}
		AcmeSets sets = this.source.sets();
		if (sets != null) {
			addSets(builder, sets.summary());
		}
	}

	// One failing domain of thousands must not take down the server
	private static void addSets(Health.Builder builder, AcmeSets.Summary sets) {
		builder.withDetail("certificates", Map.of("wanted", sets.sets(), "served", sets.served(), "failing",
				sets.failing(), "waiting", sets.waiting()));
		if (!sets.problems().isEmpty()) {
			builder.withDetail("certificateProblems", sets.problems());
		}
	}

	private void addDefaultHost(Health.Builder builder, AcmeCertificates certificates) {
		AcmeCertificates.Status status = certificates.status();
		List<AcmeCertificate> inUse = inUse();
		Instant now = certificates.clock().instant();
		boolean isServed = !inUse.isEmpty() && inUse.stream()
			.noneMatch((certificate) -> certificate.isPlaceholder() || !now.isBefore(certificate.expiry()));
		builder.status(isServed ? Status.UP : Status.OUT_OF_SERVICE).withDetail("domains", certificates.domains());
		List<String> missing = inUse.stream()
			.flatMap((certificate) -> certificate.missing(certificates.domains()).stream())
			.distinct()
			.toList();
		if (!missing.isEmpty()) {
			builder.withDetail("missing", missing);
		}
		inUse.stream()
			.map(AcmeCertificate::expiry)
			.min(Comparator.naturalOrder())
			.ifPresent((expiry) -> builder.withDetail("validUntil", expiry.toString()));
		if (status.next() != null) {
			builder.withDetail("next", status.next().toString());
		}
		if (status.problem() != null) {
			builder.withDetail("problem", status.problem()).withDetail("failures", status.failures());
			AcmeCertificates.Validity validity = certificates.validity();
			if (validity != null) {
				builder.withDetail("renewalDue", validity.due().toString());
			}
		}
		this.watcher.stream()
			.flatMap((watcher) -> watcher.status().stream())
			.filter((reload) -> reload.name().equals(VirtualHostFiles.BUNDLE_NAME))
			.flatMap((reload) -> Stream.ofNullable(reload.problem()))
			.forEach((problem) -> builder.withDetail("refused", problem));
	}

	// Those that the server uses, not those in the folder
	private List<AcmeCertificate> inUse() {
		return this.watcher.stream()
			.map(CertificateWatcher::serverBundles)
			.filter((bundles) -> bundles.getBundleNames().contains(VirtualHostFiles.BUNDLE_NAME))
			.flatMap((bundles) -> AcmeCertificate.of(bundles.getBundle(VirtualHostFiles.BUNDLE_NAME)).stream())
			.toList();
	}

}
