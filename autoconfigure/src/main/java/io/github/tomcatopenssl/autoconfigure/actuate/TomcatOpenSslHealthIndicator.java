// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure.actuate;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import io.github.tomcatopenssl.LoadAttempt;
import io.github.tomcatopenssl.TomcatNative;
import io.github.tomcatopenssl.autoconfigure.TlsEngines;
import io.github.tomcatopenssl.autoconfigure.TomcatOpenSslProperties.Openssl;
import io.github.tomcatopenssl.certificate.CertificateReloads;
import io.github.tomcatopenssl.endpoint.TlsConnectors;
import org.apache.catalina.connector.Connector;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.health.contributor.AbstractHealthIndicator;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;

/**
 * Reports {@code DOWN} if OpenSSL is required and does not serve TLS, or if a thread that
 * serves all connections of a port has failed. The details list the libraries that were
 * tried. Spring Boot's own indicator reports the validity of certificates. The details
 * also show whether new certificate files are not in use. The status stays {@code UP} in
 * this case, because the old certificate is in use.
 */
class TomcatOpenSslHealthIndicator extends AbstractHealthIndicator {

	private final TlsEngines tlsEngines;

	private final Openssl openssl;

	private final TomcatNative tomcatNative;

	private final @Nullable CertificateReloads reloads;

	TomcatOpenSslHealthIndicator(TlsEngines tlsEngines, Openssl openssl, TomcatNative tomcatNative,
			@Nullable CertificateReloads reloads) {
		super("Unable to determine which engine serves TLS");
		this.tlsEngines = tlsEngines;
		this.openssl = openssl;
		this.tomcatNative = tomcatNative;
		this.reloads = reloads;
	}

	@Override
	protected void doHealthCheck(Health.Builder builder) {
		Map<String, String> engines = new LinkedHashMap<>();
		Map<String, String> policies = new LinkedHashMap<>();
		Map<String, List<String>> failedThreads = new LinkedHashMap<>();
		for (Connector connector : this.tlsEngines.running()) {
			engines.put(String.valueOf(connector.getLocalPort()),
					String.join(" and ", TlsConnectors.engines(connector)));
			String policy = TlsConnectors.policy(connector);
			if (policy != null) {
				policies.put(String.valueOf(connector.getLocalPort()), policy);
			}
			List<String> failed = TlsConnectors.failedThreads(connector);
			if (!failed.isEmpty()) {
				failedThreads.put(String.valueOf(connector.getLocalPort()), failed);
			}
		}
		boolean missing = this.openssl.required()
				&& engines.values().stream().anyMatch((engine) -> !engine.equals(TlsConnectors.OPENSSL));
		builder.status((missing || !failedThreads.isEmpty()) ? Status.DOWN : Status.UP)
			.withDetail("engines", engines)
			.withDetail("policies", policies);
		if (!failedThreads.isEmpty()) {
			builder.withDetail("failedThreads", failedThreads);
		}
		// Reading the status loads the library, which a health check alone must not do
		if (this.openssl.wanted() && !engines.isEmpty()) {
			builder.withDetail("libraries",
					this.tomcatNative.status()
						.attempts()
						.stream()
						.collect(Collectors.toMap(LoadAttempt::location, LoadAttempt::result, (first, last) -> last,
								LinkedHashMap::new)));
		}
		Map<String, String> problems = new LinkedHashMap<>();
		if (this.reloads != null) {
			for (CertificateReloads.Status status : this.reloads.status()) {
				if (status.problem() != null) {
					problems.put(status.name(), status.problem());
				}
			}
		}
		if (!problems.isEmpty()) {
			builder.withDetail("certificateProblems", problems);
		}
	}

}
