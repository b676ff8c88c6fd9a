// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.UnusableCertificateException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * Analyzes a {@link TlsSettingException} and names the properties that its settings come
 * from. Runs before Spring Boot's analyzers, one of which would only report that a
 * property cannot be converted.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
class TlsSettingFailureAnalyzer extends AbstractFailureAnalyzer<TlsSettingException> {

	private final @Nullable Environment environment;

	TlsSettingFailureAnalyzer(@Nullable Environment environment) {
		this.environment = environment;
	}

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, TlsSettingException cause) {
		CertificateProperty certificate = certificate(cause);
		return new FailureAnalysis(
				"A TLS setting of the web server cannot be enforced:%n%n    Property: %s%n%s    Reason: %s%n".formatted(
						(certificate != null) ? certificate.name() : ServerSslProperty.nameOf(cause.getSetting()),
						(certificate != null) ? "    File: %s%n".formatted(certificate.file()) : "",
						cause.getReason(ServerSslProperty::nameOf)),
				cause.getAction(ServerSslProperty::nameOf) + ".", cause);
	}

	private @Nullable CertificateProperty certificate(TlsSettingException cause) {
		return (this.environment != null && cause.getSetting() == SettingName.CERTIFICATE
				&& cause instanceof UnusableCertificateException unusable && unusable.getCertificate() != null)
						? CertificateProperty.find(this.environment, unusable.getCertificate()).orElse(null) : null;
	}

}
