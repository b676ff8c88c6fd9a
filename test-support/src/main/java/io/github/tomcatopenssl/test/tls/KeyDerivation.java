// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test.tls;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

import static io.github.tomcatopenssl.test.tls.TlsBytes.concat;
import static io.github.tomcatopenssl.test.tls.TlsBytes.numbers;
import static io.github.tomcatopenssl.test.tls.TlsBytes.vector;

/**
 * HKDF of TLS 1.3 (RFC 8446, section 7.1) and the PRF of TLS 1.2 (RFC 5246, section 5),
 * both with SHA-256.
 */
public final class KeyDerivation {

	private KeyDerivation() {
	}

	public static byte[] hmac(byte[] key, byte[]... parts) {
		try {
			Mac mac = Mac.getInstance("HmacSHA256");
			mac.init(new SecretKeySpec(key, "HmacSHA256"));
			for (byte[] part : parts) {
				mac.update(part);
			}
			return mac.doFinal();
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	// All that TLS 1.3 asks for here is no longer than one hash
	public static byte[] expand(byte[] secret, String label, byte[] context, int length) {
		byte[] name = ("tls13 " + label).getBytes(StandardCharsets.US_ASCII);
		byte[] info = concat(numbers(length), vector(1, name), vector(1, context));
		return Arrays.copyOf(hmac(secret, info, new byte[] { 1 }), length);
	}

	public static byte[] prf(byte[] secret, String label, byte[] seed, int length) {
		byte[] labelled = concat(label.getBytes(StandardCharsets.US_ASCII), seed);
		byte[] chained = labelled;
		byte[] output = new byte[0];
		while (output.length < length) {
			chained = hmac(secret, chained);
			output = concat(output, hmac(secret, chained, labelled));
		}
		return Arrays.copyOf(output, length);
	}

}
