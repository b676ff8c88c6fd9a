// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.certificate;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import org.jspecify.annotations.Nullable;

import org.springframework.core.io.ResourceLoader;

/**
 * A server's certificate and its private key, read from PEM files and checked: the key
 * belongs to the leaf certificate, and each certificate is followed by its issuer.
 *
 * @param locations the locations of the files
 * @param certificates the chain, the leaf certificate first
 * @param privateKey the private key of the leaf certificate
 */
public record KeyMaterial(Locations locations, List<X509Certificate> certificates, PrivateKey privateKey) {

	/**
	 * Return the checked content of the files.
	 * @param locations the locations of the files
	 * @param resourceLoader loads the files
	 * @return the certificate and its key
	 * @throws CertificateFileException if the files cannot be used
	 */
	public static KeyMaterial read(Locations locations, ResourceLoader resourceLoader) {
		return parse(locations, FileContent.read(locations.byProperty(), Map.of(), resourceLoader));
	}

	static KeyMaterial parse(Locations locations, Map<String, FileContent> files) {
		PemFile certificateFile = PemFile.of(locations.certificateFileProperty(), files);
		List<X509Certificate> certificates = new ArrayList<>(certificateFile.certificates());
		PemFile keyFile = (locations.certificateKeyFile() != null)
				? PemFile.of(locations.property("certificate-key-file"), files) : certificateFile;
		PrivateKey privateKey = PrivateKeys.read(keyFile, keyBlock(keyFile, locations), certificates.get(0),
				locations.certificateKeyPassword(), locations.property("certificate-key-password"));
		CertificateChain.requireStrongKey(certificates, certificateFile);
		PrivateKeys.requireSupported(privateKey, keyFile);
		CertificateChain.requirePair(certificates, privateKey, keyFile, certificateFile);
		CertificateChain.requireIssuers(certificates, 1, certificateFile);
		if (locations.certificateChainFile() != null) {
			PemFile chainFile = PemFile.of(locations.property("certificate-chain-file"), files);
			int first = certificates.size();
			certificates.addAll(chainFile.certificates());
			CertificateChain.requireIssuers(certificates, first, chainFile);
		}
		return new KeyMaterial(locations, List.copyOf(certificates), privateKey);
	}

	private static PemFile.Block keyBlock(PemFile file, Locations locations) {
		List<PemFile.Block> keys = file.privateKeys();
		if (keys.isEmpty()) {
			throw file.failure("it contains no private key, only " + file.labels(),
					"Set '%s' to the file with the private key".formatted(locations.property("certificate-key-file"))
							+ ((locations.certificateKeyFile() != null) ? ""
									: ", or add the key to the certificate file"));
		}
		if (keys.size() > 1) {
			throw file.failure("it contains more than one private key: " + file.labels(),
					"Leave only the key of the leaf certificate in the file");
		}
		return keys.get(0);
	}

	/**
	 * Return a location as messages show it.
	 * @param location a file path or a resource location
	 * @return the location, or {@code base64:...} if the location is itself the content
	 */
	public static String describe(String location) {
		boolean isContent = location.contains("-----BEGIN")
				|| location.regionMatches(true, 0, "base64:", 0, "base64:".length());
		return isContent ? "base64:..." : location;
	}

	List<CertificateFileException> validityProblems(Instant now) {
		List<CertificateFileException> problems = new ArrayList<>();
		for (X509Certificate certificate : this.certificates) {
			String name = CertificateChain.name(certificate);
			Instant notBefore = certificate.getNotBefore().toInstant();
			Instant notAfter = certificate.getNotAfter().toInstant();
			if (now.isAfter(notAfter)) {
				problems.add(this.locations.failure("the certificate '%s' expired on %s".formatted(name, notAfter),
						"Renew it: clients refuse it", null));
			}
			else if (now.isBefore(notBefore)) {
				problems.add(this.locations.failure(
						"the certificate '%s' is not valid before %s".formatted(name, notBefore),
						"Use one that is valid, or correct the clock of this machine. Until then, clients refuse it",
						null));
			}
		}
		return problems;
	}

	Optional<CertificateFileException> staplingProblem() {
		X509Certificate leaf = this.certificates.get(0);
		return CertificateChain.demandsStapling(leaf) ? Optional.of(this.locations.failure(
				"the certificate '%s' requires a stapled OCSP response (\"must-staple\", RFC 7633), which OpenSSL does not send: clients that enforce it refuse the connection"
					.formatted(CertificateChain.name(leaf)),
				"Get a certificate without it, or serve TLS with JSSE and set the system property 'jdk.tls.server.enableStatusRequestExtension' to 'true'",
				null)) : Optional.empty();
	}

	/**
	 * Return the algorithm of the key.
	 * @return {@code RSA}, {@code EC}, {@code EdDSA}, or another name of the Java
	 * Cryptography Architecture
	 */
	public String keyAlgorithm() {
		return this.privateKey.getAlgorithm();
	}

	/**
	 * Return the names of the certificates only, so that the private key is not shown.
	 */
	@Override
	public String toString() {
		return "KeyMaterial[certificates=%s]"
			.formatted(this.certificates.stream().map(CertificateChain::name).toList());
	}

	/**
	 * The locations of the files. Each is a file path or a resource location.
	 *
	 * @param prefix the beginning of the names of the properties, such as
	 * {@code server.ssl.}; if it does not end with a dot, the name of the one property
	 * that all files come from
	 * @param certificateFile the certificate, or the full chain, the leaf certificate
	 * first
	 * @param certificateKeyFile the private key; {@code null} if it is in the certificate
	 * file
	 * @param certificateKeyPassword the password of an encrypted key, or {@code null}
	 * @param certificateChainFile the intermediate certificates that are not in the
	 * certificate file, or {@code null}
	 */
	public record Locations(String prefix, String certificateFile, @Nullable String certificateKeyFile,
			@Nullable String certificateKeyPassword, @Nullable String certificateChainFile) {

		Map<String, String> byProperty() {
			Map<String, String> all = new LinkedHashMap<>();
			all.put(certificateFileProperty(), this.certificateFile);
			if (this.certificateKeyFile != null) {
				all.put(property("certificate-key-file"), this.certificateKeyFile);
			}
			if (this.certificateChainFile != null) {
				all.put(property("certificate-chain-file"), this.certificateChainFile);
			}
			return all;
		}

		/**
		 * Return the name of the property of the certificate file.
		 * @return the full name
		 */
		public String certificateFileProperty() {
			return property("certificate-file");
		}

		private String property(String name) {
			return this.prefix.endsWith(".") ? this.prefix + name : this.prefix;
		}

		/**
		 * Create an exception for a problem of the certificate.
		 * @param reason what is wrong, as a clause of a sentence
		 * @param action what to do about it, as a sentence without its full stop
		 * @param cause the underlying error, if there is one
		 * @return the exception
		 */
		public CertificateFileException failure(String reason, String action, @Nullable Throwable cause) {
			return new CertificateFileException(certificateFileProperty(), describe(this.certificateFile), reason,
					action, cause);
		}

		/**
		 * Return the locations only, so that the password is not shown.
		 */
		@Override
		public String toString() {
			return "Locations" + byProperty().values().stream().map(KeyMaterial::describe).toList();
		}

	}

}
