// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test.tls;

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;

import javax.crypto.KeyAgreement;

import static io.github.tomcatopenssl.test.tls.TlsBytes.concat;
import static io.github.tomcatopenssl.test.tls.TlsBytes.hex;

/**
 * X25519 with the same key for all connections, which makes thousands of them cheap.
 */
public final class KeyExchange {

	public static final int X25519 = 0x001d;

	private static final byte[] PREFIX = hex("302a300506032b656e032100");

	private static final KeyPair KEYS = generate();

	private KeyExchange() {
	}

	public static byte[] publicKey() {
		byte[] encoded = KEYS.getPublic().getEncoded();
		return Arrays.copyOfRange(encoded, PREFIX.length, encoded.length);
	}

	public static byte[] agree(byte[] peer) {
		try {
			KeyAgreement agreement = KeyAgreement.getInstance("X25519");
			agreement.init(KEYS.getPrivate());
			agreement.doPhase(
					KeyFactory.getInstance("X25519").generatePublic(new X509EncodedKeySpec(concat(PREFIX, peer))),
					true);
			return agreement.generateSecret();
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static KeyPair generate() {
		try {
			return KeyPairGenerator.getInstance("X25519").generateKeyPair();
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
