// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToIntFunction;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;

/**
 * Counts the certificates that were issued and are served, and the attempts that failed.
 * This is not a {@code MeterBinder}, because those of a child context are not bound to a
 * registry of the parent.
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
		AcmeCa ca = this.source.ca();
		if (ca != null) {
			this.registries.ifUnique((registry) -> {
				count("issued", ca.issued(), registry);
				count("failed", ca.failed(), registry);
			});
		}
		AcmeSets sets = this.source.sets();
		if (sets != null) {
			this.registries.ifUnique((registry) -> {
				gauge("wanted", sets, AcmeSets.Summary::sets, registry);
				gauge("served", sets, AcmeSets.Summary::served, registry);
				gauge("failing", sets, AcmeSets.Summary::failing, registry);
				gauge("waiting", sets, AcmeSets.Summary::waiting, registry);
			});
		}
	}

	private static void gauge(String state, AcmeSets sets, ToIntFunction<AcmeSets.Summary> value,
			MeterRegistry registry) {
		Gauge.builder("tomcat.ssl.acme.certificates", sets, (all) -> value.applyAsInt(all.summary()))
			.description("Certificates besides that of the server itself")
			.tag("state", state)
			.register(registry);
	}

	private static void count(String outcome, AtomicLong count, MeterRegistry registry) {
		FunctionCounter.builder("tomcat.ssl.acme.orders", count, AtomicLong::get)
			.description("Attempts to obtain a certificate from the CA")
			.tag("outcome", outcome)
			.register(registry);
	}

}
