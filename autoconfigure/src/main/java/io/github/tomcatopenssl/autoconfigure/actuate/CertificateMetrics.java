// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure.actuate;

import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;

import io.github.tomcatopenssl.certificate.CertificateReloads;
import io.github.tomcatopenssl.internal.certificate.CertificateChain;
import io.github.tomcatopenssl.internal.certificate.CertificateWatcher;
import io.github.tomcatopenssl.internal.certificate.ServerBundles;
import io.github.tomcatopenssl.internal.host.CertificateHosts;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.ssl.SslStoreBundle;

/**
 * Registers for how many days each certificate of the certificate files is valid, how
 * often files were reloaded or refused, and whether the current files are in use. Spring
 * Boot's {@code ssl.chain.expiry} covers only the certificate of each chain that expires
 * first, and does not say which one that is. This is not a {@code MeterBinder}, because
 * those of a child context are not bound to a registry of the parent.
 */
class CertificateMetrics implements SmartInitializingSingleton {

	private static final double SECONDS_OF_DAY = Duration.ofDays(1).toSeconds();

	private static final Log logger = LogFactory.getLog(CertificateMetrics.class);

	private final CertificateReloads reloads;

	private final ServerBundles bundles;

	private final CertificateHosts hosts;

	private final ObjectProvider<MeterRegistry> registries;

	CertificateMetrics(CertificateWatcher watcher, CertificateHosts hosts, ObjectProvider<MeterRegistry> registries) {
		this.reloads = watcher;
		this.hosts = hosts;
		this.bundles = watcher.serverBundles();
		this.registries = registries;
	}

	@Override
	public void afterSingletonsInstantiated() {
		this.registries.ifUnique(this::register);
	}

	private void register(MeterRegistry registry) {
		registerHosts(registry);
		for (CertificateReloads.Status status : this.reloads.status()) {
			String bundle = status.name();
			if (this.bundles.getBundleNames().contains(bundle)) {
				MultiGauge expiry = MultiGauge.builder("tomcat.ssl.certificate.expiry")
					.description("Time until the certificate expires")
					.baseUnit("days")
					.tags("bundle", bundle)
					.register(registry);
				expiry.register(rows(bundle));
				this.bundles.addBundleUpdateHandler(bundle, (updated) -> update(bundle, expiry));
			}
			counter(bundle, "success", CertificateReloads.Status::succeeded, registry);
			counter(bundle, "failure", CertificateReloads.Status::failed, registry);
			Gauge
				.builder("tomcat.ssl.certificate.problems",
						() -> sum(bundle, (current) -> (current.problem() != null) ? 1 : 0))
				.description("1 while the current certificate files are not in use, or a revocation list has expired")
				.tags("bundle", bundle)
				.register(registry);
		}
	}

	// There can be thousands of them, so that the first one that expires stands for all
	private void registerHosts(MeterRegistry registry) {
		Gauge.builder("tomcat.ssl.certificate.hosts", this.hosts, (hosts) -> hosts.all().size())
			.description("Certificates of the certificate directory, and those that the application has added")
			.register(registry);
		Gauge.builder("tomcat.ssl.certificate.names", this.hosts, CertificateHosts::names)
			.description("Host names and addresses that these certificates serve")
			.register(registry);
		Gauge.builder("tomcat.ssl.certificate.hosts.expiry", this.hosts, CertificateMetrics::daysLeft)
			.description("Time until the first of these certificates expires")
			.baseUnit("days")
			.register(registry);
	}

	private static double daysLeft(CertificateHosts hosts) {
		Instant first = hosts.firstExpiry();
		return (first != null) ? daysUntil(first) : Double.NaN;
	}

	private static double daysUntil(Instant end) {
		return Duration.between(Instant.now(), end).toSeconds() / SECONDS_OF_DAY;
	}

	// A registry that fails must not cause a certificate to be refused
	private void update(String bundle, MultiGauge expiry) {
		try {
			expiry.register(rows(bundle), true);
		}
		catch (RuntimeException ex) {
			logger.warn(
					"The metric 'tomcat.ssl.certificate.expiry' of the SSL bundle '%s' could not be updated and still describes the previous certificate. See the error of the meter registry"
						.formatted(bundle),
					ex);
		}
	}

	private List<Row<?>> rows(String bundle) {
		SslStoreBundle stores = this.bundles.getBundle(bundle).getStores();
		return Stream.concat(rows(stores.getKeyStore(), "keystore"), rows(stores.getTrustStore(), "truststore"))
			.toList();
	}

	// Chains can have certificates in common
	private static Stream<Row<?>> rows(@Nullable KeyStore store, String source) {
		if (store == null) {
			return Stream.empty();
		}
		Set<Certificate> certificates = new LinkedHashSet<>();
		try {
			for (String alias : Collections.list(store.aliases())) {
				Certificate[] chain = store.getCertificateChain(alias);
				certificates.addAll((chain != null) ? List.of(chain) : List.of(store.getCertificate(alias)));
			}
		}
		catch (KeyStoreException ex) {
			throw new IllegalStateException(ex);
		}
		return certificates.stream().map((certificate) -> row((X509Certificate) certificate, source));
	}

	private static Row<?> row(X509Certificate certificate, String source) {
		Instant end = certificate.getNotAfter().toInstant();
		return Row.of(Tags.of("source", source, "subject", CertificateChain.name(certificate), "certificate",
				certificate.getSerialNumber().toString(16)), () -> daysUntil(end));
	}

	private void counter(String bundle, String outcome, ToDoubleFunction<CertificateReloads.Status> count,
			MeterRegistry registry) {
		FunctionCounter.builder("tomcat.ssl.certificate.reloads", this, (metrics) -> metrics.sum(bundle, count))
			.description("Replaced certificate files that were loaded or refused")
			.tags("bundle", bundle, "outcome", outcome)
			.register(registry);
	}

	private double sum(String bundle, ToDoubleFunction<CertificateReloads.Status> value) {
		return this.reloads.status().stream().filter((status) -> status.name().equals(bundle)).mapToDouble(value).sum();
	}

}
