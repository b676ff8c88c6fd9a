// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

/**
 * The type of a key.
 */
enum AcmeKeyType {

	/**
	 * ECDSA with P-256.
	 */
	EC,

	/**
	 * RSA with 2048 bits.
	 */
	RSA

}
