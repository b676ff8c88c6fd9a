// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.certificate;

import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The CAs and revocation lists that client certificates are verified against, read from
 * PEM files and checked.
 *
 * @param caCertificates the trust anchors, empty if there is no file
 * @param revocationLists the certificate revocation lists, empty if there is no file
 */
public record TrustMaterial(List<X509Certificate> caCertificates, List<X509CRL> revocationLists) {

	static TrustMaterial parse(Locations locations, Map<String, FileContent> files) {
		List<X509Certificate> caCertificates = (locations.caCertificateFile() != null)
				? PemFile.of(locations.caCertificateProperty(), files).certificates() : List.of();
		if (locations.certificateRevocationListFile() == null) {
			return new TrustMaterial(caCertificates, List.of());
		}
		String property = locations.revocationListProperty();
		PemFile file = PemFile.of(property, files);
		if (!file.isInFileSystem()) {
			throw file.failure("it is not a file in the file system, and Tomcat reads no other",
					"Write it to a file and set '%s' to that file".formatted(property));
		}
		List<X509CRL> revocationLists = file.revocationLists();
		revocationLists.forEach((revocationList) -> requireSigned(revocationList, file, caCertificates));
		return new TrustMaterial(caCertificates, revocationLists);
	}

	void requireInForce(Locations locations, Instant now) {
		this.revocationLists.forEach((revocationList) -> requireInForce(revocationList, locations, now));
	}

	private static void requireInForce(X509CRL revocationList, Locations locations, Instant now) {
		String issuer = revocationList.getIssuerX500Principal().getName();
		if (revocationList.getNextUpdate() == null) {
			throw locations.revocationListFailure(
					"the certificate revocation list of '%s' does not say until when it is valid".formatted(issuer),
					"Have the CA issue one with a 'nextUpdate' (RFC 5280, section 5.1.2.5)");
		}
		if (now.isAfter(revocationList.getNextUpdate().toInstant())) {
			throw locations
				.revocationListFailure("the certificate revocation list of '%s' is outdated: a new one was due on %s"
					.formatted(issuer, revocationList.getNextUpdate().toInstant()), "Get the current one from the CA");
		}
		if (now.isBefore(revocationList.getThisUpdate().toInstant())) {
			throw locations.revocationListFailure(
					"the certificate revocation list of '%s' is not valid before %s".formatted(issuer,
							revocationList.getThisUpdate().toInstant()),
					"Correct the clock of this machine or of the CA");
		}
	}

	// The list of an intermediate CA is verified when a client of that CA is verified
	private static void requireSigned(X509CRL revocationList, PemFile file, List<X509Certificate> caCertificates) {
		List<X509Certificate> issuers = caCertificates.stream()
			.filter((ca) -> ca.getSubjectX500Principal().equals(revocationList.getIssuerX500Principal()))
			.toList();
		if (!issuers.isEmpty() && issuers.stream()
			.allMatch((issuer) -> CertificateChain.isForged(() -> revocationList.verify(issuer.getPublicKey())))) {
			throw file.failure(
					"the certificate revocation list of '%s' is not signed by the CA with that name"
						.formatted(revocationList.getIssuerX500Principal().getName()),
					"Get the list from the CA whose certificate is in the CA file");
		}
	}

	// If there are revocation lists, all clients of a CA without a list are refused
	List<String> withoutRevocationList() {
		if (this.revocationLists.isEmpty()) {
			return List.of();
		}
		return this.caCertificates.stream()
			.map(X509Certificate::getSubjectX500Principal)
			.filter((ca) -> this.revocationLists.stream().map(X509CRL::getIssuerX500Principal).noneMatch(ca::equals))
			.map((ca) -> ca.getName())
			.toList();
	}

	/**
	 * The locations of the files.
	 *
	 * @param prefix the beginning of the names of the properties, such as
	 * {@code server.ssl.}
	 * @param caCertificateFile the CAs, as a file path or a resource location, or
	 * {@code null}
	 * @param certificateRevocationListFile the certificate revocation lists, as a file,
	 * or {@code null}
	 */
	public record Locations(String prefix, @Nullable String caCertificateFile,
			@Nullable String certificateRevocationListFile) {

		Map<String, String> byProperty() {
			Map<String, String> all = new LinkedHashMap<>();
			if (this.caCertificateFile != null) {
				all.put(caCertificateProperty(), this.caCertificateFile);
			}
			if (this.certificateRevocationListFile != null) {
				all.put(revocationListProperty(), this.certificateRevocationListFile);
			}
			return all;
		}

		private String caCertificateProperty() {
			return this.prefix + "ca-certificate-file";
		}

		String revocationListProperty() {
			return this.prefix + "certificate-revocation-list-file";
		}

		private CertificateFileException revocationListFailure(String reason, String action) {
			return new CertificateFileException(revocationListProperty(), this.certificateRevocationListFile, reason,
					action, null);
		}

	}

}
