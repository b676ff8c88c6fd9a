// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import io.github.tomcatopenssl.certificate.CertificateFileException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.env.Environment;

/**
 * Analyzes a {@link CertificateFileException}.
 */
class CertificateFileFailureAnalyzer extends AbstractFailureAnalyzer<CertificateFileException> {

	private final @Nullable Environment environment;

	CertificateFileFailureAnalyzer(@Nullable Environment environment) {
		this.environment = environment;
	}

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, CertificateFileException cause) {
		String description = "%s cannot be used:%n%n".formatted(subject(cause.getProperty()))
				+ line("Property", cause.getProperty())
				+ line("Value", (cause.getFile() != null) ? value(cause.getProperty()) : null)
				+ line("File", cause.getFile()) + line("Reason", cause.getReason());
		return new FailureAnalysis(description, cause.getAction() + ".", cause);
	}

	private static String subject(String property) {
		if (property.startsWith("management.")) {
			return "A TLS setting of the management server";
		}
		if (property.equals(ServerSslProperty.SESSION_TICKET_KEY_FILE.toString())) {
			return "The web server's session ticket key";
		}
		boolean clients = ServerSslProperty.CLIENT_VERIFICATION.stream()
			.anyMatch((known) -> property.equals(known.toString()));
		return "The web server's " + (clients ? "client verification" : "certificate");
	}

	private @Nullable String value(String property) {
		try {
			String value = (this.environment != null) ? this.environment.getProperty(property) : null;
			return (value == null || !CertificateFileException.describe(value).equals(value)) ? null : value;
		}
		catch (IllegalArgumentException ex) {
			// The value has a placeholder that cannot be resolved
			return null;
		}
	}

	private static String line(String name, @Nullable String value) {
		return (value != null) ? "    %s: %s%n".formatted(name, value) : "";
	}

}
