// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Base64;

/**
 * Writes the blocks of PEM files (RFC 7468).
 */
public final class PemBlocks {

	private static final Base64.Encoder BASE64 = Base64.getMimeEncoder(64, new byte[] { '\n' });

	private PemBlocks() {
	}

	/**
	 * Return the block of a certificate.
	 * @param certificate the certificate
	 * @return the block, with a line break at its end
	 */
	public static String of(X509Certificate certificate) {
		try {
			return of("CERTIFICATE", certificate.getEncoded());
		}
		catch (CertificateEncodingException ex) {
			throw new IllegalArgumentException("The certificate cannot be encoded", ex);
		}
	}

	/**
	 * Return the block of a private key, which is not encrypted.
	 * @param key the key
	 * @return the block, with a line break at its end
	 */
	public static String of(PrivateKey key) {
		return new String(bytes(key), StandardCharsets.US_ASCII);
	}

	/**
	 * Return the block of a private key, which is not encrypted. Nothing else has a copy.
	 * @param key the key
	 * @return the bytes of the block, which the caller can erase
	 */
	static byte[] bytes(PrivateKey key) {
		byte[] der = key.getEncoded();
		byte[] base64 = BASE64.encode(der);
		try {
			return block("PRIVATE KEY", base64);
		}
		finally {
			Arrays.fill(der, (byte) 0);
			Arrays.fill(base64, (byte) 0);
		}
	}

	/**
	 * Return the block of a public key.
	 * @param key the key
	 * @return the block, with a line break at its end
	 */
	public static String of(PublicKey key) {
		return of("PUBLIC KEY", key.getEncoded());
	}

	private static String of(String label, byte[] der) {
		return of(label, BASE64.encodeToString(der));
	}

	/**
	 * Return a block.
	 * @param label the text after {@code BEGIN}
	 * @param base64 the lines between {@code BEGIN} and {@code END}
	 * @return the block, with a line break at its end
	 */
	public static String of(String label, String base64) {
		return new String(block(label, base64.getBytes(StandardCharsets.US_ASCII)), StandardCharsets.US_ASCII);
	}

	private static byte[] block(String label, byte[] base64) {
		byte[] begin = "-----BEGIN %s-----\n".formatted(label).getBytes(StandardCharsets.US_ASCII);
		byte[] end = "\n-----END %s-----\n".formatted(label).getBytes(StandardCharsets.US_ASCII);
		return ByteBuffer.allocate(begin.length + base64.length + end.length).put(begin).put(base64).put(end).array();
	}

}
