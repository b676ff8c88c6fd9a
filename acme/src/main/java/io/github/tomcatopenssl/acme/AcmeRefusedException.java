// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

/**
 * The CA does not issue the certificate.
 */
final class AcmeRefusedException extends RuntimeException {

	private final String action;

	AcmeRefusedException(String reason, String action) {
		super(reason);
		this.action = action;
	}

	String action() {
		return this.action;
	}

}
