// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl;

import java.util.Locale;

/**
 * The signature algorithms of handshakes and certificates, from the TLS registry of
 * signature schemes (iana.org/assignments/tls-parameters). Those with SHA-1 and SHA-224
 * are left out, because no policy allows them.
 */
public enum SignatureScheme {

	/**
	 * ECDSA with SHA-256, in TLS 1.3 only with P-256.
	 */
	ECDSA_SECP256R1_SHA256(0x0403),

	/**
	 * ECDSA with SHA-384, in TLS 1.3 only with P-384.
	 */
	ECDSA_SECP384R1_SHA384(0x0503),

	/**
	 * ECDSA with SHA-512, in TLS 1.3 only with P-521.
	 */
	ECDSA_SECP521R1_SHA512(0x0603),

	/**
	 * Ed25519 (RFC 8032).
	 */
	ED25519(0x0807),

	/**
	 * Ed448 (RFC 8032).
	 */
	ED448(0x0808),

	/**
	 * RSASSA-PSS with SHA-256 and an RSA key.
	 */
	RSA_PSS_RSAE_SHA256(0x0804),

	/**
	 * RSASSA-PSS with SHA-384 and an RSA key.
	 */
	RSA_PSS_RSAE_SHA384(0x0805),

	/**
	 * RSASSA-PSS with SHA-512 and an RSA key.
	 */
	RSA_PSS_RSAE_SHA512(0x0806),

	/**
	 * RSASSA-PSS with SHA-256 and a key for RSASSA-PSS only.
	 */
	RSA_PSS_PSS_SHA256(0x0809),

	/**
	 * RSASSA-PSS with SHA-384 and a key for RSASSA-PSS only.
	 */
	RSA_PSS_PSS_SHA384(0x080A),

	/**
	 * RSASSA-PSS with SHA-512 and a key for RSASSA-PSS only.
	 */
	RSA_PSS_PSS_SHA512(0x080B),

	/**
	 * RSASSA-PKCS1-v1_5 with SHA-256, in handshakes up to TLS 1.2.
	 */
	RSA_PKCS1_SHA256(0x0401),

	/**
	 * RSASSA-PKCS1-v1_5 with SHA-384, in handshakes up to TLS 1.2.
	 */
	RSA_PKCS1_SHA384(0x0501),

	/**
	 * RSASSA-PKCS1-v1_5 with SHA-512, in handshakes up to TLS 1.2.
	 */
	RSA_PKCS1_SHA512(0x0601),

	/**
	 * ML-DSA-44 (FIPS 204), from TLS 1.3 on.
	 */
	MLDSA44(0x0904),

	/**
	 * ML-DSA-65 (FIPS 204), from TLS 1.3 on.
	 */
	MLDSA65(0x0905),

	/**
	 * ML-DSA-87 (FIPS 204), from TLS 1.3 on.
	 */
	MLDSA87(0x0906);

	private final int id;

	SignatureScheme(int id) {
		this.id = id;
	}

	/**
	 * Return the number of the scheme in the TLS registry.
	 * @return the number
	 */
	public int id() {
		return this.id;
	}

	/**
	 * Return the name of the scheme in the TLS registry.
	 * @return the name
	 */
	@Override
	public String toString() {
		return name().toLowerCase(Locale.ROOT);
	}

}
