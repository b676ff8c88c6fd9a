// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.security.PublicKey;
import java.security.interfaces.ECKey;
import java.security.interfaces.EdECKey;
import java.security.interfaces.RSAKey;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.tomcatopenssl.SignatureScheme;

/**
 * The types of keys, by what they can sign.
 */
public enum KeyType {

	/**
	 * RSA.
	 */
	RSA(SignatureScheme.RSA_PSS_RSAE_SHA256, SignatureScheme.RSA_PSS_RSAE_SHA384, SignatureScheme.RSA_PSS_RSAE_SHA512,
			SignatureScheme.RSA_PKCS1_SHA256, SignatureScheme.RSA_PKCS1_SHA384, SignatureScheme.RSA_PKCS1_SHA512),

	/**
	 * RSA, for RSASSA-PSS only.
	 */
	RSA_PSS(SignatureScheme.RSA_PSS_PSS_SHA256, SignatureScheme.RSA_PSS_PSS_SHA384, SignatureScheme.RSA_PSS_PSS_SHA512),

	/**
	 * An elliptic curve, for ECDSA.
	 */
	EC(SignatureScheme.ECDSA_SECP256R1_SHA256, SignatureScheme.ECDSA_SECP384R1_SHA384,
			SignatureScheme.ECDSA_SECP521R1_SHA512),

	/**
	 * Ed25519.
	 */
	ED25519(SignatureScheme.ED25519),

	/**
	 * Ed448.
	 */
	ED448(SignatureScheme.ED448),

	/**
	 * ML-DSA-44.
	 */
	ML_DSA_44(SignatureScheme.MLDSA44),

	/**
	 * ML-DSA-65.
	 */
	ML_DSA_65(SignatureScheme.MLDSA65),

	/**
	 * ML-DSA-87.
	 */
	ML_DSA_87(SignatureScheme.MLDSA87),

	/**
	 * Any other key.
	 */
	OTHER;

	private static final String RSASSA_PSS = "RSASSA-PSS";

	// The start of an encoded ML-DSA key (RFC 9881, 2). Java before 24 does not
	// know these keys, and adds parameters
	private static final Pattern ML_DSA = Pattern.compile("3082.{4}30.{2}06096086480165030403(1[1-3])");

	private static final int ML_DSA_LENGTH = 17;

	/**
	 * By the last byte of the object identifier.
	 */
	private static final Map<String, KeyType> ML_DSA_TYPES = Map.of("11", ML_DSA_44, "12", ML_DSA_65, "13", ML_DSA_87);

	private final Set<SignatureScheme> schemes;

	KeyType(SignatureScheme... schemes) {
		this.schemes = Set.of(schemes);
	}

	/**
	 * Return the type of a key.
	 * @param key the key
	 * @return its type
	 */
	public static KeyType of(PublicKey key) {
		if (key instanceof ECKey) {
			return EC;
		}
		if (key instanceof RSAKey) {
			return key.getAlgorithm().equals(RSASSA_PSS) ? RSA_PSS : RSA;
		}
		if (key instanceof EdECKey edwards) {
			return edwards.getParams().getName().equalsIgnoreCase(ED25519.name()) ? ED25519 : ED448;
		}
		byte[] encoded = key.getEncoded();
		Matcher start = ML_DSA
			.matcher((encoded != null) ? HexFormat.of().formatHex(Arrays.copyOf(encoded, ML_DSA_LENGTH)) : "");
		return start.matches() ? Objects.requireNonNull(ML_DSA_TYPES.get(start.group(1))) : OTHER;
	}

	/**
	 * Return the algorithms with which a key can sign a handshake.
	 * @return the algorithms; up to TLS 1.2, a curve fits all of those for ECDSA
	 */
	public Set<SignatureScheme> schemes() {
		return this.schemes;
	}

	/**
	 * Return whether keys of this type are for TLS 1.3 only.
	 * @return whether it is ML-DSA
	 */
	public boolean isMlDsa() {
		return name().startsWith("ML_DSA");
	}

}
