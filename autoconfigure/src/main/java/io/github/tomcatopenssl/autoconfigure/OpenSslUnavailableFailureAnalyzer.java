// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import io.github.tomcatopenssl.OpenSslUnavailableException;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;

/**
 * Analyzes an {@link OpenSslUnavailableException} that prevents startup.
 */
class OpenSslUnavailableFailureAnalyzer extends AbstractFailureAnalyzer<OpenSslUnavailableException> {

	@Override
	protected FailureAnalysis analyze(Throwable rootFailure, OpenSslUnavailableException cause) {
		return new FailureAnalysis("OpenSSL cannot serve TLS: " + cause.getReason() + ".",
				cause.getAction(ServerSslProperty::nameOf) + ".", cause);
	}

}
