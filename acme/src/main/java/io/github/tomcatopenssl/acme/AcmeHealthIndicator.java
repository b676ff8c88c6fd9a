// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * Reports {@code OUT_OF_SERVICE} while the server has no certificate of the CA. A renewal
 * that fails is a detail, because the certificate is still valid.
 */
class AcmeHealthIndicator extends AbstractHealthIndicator {

	private final AcmeCertificateSource source;

	AcmeHealthIndicator(AcmeCertificateSource source) {
		super("The state of the certificate is not known");
		this.source = source;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		AcmeCertificates certificates = this.source.certificates();
		if (certificates == null) {
			builder.up();
			return;
		}
		AcmeCertificates.Status status = certificates.status();
		builder.status(certificates.isIssued() ? Status.UP : Status.OUT_OF_SERVICE)
			.withDetail("domains", certificates.domains());
		if (status.next() != null) {
			builder.withDetail("next", status.next().toString());
		}
		if (status.problem() != null) {
			builder.withDetail("problem", status.problem()).withDetail("failures", status.failures());
		}
	}

}
