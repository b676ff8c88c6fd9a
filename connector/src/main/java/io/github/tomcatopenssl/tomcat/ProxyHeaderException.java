// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat;

import java.io.IOException;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if a connection begins without the {@link ProxyHeader} that it needs, or with
 * one that it may not have.
 */
final class ProxyHeaderException extends IOException {

	private final FailureReason reason;

	ProxyHeaderException(FailureReason reason, String message, @Nullable Throwable cause) {
		super(message, cause);
		this.reason = reason;
	}

	FailureReason reason() {
		return this.reason;
	}

}
