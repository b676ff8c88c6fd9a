// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;

/**
 * Counts the certificates that were issued and the attempts that failed.
 */
class AcmeMetrics implements MeterBinder {

	private final AcmeCertificateSource source;

	AcmeMetrics(AcmeCertificateSource source) {
		this.source = source;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		AcmeCertificates certificates = this.source.certificates();
		if (certificates != null) {
			count("issued", certificates, AcmeCertificates::issued, registry);
			count("failed", certificates, AcmeCertificates::failed, registry);
		}
	}

	private static void count(String outcome, AcmeCertificates certificates, ToDoubleFunction<AcmeCertificates> count,
			MeterRegistry registry) {
		FunctionCounter.builder("tomcat.ssl.acme.orders", certificates, count)
			.description("Attempts to obtain a certificate from the CA")
			.tag("outcome", outcome)
			.register(registry);
	}

}
