// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.host.HostNames;
import io.github.tomcatopenssl.internal.pem.PemFile;
import io.github.tomcatopenssl.internal.pem.PrivateKeys;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.io.ApplicationResourceLoader;

/**
 * A server's certificate and its private key, read from PEM files and checked: the key
 * belongs to the leaf certificate, and each certificate is followed by its issuer.
 *
 * @param files the files
 * @param certificates the chain, the leaf certificate first
 * @param inCertificateFile how many of them are in the certificate file
 * @param numbers the number of each of them in its file
 * @param duplicates the problems of those that are in the files again, and left out
 * @param privateKey the private key of the leaf certificate
 */
record KeyMaterial(CertificateFiles files, List<X509Certificate> certificates, int inCertificateFile,
		List<Integer> numbers, List<TlsSettingException> duplicates, PrivateKey privateKey) {

	/**
	 * Return the checked content of the files.
	 * @param files the files
	 * @return the certificate and its key
	 * @throws TlsSettingException if the files cannot be used
	 */
	static KeyMaterial read(CertificateFiles files) {
		return parse(files,
				FileContent.read(files.files(), Map.of(), ApplicationResourceLoader.get(), System.nanoTime()));
	}

	static KeyMaterial parse(CertificateFiles files, Map<String, FileContent> contents) {
		PemFile certificateFile = FileContent.pemFile(files.certificateFileProperty(), contents);
		return parse(files, certificateFile,
				(files.certificateKeyFile() != null) ? FileContent.pemFile(files.keyProperty(), contents)
						: certificateFile,
				(files.certificateChainFile() != null)
						? FileContent.pemFile(files.property("certificate-chain-file"), contents) : null,
				false);
	}

	/**
	 * Return the content of files.
	 * @param files the names of the files
	 * @param certificateFile the certificate file
	 * @param keyFile the file with the key, which may be the same
	 * @param chainFile the file with the intermediate certificates, or {@code null}
	 * @param later whether signatures are verified later, which takes most of the time
	 * @return the certificate and its key
	 * @throws TlsSettingException if the files cannot be used
	 */
	static KeyMaterial parse(CertificateFiles files, PemFile certificateFile, PemFile keyFile,
			@Nullable PemFile chainFile, boolean later) {
		DistinctChain chain = new DistinctChain();
		chain.add(certificateFile.certificates(), certificateFile);
		List<X509Certificate> certificates = chain.certificates();
		List<X509Certificate> issuers = (chainFile != null) ? chainFile.certificates() : List.of();
		PemFile.Block keyBlock = keyFile.privateKey(files.property("certificate-key-file"));
		requireUsed(certificateFile, keyFile, chainFile);
		PrivateKey privateKey = PrivateKeys.read(keyFile, keyBlock, files.certificateKeyPassword(),
				files.property("certificate-key-password"));
		CertificateChain.requireStrongKey(certificates, certificateFile);
		if (!PrivateKeys.claimsToMatch(privateKey, certificates.get(0).getPublicKey())) {
			CertificateChain.requirePair(certificates, privateKey, keyFile, certificateFile);
		}
		if (!later) {
			CertificateChain.requireIssuers(certificates, 1, certificateFile);
		}
		int inCertificateFile = certificates.size();
		if (chainFile != null) {
			chain.add(issuers, chainFile);
			certificates = chain.certificates();
			CertificateChain.requireIssuers(certificates, inCertificateFile, chainFile);
		}
		return new KeyMaterial(files, certificates, inCertificateFile, chain.numbers(), chain.duplicates(), privateKey);
	}

	// The key may be in both files, and so may certificates of the chain
	private static void requireUsed(PemFile certificateFile, PemFile keyFile, @Nullable PemFile chainFile) {
		boolean one = certificateFile == keyFile;
		certificateFile.requireUsed(one ? "a certificate or its private key" : "a certificate",
				(block) -> block.isCertificate() || block.isPrivateKey() && keyFile.contains(block)
						|| certificateFile.isUsedCurve(block));
		if (!one) {
			keyFile.requireUsed("the private key of the certificate",
					(block) -> block.isPrivateKey() || keyFile.isUsedCurve(block) || block.isCertificate()
							&& (certificateFile.contains(block) || chainFile != null && chainFile.contains(block)));
		}
		if (chainFile != null) {
			chainFile.requireUsed("a certificate", PemFile.Block::isCertificate);
		}
	}

	/**
	 * Return the origin of a certificate of the chain.
	 * @param certificate the certificate
	 * @return its number, file and property, or {@code null} if it is not in the chain
	 */
	@Nullable String origin(X509Certificate certificate) {
		int index = this.certificates.indexOf(certificate);
		if (index < 0) {
			return null;
		}
		boolean separate = index >= this.inCertificateFile;
		return "number %d in '%s' of '%s'".formatted(this.numbers.get(index),
				TlsSettingException.describe(
						separate ? String.valueOf(this.files.certificateChainFile()) : this.files.certificateFile()),
				separate ? this.files.property("certificate-chain-file") : this.files.certificateFileProperty());
	}

	X509Certificate leaf() {
		return this.certificates.get(0);
	}

	/**
	 * Return the reason why all clients refuse the certificate at this time.
	 * @param now the current time
	 * @return the problem of the leaf, if there is one
	 */
	Optional<TlsSettingException> leafProblem(Instant now) {
		return validityProblem("the certificate '%s'".formatted(CertificateChain.name(leaf())), leaf(), now,
				"Renew it, because clients refuse it");
	}

	/**
	 * Return the reasons why some clients may refuse the chain at this time. Others may
	 * know another path from the leaf to a CA that they trust.
	 * @param now the current time
	 * @return the problems of the CAs in the chain
	 */
	List<TlsSettingException> chainProblems(Instant now) {
		return this.certificates.stream()
			.skip(1)
			.flatMap((certificate) -> validityProblem(
					"the certificate '%s' of the chain".formatted(CertificateChain.name(certificate)), certificate, now,
					"Remove it from the file, or replace it with the CA's current one: clients that need it refuse the chain")
				.stream())
			.toList();
	}

	private Optional<TlsSettingException> validityProblem(String subject, X509Certificate certificate, Instant now,
			String actionIfExpired) {
		Instant notBefore = certificate.getNotBefore().toInstant();
		Instant notAfter = certificate.getNotAfter().toInstant();
		if (now.isAfter(notAfter)) {
			return Optional.of(this.files.failure("%s expired on %s".formatted(subject, notAfter), actionIfExpired));
		}
		return now.isBefore(notBefore)
				? Optional.of(this.files.failure("%s is not valid before %s".formatted(subject, notBefore),
						"Use one that is valid, or correct the clock of this machine. Until then, clients refuse it"))
				: Optional.empty();
	}

	/**
	 * Return the reason why clients that ask for a host refuse the certificate.
	 * @param serverName the host name that they ask for, or a wildcard for several
	 * @return the problem, if the certificate is not for this name
	 */
	Optional<TlsSettingException> nameProblem(String serverName) {
		List<String> names = HostNames.alternativeNames(leaf(), HostNames.DNS_NAME).toList();
		if (HostNames.of(names).contains(serverName)) {
			return Optional.empty();
		}
		String reason = "the certificate '%s' is not for '%s': ".formatted(CertificateChain.name(leaf()), serverName)
				+ (names.isEmpty() ? "it has no host names"
						: "its host names are '" + String.join("', '", names) + "'");
		return Optional
			.of(new TlsSettingException(this.files.property("server-name"), this.files.certificateFile(), reason,
					"Correct '%s', or use a certificate for this name: clients that ask for it refuse the current one"
						.formatted(this.files.property("server-name")),
					null));
	}

	Optional<TlsSettingException> staplingProblem() {
		return CertificateChain.demandsStapling(leaf()) ? Optional.of(this.files.failure(
				"the certificate '%s' requires a stapled OCSP response (\"must-staple\", RFC 7633), which OpenSSL does not send: clients that enforce it refuse the connection"
					.formatted(CertificateChain.name(leaf())),
				"Get a certificate without it, or serve TLS with JSSE and set the system property 'jdk.tls.server.enableStatusRequestExtension' to 'true'"))
				: Optional.empty();
	}

	/**
	 * Return the algorithm of the key.
	 * @return {@code RSA}, {@code EC}, {@code EdDSA}, or another name of the Java
	 * Cryptography Architecture
	 */
	String keyAlgorithm() {
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

}
