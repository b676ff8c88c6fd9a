// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.pem.PemFile;
import org.jspecify.annotations.Nullable;

/**
 * The CAs and revocation lists that client certificates are verified against, read from
 * PEM files and checked, and the CAs of proxies.
 *
 * @param caCertificates the trust anchors, empty if there is no file
 * @param lists the certificate revocation lists, empty if there is no file
 * @param proxyCaCertificates the CAs of proxies, empty if there is no file
 */
record TrustMaterial(List<X509Certificate> caCertificates, List<RevocationList> lists,
		List<X509Certificate> proxyCaCertificates) {

	static TrustMaterial parse(VirtualHostFiles host, Map<String, FileContent> contents) {
		List<X509Certificate> caCertificates = caCertificates(host.caCertificates(), contents);
		List<X509Certificate> proxyCaCertificates = caCertificates(host.proxyCaCertificates(), contents);
		List<RevocationList> lists = host.revocationLists()
			.stream()
			.flatMap((file) -> lists(file, contents, caCertificates))
			.toList();
		return new TrustMaterial(caCertificates, lists, proxyCaCertificates);
	}

	private static Stream<RevocationList> lists(ConfiguredFile configured, Map<String, FileContent> contents,
			List<X509Certificate> caCertificates) {
		PemFile file = FileContent.pemFile(configured.property(), contents);
		if (!file.isInFileSystem()) {
			throw file.failure("it is not a file in the file system",
					"Write it to a file and set '%s' to that file".formatted(configured.property()));
		}
		List<X509CRL> lists = file.revocationLists();
		lists.forEach((list) -> requireSigned(list, file, caCertificates));
		return lists.stream().map((list) -> new RevocationList(list, configured));
	}

	private static List<X509Certificate> caCertificates(@Nullable ConfiguredFile configured,
			Map<String, FileContent> contents) {
		if (configured == null) {
			return List.of();
		}
		PemFile file = FileContent.pemFile(configured.property(), contents);
		List<X509Certificate> certificates = file.certificates();
		file.requireUsed("a certificate", PemFile.Block::isCertificate);
		return certificates;
	}

	List<X509CRL> revocationLists() {
		return this.lists.stream().map(RevocationList::list).toList();
	}

	void requireInForce(Instant now) {
		this.lists.forEach((revocationList) -> revocationList.requireInForce(now));
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

	/**
	 * Return which CAs are not trusted at a time.
	 * @param host has the files of the CAs
	 * @param now the time
	 * @return a problem for each CA that has expired, or is not valid yet
	 */
	List<TlsSettingException> invalidCas(VirtualHostFiles host, Instant now) {
		return Stream
			.concat(invalidCas(host.caCertificates(), this.caCertificates, now),
					invalidCas(host.proxyCaCertificates(), this.proxyCaCertificates, now))
			.toList();
	}

	private static Stream<TlsSettingException> invalidCas(@Nullable ConfiguredFile file, List<X509Certificate> cas,
			Instant now) {
		return (file != null) ? cas.stream().flatMap((ca) -> {
			String name = CertificateChain.name(ca);
			String problem = now.isAfter(ca.getNotAfter().toInstant())
					? "the CA '%s' has expired on %s".formatted(name, ca.getNotAfter().toInstant())
					: now.isBefore(ca.getNotBefore().toInstant())
							? "the CA '%s' is not valid before %s".formatted(name, ca.getNotBefore().toInstant())
							: null;
			return Stream.ofNullable(problem)
				.map((reason) -> new TlsSettingException(file.property(), file.location(),
						reason + ", so its clients are refused unless the file has a valid certificate of the same CA",
						"Replace it with the current certificate of the CA, or remove it", null));
		}) : Stream.empty();
	}

	// If there are revocation lists, all clients of a CA without a list are refused
	List<TlsSettingException> missingLists() {
		if (this.lists.isEmpty()) {
			return List.of();
		}
		ConfiguredFile first = this.lists.get(0).file();
		String property = first.propertyOfAll();
		String file = first.property().equals(property) ? first.location() : null;
		return Stream.concat(this.caCertificates.stream(), this.proxyCaCertificates.stream())
			.map(X509Certificate::getSubjectX500Principal)
			.filter((ca) -> revocationLists().stream().map(X509CRL::getIssuerX500Principal).noneMatch(ca::equals))
			.map((ca) -> new TlsSettingException(property, file,
					"it has no list from the CA '%s', so all clients of that CA are refused".formatted(ca.getName()),
					"Add the list from that CA", null))
			.toList();
	}

	/**
	 * A certificate revocation list and the file that it is in.
	 *
	 * @param list the list
	 * @param file the file
	 */
	record RevocationList(X509CRL list, ConfiguredFile file) {

		void requireInForce(Instant now) {
			String issuer = this.list.getIssuerX500Principal().getName();
			if (this.list.getNextUpdate() == null) {
				throw failure("the certificate revocation list of '%s' has no expiry date".formatted(issuer),
						"Have the CA issue one with a 'nextUpdate' (RFC 5280, section 5.1.2.5)");
			}
			Instant nextUpdate = this.list.getNextUpdate().toInstant();
			if (now.isAfter(nextUpdate)) {
				throw failure("the certificate revocation list of '%s' is outdated: a new one was due on %s"
					.formatted(issuer, nextUpdate), "Get the current one from the CA");
			}
			Instant thisUpdate = this.list.getThisUpdate().toInstant();
			if (now.isBefore(thisUpdate)) {
				throw failure(
						"the certificate revocation list of '%s' is not valid before %s".formatted(issuer, thisUpdate),
						"Correct the clock of this machine or of the CA");
			}
		}

		private TlsSettingException failure(String reason, String action) {
			return new TlsSettingException(this.file.property(), this.file.location(), reason, action, null);
		}

	}

}
