// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;

/**
 * Ends a handshake that the server has refused, unless the engine throws an exception of
 * its own.
 */
final class RefusedHandshakeException extends IOException {

	private static final long serialVersionUID = 1L;

	private final FailureReason reason;

	/**
	 * Create a new exception.
	 * @param reason the reason
	 * @param message the message
	 */
	RefusedHandshakeException(FailureReason reason, String message) {
		super(message);
		this.reason = reason;
	}

	FailureReason reason() {
		return this.reason;
	}

}
