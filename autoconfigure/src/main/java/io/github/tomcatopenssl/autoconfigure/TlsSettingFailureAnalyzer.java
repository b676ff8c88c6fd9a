// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.engine.PropertyNames;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Analyzes a {@link TlsSettingException} by the properties that its settings come from,
 * before Spring Boot analyzes that a property could not be converted.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
class TlsSettingFailureAnalyzer extends AbstractFailureAnalyzer<TlsSettingException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, TlsSettingException cause) {
		return new FailureAnalysis(
				"A TLS setting of the web server cannot be enforced:%n%n    Property: %s%n    Reason: %s%n"
					.formatted(PropertyNames.of(cause.getSetting()), cause.getReason(PropertyNames::of)),
				cause.getAction(PropertyNames::of) + ".", cause);
	}

}
