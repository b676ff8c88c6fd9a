// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;

import org.jspecify.annotations.Nullable;

/**
 * Ends a handshake that the server has refused, unless the engine throws an exception of
 * its own.
 */
final class RefusedHandshakeException extends IOException {

	private static final long serialVersionUID = 1L;

	private final @Nullable FailureReason reason;

	/**
	 * Create a new exception.
	 * @param reason the reason, or {@code null} if only the engine knows it
	 * @param message the message
	 */
	RefusedHandshakeException(@Nullable FailureReason reason, String message) {
		super(message);
		this.reason = reason;
	}

	@Nullable FailureReason reason() {
		return this.reason;
	}

}
