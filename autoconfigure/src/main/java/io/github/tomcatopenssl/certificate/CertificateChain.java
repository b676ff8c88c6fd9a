/*
 * Copyright 2026-present the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.github.tomcatopenssl.certificate;

import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/**
 * Checks of a certificate chain, the leaf certificate first.
 */
final class CertificateChain {

	private CertificateChain() {
	}

	/**
	 * Require that the private key belongs to the leaf certificate.
	 * @param chain the chain
	 * @param privateKey the private key
	 * @param keyFile the file of the key
	 * @param certificateFile the file of the chain
	 * @throws CertificateFileException if it does not
	 */
	static void requirePair(List<X509Certificate> chain, PrivateKey privateKey, PemFile keyFile,
			PemFile certificateFile) {
		X509Certificate leaf = chain.get(0);
		if (PrivateKeys.matches(privateKey, leaf.getPublicKey())) {
			return;
		}
		for (int i = 1; i < chain.size(); i++) {
			if (PrivateKeys.matches(privateKey, chain.get(i).getPublicKey())) {
				throw certificateFile.failure(
						"the private key belongs to its certificate %d ('%s'), not to the first".formatted(i + 1,
								name(chain.get(i))),
						"Put the leaf certificate first, and behind it each certificate's issuer");
			}
		}
		throw keyFile.failure("the private key does not belong to the certificate '%s' in '%s'".formatted(name(leaf),
				certificateFile.location()), "Use the private key that the certificate was issued for");
	}

	/**
	 * Require that each certificate is followed by its issuer.
	 * @param chain the chain
	 * @param first the index of the first certificate that comes from the file and is
	 * behind another
	 * @param file the file
	 * @throws CertificateFileException if one is not
	 */
	static void requireIssuers(List<X509Certificate> chain, int first, PemFile file) {
		for (int i = first; i < chain.size(); i++) {
			X509Certificate certificate = chain.get(i - 1);
			if (!isIssuedBy(certificate, chain.get(i))) {
				throw file.failure(
						"the chain does not lead from the leaf: '%s' is not followed by its issuer '%s', but by '%s'"
							.formatted(name(certificate), certificate.getIssuerX500Principal().getName(),
									name(chain.get(i))),
						"Put the leaf certificate first, behind it each certificate's issuer, and nothing else");
			}
		}
	}

	private static boolean isIssuedBy(X509Certificate certificate, X509Certificate issuer) {
		if (!certificate.getIssuerX500Principal().equals(issuer.getSubjectX500Principal())) {
			return false;
		}
		try {
			certificate.verify(issuer.getPublicKey());
			return true;
		}
		catch (GeneralSecurityException ex) {
			return false;
		}
	}

	/**
	 * Return what is wrong with the validity periods.
	 * @param chain the chain
	 * @param now the time to check for
	 * @return a clause for each certificate that is expired or not yet valid
	 */
	static List<String> validityProblems(List<X509Certificate> chain, Instant now) {
		List<String> problems = new ArrayList<>();
		for (X509Certificate certificate : chain) {
			if (now.isAfter(certificate.getNotAfter().toInstant())) {
				problems.add("the certificate '%s' expired on %s".formatted(name(certificate),
						certificate.getNotAfter().toInstant()));
			}
			else if (now.isBefore(certificate.getNotBefore().toInstant())) {
				problems.add("the certificate '%s' is not valid before %s".formatted(name(certificate),
						certificate.getNotBefore().toInstant()));
			}
		}
		return problems;
	}

	static String name(X509Certificate certificate) {
		return certificate.getSubjectX500Principal().getName();
	}

}
