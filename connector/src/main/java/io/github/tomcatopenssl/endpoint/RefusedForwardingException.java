// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import org.jspecify.annotations.Nullable;

/**
 * Says why a forwarded certificate is refused.
 */
final class RefusedForwardingException extends Exception {

	private static final long serialVersionUID = 1L;

	private final FailureReason reason;

	private final @Nullable String certificate;

	/**
	 * Create a new instance. It has no cause: what a stranger makes Java throw can hold
	 * much.
	 * @param reason the reason
	 * @param certificate the certificate, in a form that is safe to log, or {@code null}
	 * @param message what is wrong
	 */
	RefusedForwardingException(FailureReason reason, @Nullable String certificate, String message) {
		super(message);
		this.reason = reason;
		this.certificate = certificate;
	}

	FailureReason reason() {
		return this.reason;
	}

	@Nullable String certificate() {
		return this.certificate;
	}

}
