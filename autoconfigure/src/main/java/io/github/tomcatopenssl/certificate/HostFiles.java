// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.certificate;

import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import org.jspecify.annotations.Nullable;

/**
 * The files of one host: its certificates with different key types, and the files that
 * its clients are verified against.
 *
 * @param serverName the host name that clients ask for, or {@code null} for the default
 * host
 * @param certificates the files of the certificates, the preferred one first
 * @param trust the files of the CAs and the revocation lists
 */
public record HostFiles(@Nullable String serverName, List<KeyMaterial.Locations> certificates,
		TrustMaterial.Locations trust) {

	/**
	 * The name of the default host's bundle. The names of other bundles append the host
	 * name to it. The management server and other servers can use the bundles too.
	 */
	public static final String BUNDLE_NAME = "server-ssl";

	private static final Set<String> COMBINABLE = Set.of("EC", "RSA", PrivateKeys.ML_DSA);

	/**
	 * Return the name of the SSL bundle that is created from the files.
	 * @return the name of the bundle
	 */
	public String bundleName() {
		return (this.serverName != null) ? BUNDLE_NAME + "-" + this.serverName : BUNDLE_NAME;
	}

	/**
	 * Return whether an SSL bundle is created from certificate files.
	 * @param name the name of the bundle
	 * @return whether it has the name of such a bundle
	 */
	public static boolean isBundleName(String name) {
		return name.equals(BUNDLE_NAME) || name.startsWith(BUNDLE_NAME + "-");
	}

	Map<String, String> locations() {
		Map<String, String> locations = new LinkedHashMap<>();
		this.certificates.forEach((certificate) -> locations.putAll(certificate.byProperty()));
		locations.putAll(this.trust.byProperty());
		return locations;
	}

	String file() {
		return KeyMaterial.describe(this.certificates.get(0).certificateFile());
	}

	// Shared files belong to the default host
	boolean isOwn(String property) {
		return this.serverName == null
				|| this.certificates.stream().anyMatch((locations) -> property.startsWith(locations.prefix()));
	}

	Content parse(Map<String, FileContent> files) {
		List<KeyMaterial> parsed = new ArrayList<>();
		for (KeyMaterial.Locations locations : this.certificates) {
			KeyMaterial certificate = KeyMaterial.parse(locations, files);
			requireOtherKeyType(certificate, parsed);
			parsed.add(certificate);
		}
		return new Content(parsed, TrustMaterial.parse(this.trust, files));
	}

	private void requireOtherKeyType(KeyMaterial files, List<KeyMaterial> others) {
		String type = files.keyAlgorithm();
		if (this.certificates.size() > 1 && !COMBINABLE.contains(type)) {
			throw files.locations()
				.failure(
						"the type of its key is '%s', but a host can have either one certificate of any type, or one for each of the types EC, RSA and ML-DSA"
							.formatted(type),
						"Make it the only certificate of its host, or remove it", null);
		}
		if (others.stream().anyMatch((other) -> other.keyAlgorithm().equals(type))) {
			throw files.locations()
				.failure("its host already has a certificate with a key of the type '%s'".formatted(type),
						"Remove one of the two. Several certificates of one host need different key types", null);
		}
	}

	boolean hasSameRevocationLists(Map<String, FileContent> some, Map<String, FileContent> others) {
		String property = this.trust.revocationListProperty();
		return Objects.equals(some.get(property), others.get(property));
	}

	CertificateFileException failure(String reason, String action, Throwable cause) {
		return this.certificates.get(0).failure(reason, action, cause);
	}

	/**
	 * The content of the files.
	 *
	 * @param certificates the certificates in the order of their files
	 * @param trust the CAs and the revocation lists
	 */
	public record Content(List<KeyMaterial> certificates, TrustMaterial trust) {

		X509Certificate leaf() {
			return this.certificates.get(0).certificates().get(0);
		}

		List<CertificateFileException> validityProblems(Instant now) {
			return this.certificates.stream().flatMap((files) -> files.validityProblems(now).stream()).toList();
		}

	}

}
