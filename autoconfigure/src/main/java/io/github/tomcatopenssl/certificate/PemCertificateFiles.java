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

import org.jspecify.annotations.Nullable;

import org.springframework.core.io.ResourceLoader;

/**
 * A server's certificate, its private key and the trust anchors for its clients, read
 * from PEM files and checked: the key belongs to the leaf certificate, and the chain
 * leads from there.
 *
 * @param certificates the chain, the leaf certificate first
 * @param privateKey the private key of the leaf certificate
 * @param caCertificates the trust anchors, empty when there is no file of them
 */
public record PemCertificateFiles(List<X509Certificate> certificates, PrivateKey privateKey,
		List<X509Certificate> caCertificates) {

	/**
	 * Prefix of the properties that name the files.
	 */
	public static final String PREFIX = "server.ssl.";

	private static final String CERTIFICATE_FILE = PREFIX + "certificate-file";

	private static final String CERTIFICATE_KEY_FILE = PREFIX + "certificate-key-file";

	private static final String CERTIFICATE_CHAIN_FILE = PREFIX + "certificate-chain-file";

	private static final String CA_CERTIFICATE_FILE = PREFIX + "ca-certificate-file";

	/**
	 * Create a new instance with unmodifiable copies of the lists.
	 */
	public PemCertificateFiles {
		certificates = List.copyOf(certificates);
		caCertificates = List.copyOf(caCertificates);
	}

	/**
	 * Read and check the files.
	 * @param locations the files
	 * @param resourceLoader loads the files
	 * @return the certificates and the key
	 * @throws CertificateFileException if a file or their combination cannot be used
	 */
	public static PemCertificateFiles load(Locations locations, ResourceLoader resourceLoader) {
		PemFile certificateFile = PemFile.read(CERTIFICATE_FILE, locations.certificateFile(), resourceLoader);
		List<X509Certificate> certificates = new ArrayList<>(certificateFile.certificates());
		PemFile keyFile = (locations.certificateKeyFile() != null)
				? PemFile.read(CERTIFICATE_KEY_FILE, locations.certificateKeyFile(), resourceLoader) : certificateFile;
		PemBlock keyBlock = keyBlock(keyFile, locations.certificateKeyFile() != null);
		PrivateKey privateKey = PrivateKeys.read(keyFile, keyBlock, locations.certificateKeyPassword());
		checkPair(certificates, privateKey, keyFile, certificateFile);
		checkChain(certificates, 1, certificateFile);
		if (locations.certificateChainFile() != null) {
			PemFile chainFile = PemFile.read(CERTIFICATE_CHAIN_FILE, locations.certificateChainFile(), resourceLoader);
			int first = certificates.size();
			certificates.addAll(chainFile.certificates());
			checkChain(certificates, first, chainFile);
		}
		List<X509Certificate> caCertificates = (locations.caCertificateFile() != null)
				? PemFile.read(CA_CERTIFICATE_FILE, locations.caCertificateFile(), resourceLoader).certificates()
				: List.of();
		return new PemCertificateFiles(certificates, privateKey, caCertificates);
	}

	private static PemBlock keyBlock(PemFile file, boolean isKeyFile) {
		List<PemBlock> keys = file.privateKeys();
		if (keys.isEmpty()) {
			throw file.failure("it contains no private key, but " + file.labels(),
					isKeyFile ? "Set '%s' to the file with the private key".formatted(CERTIFICATE_KEY_FILE)
							: "Set '%s' to the file with the private key, or add the key to the certificate file"
								.formatted(CERTIFICATE_KEY_FILE));
		}
		if (keys.size() > 1) {
			throw file.failure("it contains more than one private key: " + file.labels(),
					"Leave only the key of the leaf certificate in the file");
		}
		return keys.get(0);
	}

	private static void checkPair(List<X509Certificate> certificates, PrivateKey privateKey, PemFile keyFile,
			PemFile certificateFile) {
		X509Certificate leaf = certificates.get(0);
		if (PrivateKeys.matches(privateKey, leaf.getPublicKey())) {
			return;
		}
		for (int i = 1; i < certificates.size(); i++) {
			if (PrivateKeys.matches(privateKey, certificates.get(i).getPublicKey())) {
				throw certificateFile.failure(
						"the private key belongs to its certificate %d ('%s'), not to the first".formatted(i + 1,
								name(certificates.get(i))),
						"Put the leaf certificate first, and behind it each certificate's issuer");
			}
		}
		throw keyFile.failure("the private key does not belong to the certificate '%s' in '%s'".formatted(name(leaf),
				certificateFile.location()), "Use the private key that the certificate was issued for");
	}

	private static void checkChain(List<X509Certificate> certificates, int first, PemFile file) {
		for (int i = first; i < certificates.size(); i++) {
			X509Certificate certificate = certificates.get(i - 1);
			if (!isIssuedBy(certificate, certificates.get(i))) {
				throw file.failure(
						"the chain does not lead from the leaf: '%s' is not followed by its issuer '%s', but by '%s'"
							.formatted(name(certificate), certificate.getIssuerX500Principal().getName(),
									name(certificates.get(i))),
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
	 * Describe a location for a message.
	 * @param location a file path or a resource location
	 * @return the location, or dots where it is content itself
	 */
	public static String describe(String location) {
		return PemFile.isContent(location) ? "base64:..." : location;
	}

	/**
	 * Return what is wrong with the validity periods of the chain.
	 * @param now the time to check for
	 * @return a clause for each certificate that is expired or not yet valid
	 */
	public List<String> validityProblems(Instant now) {
		List<String> problems = new ArrayList<>();
		for (X509Certificate certificate : this.certificates) {
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

	private static String name(X509Certificate certificate) {
		return certificate.getSubjectX500Principal().getName();
	}

	/**
	 * Does not show the private key.
	 */
	@Override
	public String toString() {
		return "PemCertificateFiles[certificates=%s, caCertificates=%d]"
			.formatted(this.certificates.stream().map(PemCertificateFiles::name).toList(), this.caCertificates.size());
	}

	/**
	 * Where the files are. Each is a file path or a resource location.
	 *
	 * @param certificateFile the certificate, or the full chain, the leaf first
	 * @param certificateKeyFile the private key; {@code null} when it stands in the
	 * certificate file
	 * @param certificateKeyPassword the password of an encrypted key, or {@code null}
	 * @param certificateChainFile the intermediate certificates that are not in the
	 * certificate file, or {@code null}
	 * @param caCertificateFile the CAs that client certificates are verified against, or
	 * {@code null}
	 */
	public record Locations(String certificateFile, @Nullable String certificateKeyFile,
			@Nullable String certificateKeyPassword, @Nullable String certificateChainFile,
			@Nullable String caCertificateFile) {

		/**
		 * Does not show the password.
		 */
		@Override
		public String toString() {
			return "Locations[certificateFile=%s, certificateKeyFile=%s, certificateChainFile=%s, caCertificateFile=%s]"
				.formatted(shown(this.certificateFile), shown(this.certificateKeyFile),
						shown(this.certificateChainFile), shown(this.caCertificateFile));
		}

		private static @Nullable String shown(@Nullable String location) {
			return (location != null && PemFile.isContent(location)) ? "..." : location;
		}

	}

}
