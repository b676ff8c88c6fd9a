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

import java.security.cert.X509Certificate;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * The files of one host: its certificates of different key types, and what its clients
 * are verified against.
 *
 * @param bundleName the name of the SSL bundle that they become
 * @param serverName the host name that clients ask for, or {@code null} for the default
 * host
 * @param certificates the files of the certificates, the preferred one first
 * @param trust the files of the CAs and the revocation lists
 */
public record HostFiles(String bundleName, @Nullable String serverName, List<KeyMaterial.Locations> certificates,
		TrustMaterial.Locations trust) {

	List<String> locations() {
		return Stream.concat(this.certificates.stream().flatMap(KeyMaterial.Locations::all), this.trust.all())
			.distinct()
			.toList();
	}

	String file() {
		return KeyMaterial.describe(this.certificates.get(0).certificateFile());
	}

	/**
	 * Whether a property is of this host, and not one that it shares with the default
	 * host.
	 * @param property the name of the property
	 * @return whether it is
	 */
	boolean isOwn(String property) {
		return this.serverName == null
				|| this.certificates.stream().anyMatch((locations) -> property.startsWith(locations.prefix()));
	}

	Content parse(FileSnapshot files, Instant now) {
		List<KeyMaterial> parsed = new ArrayList<>();
		for (KeyMaterial.Locations locations : this.certificates) {
			KeyMaterial certificate = KeyMaterial.parse(locations, files);
			requireOtherKeyType(locations, certificate, parsed);
			parsed.add(certificate);
		}
		return new Content(parsed, TrustMaterial.parse(this.trust, files, now));
	}

	private void requireOtherKeyType(KeyMaterial.Locations locations, KeyMaterial files, List<KeyMaterial> others) {
		boolean supported = files.keyAlgorithm().equals("EC") || files.keyAlgorithm().equals("RSA");
		if (this.certificates.size() > 1 && !supported) {
			throw locations.failure(
					"the type of its key is '%s', and a host has either one certificate of any type, or one for each of the types EC and RSA"
						.formatted(files.keyAlgorithm()),
					"Leave it as the only certificate of its host, or remove it", null);
		}
		if (others.stream().anyMatch((other) -> other.keyAlgorithm().equals(files.keyAlgorithm()))) {
			throw locations.failure(
					"its host has a certificate with a key of the type '%s' already".formatted(files.keyAlgorithm()),
					"Remove one of the two. Several certificates of one host are for different key types", null);
		}
	}

	List<CertificateFileException> validityProblems(Content content, Instant now) {
		List<CertificateFileException> problems = new ArrayList<>();
		for (int i = 0; i < this.certificates.size(); i++) {
			problems.addAll(content.certificates().get(i).validityProblems(this.certificates.get(i), now));
		}
		return problems;
	}

	void requireValid(Content content, Instant now) {
		validityProblems(content, now).stream().findFirst().ifPresent((problem) -> {
			throw problem;
		});
	}

	boolean hasSameRevocationLists(FileSnapshot one, FileSnapshot other) {
		String location = this.trust.certificateRevocationListFile();
		return location != null && one.file(location).equals(other.file(location));
	}

	CertificateFileException failure(String reason, String action, Throwable cause) {
		return this.certificates.get(0).failure(reason, action, cause);
	}

	/**
	 * What the files contain.
	 *
	 * @param certificates the certificates in the order of their files
	 * @param trust the CAs and the revocation lists
	 */
	public record Content(List<KeyMaterial> certificates, TrustMaterial trust) {

		X509Certificate leaf() {
			return this.certificates.get(0).certificates().get(0);
		}

	}

}
