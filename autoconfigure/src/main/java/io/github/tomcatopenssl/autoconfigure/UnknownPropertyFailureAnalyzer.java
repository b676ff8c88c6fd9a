// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.stream.Collectors;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Analyzes an {@link UnknownPropertyException}.
 */
class UnknownPropertyFailureAnalyzer extends AbstractFailureAnalyzer<UnknownPropertyException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, UnknownPropertyException cause) {
		String description = cause.properties()
			.stream()
			.map((unknown) -> "%n    Property: %s%n    Origin: %s%n    Reason: there is no property with this name. Did you mean %s?%n"
				.formatted(unknown.property(), unknown.origin(), unknown.quoted()))
			.collect(Collectors.joining());
		return new FailureAnalysis("A TLS setting of the web server is misspelt:%n".formatted() + description,
				"Correct the name, or remove the property. Properties of your own need another prefix.", cause);
	}

}
