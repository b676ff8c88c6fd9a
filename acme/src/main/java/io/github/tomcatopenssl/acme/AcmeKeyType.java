// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.AlgorithmParameterSpec;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.RSAKeyGenParameterSpec;
import java.util.Locale;

/**
 * The type of a key.
 */
enum AcmeKeyType {

	/**
	 * ECDSA with P-256.
	 */
	EC(new ECGenParameterSpec("secp256r1")),

	/**
	 * RSA with 2048 bits.
	 */
	RSA(new RSAKeyGenParameterSpec(2048, RSAKeyGenParameterSpec.F4));

	private final AlgorithmParameterSpec parameters;

	AcmeKeyType(AlgorithmParameterSpec parameters) {
		this.parameters = parameters;
	}

	KeyPair createKey() {
		try {
			KeyPairGenerator generator = KeyPairGenerator.getInstance(name());
			generator.initialize(this.parameters);
			return generator.generateKeyPair();
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException("Unable to create a key", ex);
		}
	}

	/**
	 * Return the name as it appears in the names of files.
	 */
	@Override
	public String toString() {
		return name().toLowerCase(Locale.ROOT);
	}

}
