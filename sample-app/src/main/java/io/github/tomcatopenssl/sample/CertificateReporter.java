// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.sample;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

import io.github.tomcatopenssl.certificate.CertificateReloads;

import org.springframework.boot.info.SslInfo;
import org.springframework.boot.info.SslInfo.CertificateInfo;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.stereotype.Component;

/**
 * Reports the certificates of the server from Spring Boot's SSL bundle.
 */
@Component
class CertificateReporter {

	private static final String BUNDLE = "server-ssl";

	private final SslBundles sslBundles;

	private final CertificateReloads reloads;

	CertificateReporter(SslBundles sslBundles, CertificateReloads reloads) {
		this.sslBundles = sslBundles;
		this.reloads = reloads;
	}

	CertificateReport report() {
		if (!this.sslBundles.getBundleNames().contains(BUNDLE)) {
			return new CertificateReport(List.of(), null, null);
		}
		Instant now = Instant.now();
		List<CertificateReport.Entry> chain = new SslInfo(this.sslBundles).getBundle(BUNDLE)
			.getCertificateChains()
			.stream()
			.flatMap((certificates) -> certificates.getCertificates().stream())
			.map((certificate) -> entry(certificate, now))
			.toList();
		CertificateReloads.Status status = this.reloads.status().get(0);
		return new CertificateReport(chain, status.lastSuccess(), status.problem());
	}

	private static CertificateReport.Entry entry(CertificateInfo certificate, Instant now) {
		Instant end = Objects.requireNonNull(certificate.getValidityEnds());
		// Some CAs leave the subject empty
		String subject = "".equals(certificate.getSubject()) ? "none" : certificate.getSubject();
		return new CertificateReport.Entry(subject, certificate.getIssuer(), end, Duration.between(now, end).toDays());
	}

}
