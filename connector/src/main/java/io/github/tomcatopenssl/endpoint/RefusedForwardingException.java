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

	private final transient @Nullable RefusedCertificate certificate;

	RefusedForwardingException(FailureReason reason, @Nullable RefusedCertificate certificate, String message,
			@Nullable Exception cause) {
		super(message, cause);
		this.reason = reason;
		this.certificate = certificate;
	}

	FailureReason reason() {
		return this.reason;
	}

	@Nullable RefusedCertificate certificate() {
		return this.certificate;
	}

}
