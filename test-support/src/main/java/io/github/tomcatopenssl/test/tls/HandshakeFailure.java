// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test.tls;

import java.io.IOException;

/**
 * Thrown when the server has ended a handshake.
 */
public final class HandshakeFailure extends IOException {

	public HandshakeFailure(String message) {
		super(message);
	}

}
