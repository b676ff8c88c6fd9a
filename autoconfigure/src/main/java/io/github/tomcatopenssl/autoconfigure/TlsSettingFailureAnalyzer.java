// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import io.github.tomcatopenssl.TlsSettingException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/**
 * Analyzes a {@link TlsSettingException} and names the properties that its settings come
 * from. Runs before Spring Boot's analyzers, one of which would only report that a
 * property cannot be converted.
 */
@Order(Ordered.HIGHEST_PRECEDENCE)
class TlsSettingFailureAnalyzer extends AbstractFailureAnalyzer<TlsSettingException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, TlsSettingException cause) {
		return new FailureAnalysis(
				"A TLS setting of the web server cannot be enforced:%n%n    Property: %s%n    Reason: %s%n".formatted(
						ServerSslProperty.nameOf(cause.getSetting()), cause.getReason(ServerSslProperty::nameOf)),
				cause.getAction(ServerSslProperty::nameOf) + ".", cause);
	}

}
