// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.util.function.ToDoubleFunction;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Counts the certificates that were issued and the attempts that failed. This is not a
 * {@code MeterBinder}, because those of a child context are not bound to a registry of
 * the parent.
 */
class AcmeMetrics implements SmartInitializingSingleton {

	private final AcmeCertificateSource source;

	private final ObjectProvider<MeterRegistry> registries;

	AcmeMetrics(AcmeCertificateSource source, ObjectProvider<MeterRegistry> registries) {
		this.source = source;
		this.registries = registries;
	}

	@Override
	public void afterSingletonsInstantiated() {
		AcmeCertificates certificates = this.source.certificates();
		if (certificates != null) {
			this.registries.ifUnique((registry) -> {
				count("issued", certificates, AcmeCertificates::issued, registry);
				count("failed", certificates, AcmeCertificates::failed, registry);
			});
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
