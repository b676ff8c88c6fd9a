// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.certificate;

import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
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
		return of("PRIVATE KEY", key.getEncoded());
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

	static String of(String label, String base64) {
		return "-----BEGIN %1$s-----\n%2$s\n-----END %1$s-----\n".formatted(label, base64);
	}

}
