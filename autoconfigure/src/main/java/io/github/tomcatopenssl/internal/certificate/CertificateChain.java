// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

import java.security.GeneralSecurityException;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.security.interfaces.RSAKey;
import java.util.List;
import java.util.Set;

import io.github.tomcatopenssl.internal.host.HostNames;
import io.github.tomcatopenssl.internal.pem.PemFile;
import io.github.tomcatopenssl.internal.pem.PrivateKeys;

/**
 * Checks a certificate chain, which begins with the leaf certificate.
 */
public final class CertificateChain {

	/**
	 * The minimum of OpenSSL's security level 2 and of the CA/Browser Forum's baseline
	 * requirements.
	 */
	private static final int MINIMUM_RSA_BITS = 2048;

	private static final String TLS_FEATURE = "1.3.6.1.5.5.7.1.24";

	// status_request and status_request_v2 in the TLS registry of extensions
	private static final Set<Byte> STATUS_REQUESTS = Set.of((byte) 5, (byte) 17);

	private CertificateChain() {
	}

	static void requireStrongKey(List<X509Certificate> chain, PemFile file) {
		if (chain.get(0).getPublicKey() instanceof RSAKey key && key.getModulus().bitLength() < MINIMUM_RSA_BITS) {
			throw file.failure(
					"the RSA key of the certificate '%s' has %d bits, but the minimum is %d"
						.formatted(name(chain.get(0)), key.getModulus().bitLength(), MINIMUM_RSA_BITS),
					"Use a certificate with an RSA key of at least %d bits, or with an EC key on the curve P-256"
						.formatted(MINIMUM_RSA_BITS));
		}
	}

	static void requirePair(List<X509Certificate> chain, PrivateKey privateKey, PemFile keyFile,
			PemFile certificateFile) {
		X509Certificate leaf = chain.get(0);
		if (PrivateKeys.matches(privateKey, leaf.getPublicKey())) {
			return;
		}
		PrivateKeys.requireSupported(privateKey, keyFile);
		for (int i = 1; i < chain.size(); i++) {
			if (PrivateKeys.matches(privateKey, chain.get(i).getPublicKey())) {
				throw certificateFile.failure(
						"the private key belongs to its certificate %d ('%s'), not to the first".formatted(i + 1,
								name(chain.get(i))),
						"Put the leaf certificate first, and each certificate's issuer directly after it");
			}
		}
		throw keyFile.failure("the private key does not belong to the certificate '%s' in '%s'".formatted(name(leaf),
				certificateFile.location()), "Use the private key that the certificate was issued for");
	}

	static void requireIssuers(List<X509Certificate> chain, int first, PemFile file) {
		for (int i = first; i < chain.size(); i++) {
			X509Certificate certificate = chain.get(i - 1);
			if (!isIssuedBy(certificate, chain.get(i))) {
				throw file.failure(
						"the certificates do not form a chain: '%s' is not followed by its issuer '%s', but by '%s'"
							.formatted(name(certificate), certificate.getIssuerX500Principal().getName(),
									name(chain.get(i))),
						"Put the leaf certificate first, each certificate's issuer directly after it, and nothing else");
			}
		}
	}

	private static boolean isIssuedBy(X509Certificate certificate, X509Certificate issuer) {
		if (!certificate.getIssuerX500Principal().equals(issuer.getSubjectX500Principal())) {
			return false;
		}
		return !isForged(() -> certificate.verify(issuer.getPublicKey()));
	}

	// False if Java cannot tell, as it may not know the algorithm or the curve
	static boolean isForged(Verification verification) {
		try {
			verification.verify();
			return false;
		}
		catch (GeneralSecurityException ex) {
			return !(ex instanceof NoSuchAlgorithmException)
					&& !String.valueOf(ex.getMessage()).startsWith("Curve not supported");
		}
	}

	/**
	 * Return whether clients expect a stapled OCSP response with a certificate
	 * ("must-staple").
	 * @param leaf the certificate
	 * @return whether it has the TLS feature {@code status_request} or
	 * {@code status_request_v2} (RFC 7633)
	 */
	static boolean demandsStapling(X509Certificate leaf) {
		byte[] extension = leaf.getExtensionValue(TLS_FEATURE);
		// An octet string with a sequence of integers. Every length takes one byte
		for (int i = 4; extension != null && i + 2 < extension.length; i += 2 + extension[i + 1]) {
			if (extension[i + 1] < 1) {
				return false;
			}
			if (extension[i + 1] == 1 && STATUS_REQUESTS.contains(extension[i + 2])) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Return the name of a certificate for messages and metrics.
	 * @param certificate the certificate
	 * @return its subject or, since some CAs leave that empty, its alternative names in
	 * alphabetical order
	 */
	public static String name(X509Certificate certificate) {
		return HostNames.describe(certificate);
	}

	/**
	 * Verifies a signature.
	 */
	interface Verification {

		void verify() throws GeneralSecurityException;

	}

}
