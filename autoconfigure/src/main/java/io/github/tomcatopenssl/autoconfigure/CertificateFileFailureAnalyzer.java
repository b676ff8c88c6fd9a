/*
 * Copyright 2026-present the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.github.tomcatopenssl.autoconfigure;

import io.github.tomcatopenssl.certificate.CertificateFileException;
import io.github.tomcatopenssl.certificate.KeyMaterial;
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
		StringBuilder description = new StringBuilder("The web server's certificate cannot be used:%n%n".formatted());
		append(description, "Property", cause.getProperty());
		if (cause.getFile() != null) {
			append(description, "Value", value(cause.getProperty()));
			append(description, "File", cause.getFile());
		}
		append(description, "Reason", cause.getReason());
		return new FailureAnalysis(description.toString(), cause.getAction() + ".", cause);
	}

	private @Nullable String value(String property) {
		try {
			String value = (this.environment != null) ? this.environment.getProperty(property) : null;
			return (value == null || !KeyMaterial.describe(value).equals(value)) ? null : value;
		}
		catch (IllegalArgumentException ex) {
			// A placeholder that cannot be resolved
			return null;
		}
	}

	private static void append(StringBuilder description, String name, @Nullable String value) {
		if (value != null) {
			description.append("    %s: %s%n".formatted(name, value));
		}
	}

}
