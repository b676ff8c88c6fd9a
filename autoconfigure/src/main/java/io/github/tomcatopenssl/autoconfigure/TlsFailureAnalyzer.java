// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.autoconfigure.TlsFailureAnalysis.Problem;
import io.github.tomcatopenssl.internal.certificate.InvisibleText;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.core.env.Environment;

/**
 * Analyzes a {@link TlsSettingException}, and those that are suppressed in it. Runs
 * before Spring Boot's analyzers, one of which would only report that a property cannot
 * be converted.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
class TlsFailureAnalyzer extends AbstractFailureAnalyzer<TlsSettingException> {

	private final @Nullable Environment environment;

	TlsFailureAnalyzer(@Nullable Environment environment) {
		this.environment = environment;
	}

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, TlsSettingException cause) {
		List<Problem> problems = Stream.concat(Stream.of(cause), Arrays.stream(cause.getSuppressed()))
			.filter(TlsSettingException.class::isInstance)
			.map((failure) -> describe((TlsSettingException) failure))
			.toList();
		return new TlsFailureAnalysis(problems, cause.getAction(ServerSslProperty::nameOf) + ".", cause);
	}

	private Problem describe(TlsSettingException failure) {
		CertificateProperty certificate = certificate(failure);
		String property = (certificate != null) ? certificate.name() : failure.getSetting(ServerSslProperty::nameOf);
		String file = (certificate != null) ? certificate.file() : failure.getFile();
		return new Problem(property, (file != null) ? visible(value(property)) : null, visible(file),
				failure.getReason(ServerSslProperty::nameOf));
	}

	private @Nullable CertificateProperty certificate(TlsSettingException failure) {
		return (this.environment != null && failure.isAbout(SettingName.CERTIFICATE)
				&& failure.getCertificate() != null)
						? CertificateProperty.find(this.environment, failure.getCertificate()).orElse(null) : null;
	}

	private @Nullable String value(String property) {
		try {
			String value = (this.environment != null) ? this.environment.getProperty(property) : null;
			return (value == null || !TlsSettingException.describe(value).equals(value)) ? null : value;
		}
		catch (IllegalArgumentException ex) {
			// The value has a placeholder that cannot be resolved
			return null;
		}
	}

	// A reader sees neither a space at the end nor some other characters
	private static @Nullable String visible(@Nullable String value) {
		if (value == null) {
			return null;
		}
		StringBuilder shown = new StringBuilder();
		value.codePoints()
			.forEach((character) -> shown.append((character != ' ' && InvisibleText.contains(character))
					? "\\u%04X".formatted(character) : Character.toString(character)));
		return (shown.length() == value.length() && value.equals(value.strip())) ? value : "'" + shown + "'";
	}

}
