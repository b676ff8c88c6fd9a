// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.actuate;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ToDoubleFunction;

import io.github.tomcatopenssl.certificate.CertificateReloads;
import io.github.tomcatopenssl.certificate.HostFiles;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.MultiGauge;
import io.micrometer.core.instrument.MultiGauge.Row;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.binder.MeterBinder;

import org.springframework.boot.info.SslInfo;
import org.springframework.boot.info.SslInfo.CertificateChainInfo;
import org.springframework.boot.info.SslInfo.CertificateInfo;
import org.springframework.boot.ssl.SslBundles;

/**
 * Registers how many days each certificate of the certificate files is valid, and how
 * often they were replaced. Spring Boot's {@code ssl.chain.expiry} has the first of each
 * chain in seconds.
 */
public class CertificateMetrics implements MeterBinder {

	private static final double SECONDS_OF_DAY = Duration.ofDays(1).toSeconds();

	private final CertificateReloads reloads;

	private final SslBundles sslBundles;

	public CertificateMetrics(CertificateReloads reloads, SslBundles sslBundles) {
		this.reloads = reloads;
		this.sslBundles = sslBundles;
	}

	@Override
	public void bindTo(MeterRegistry registry) {
		for (CertificateReloads.Status status : this.reloads.status()) {
			String bundle = status.bundle();
			if (HostFiles.isBundleName(bundle)) {
				MultiGauge expiry = MultiGauge.builder("tomcat.ssl.certificate.expiry")
					.description("Time until the certificate expires")
					.baseUnit("days")
					.tags("bundle", bundle)
					.register(registry);
				expiry.register(rows(bundle));
				this.sslBundles.addBundleUpdateHandler(bundle, (updated) -> expiry.register(rows(bundle), true));
			}
			counter(bundle, "success", CertificateReloads.Status::succeeded, registry);
			counter(bundle, "failure", CertificateReloads.Status::failed, registry);
		}
	}

	private List<Row<?>> rows(String bundle) {
		SslInfo.BundleInfo info = new SslInfo(this.sslBundles).getBundle(bundle);
		List<Row<?>> rows = new ArrayList<>();
		info.getCertificateChains().forEach((chain) -> addRows(chain, "keystore", rows));
		info.getTrustStoreCertificateChains().forEach((chain) -> addRows(chain, "truststore", rows));
		return rows;
	}

	private static void addRows(CertificateChainInfo chain, String source, List<Row<?>> rows) {
		for (CertificateInfo certificate : chain.getCertificates()) {
			Instant end = certificate.getValidityEnds();
			if (end != null) {
				rows.add(Row.of(
						Tags.of("source", source, "subject", String.valueOf(certificate.getSubject()), "certificate",
								String.valueOf(certificate.getSerialNumber())),
						() -> Duration.between(Instant.now(), end).toSeconds() / SECONDS_OF_DAY));
			}
		}
	}

	private void counter(String bundle, String outcome, ToDoubleFunction<CertificateReloads.Status> count,
			MeterRegistry registry) {
		FunctionCounter
			.builder("tomcat.ssl.certificate.reloads", this.reloads,
					(reloads) -> reloads.status()
						.stream()
						.filter((status) -> status.bundle().equals(bundle))
						.mapToDouble(count)
						.sum())
			.description("Replaced certificate files that were taken into use or refused")
			.tags("bundle", bundle, "outcome", outcome)
			.register(registry);
	}

}
