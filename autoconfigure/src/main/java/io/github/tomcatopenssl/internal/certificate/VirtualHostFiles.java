// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

import java.util.List;
import java.util.Objects;
import java.util.function.Function;
import java.util.stream.Stream;

import io.github.tomcatopenssl.TlsSettingException;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.web.server.Ssl.ClientAuth;

/**
 * The files of a virtual host: its certificates with different key types, and the files
 * that its clients are verified against.
 *
 * @param bundleName the name of the SSL bundle that is created from the files
 * @param serverName the host name that clients ask for, or {@code null} for the default
 * host of a server
 * @param certificates the files of the certificates, the preferred one first
 * @param caCertificates the CAs that clients are verified against, or {@code null}
 * @param revocationLists the files of the certificate revocation lists
 * @param proxyCaCertificates the CAs of proxies that forward the certificates of their
 * clients, or {@code null}
 * @param clientAuth how clients are verified, or {@code null} for the setting of the
 * server
 */
public record VirtualHostFiles(String bundleName, @Nullable String serverName, List<CertificateFiles> certificates,
		@Nullable ConfiguredFile caCertificates, List<ConfiguredFile> revocationLists,
		@Nullable ConfiguredFile proxyCaCertificates, @Nullable ClientAuth clientAuth) {

	/**
	 * The name of the default host's bundle. The names of other bundles append the host
	 * name to it. The management server and other servers can use the bundles too.
	 */
	public static final String BUNDLE_NAME = "server-ssl";

	/**
	 * The name of the bundle of a management server with a certificate of its own.
	 */
	public static final String MANAGEMENT_BUNDLE_NAME = "management-server-ssl";

	/**
	 * Create a new instance for a host of the main server.
	 * @param serverName the host name that clients ask for, or {@code null} for the
	 * default host
	 * @param certificates the files of the certificates, the preferred one first
	 * @param caCertificates the CAs that clients are verified against, or {@code null}
	 * @param revocationLists the files of the certificate revocation lists
	 * @param proxyCaCertificates the CAs of proxies, or {@code null}
	 * @param clientAuth how clients are verified, or {@code null} for the setting of the
	 * server
	 */
	public VirtualHostFiles(@Nullable String serverName, List<CertificateFiles> certificates,
			@Nullable ConfiguredFile caCertificates, List<ConfiguredFile> revocationLists,
			@Nullable ConfiguredFile proxyCaCertificates, @Nullable ClientAuth clientAuth) {
		this((serverName != null) ? BUNDLE_NAME + "-" + serverName : BUNDLE_NAME, serverName, certificates,
				caCertificates, revocationLists, proxyCaCertificates, clientAuth);
	}

	/**
	 * Create an exception for a problem of the host.
	 * @param reason what is wrong, as a clause of a sentence
	 * @param action what to do about it, as a sentence without its full stop
	 * @param cause the cause, or {@code null}
	 * @return the exception, which names the first certificate if there is one
	 */
	TlsSettingException failure(String reason, String action, @Nullable Throwable cause) {
		CertificateFiles first = this.certificates.isEmpty() ? null : this.certificates.get(0);
		return new TlsSettingException((first != null) ? first.certificateFileProperty() : "server.ssl",
				(first != null) ? first.certificateFile() : null, reason, action, cause);
	}

	/**
	 * Return whether this is the host of the management server.
	 * @return whether it is not a host of the main server
	 */
	public boolean isManagement() {
		return this.bundleName.equals(MANAGEMENT_BUNDLE_NAME);
	}

	List<ConfiguredFile> files() {
		return Stream
			.of(this.certificates.stream().flatMap((certificate) -> certificate.files().stream()),
					Stream.of(this.caCertificates, this.proxyCaCertificates).filter(Objects::nonNull),
					this.revocationLists.stream())
			.flatMap(Function.identity())
			.toList();
	}

}
