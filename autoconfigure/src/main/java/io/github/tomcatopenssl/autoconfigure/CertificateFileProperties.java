// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import org.jspecify.annotations.Nullable;

/**
 * The files of a certificate. Each is a file path or a resource location.
 *
 * @param certificateFile the certificate, or the full chain, the leaf certificate first
 * @param certificateKeyFile the private key; {@code null} when it stands in the
 * certificate file
 * @param certificateKeyPassword the password of an encrypted private key
 * @param certificateChainFile the intermediate certificates, when they are not in the
 * certificate file
 */
public record CertificateFileProperties(@Nullable String certificateFile, @Nullable String certificateKeyFile,
		@Nullable String certificateKeyPassword, @Nullable String certificateChainFile) {

	/**
	 * Does not show the password.
	 */
	@Override
	public String toString() {
		return "CertificateFileProperties";
	}

	/**
	 * The files of a certificate for a host name.
	 *
	 * @param serverName the host name that clients ask for, or a wildcard such as
	 * {@code *.example.com}
	 * @param certificateFile as for other certificates
	 * @param certificateKeyFile as for other certificates
	 * @param certificateKeyPassword as for other certificates
	 * @param certificateChainFile as for other certificates
	 */
	public record ServerNameCertificate(@Nullable String serverName, @Nullable String certificateFile,
			@Nullable String certificateKeyFile, @Nullable String certificateKeyPassword,
			@Nullable String certificateChainFile) {

		CertificateFileProperties files() {
			return new CertificateFileProperties(this.certificateFile, this.certificateKeyFile,
					this.certificateKeyPassword, this.certificateChainFile);
		}

		/**
		 * Does not show the password.
		 */
		@Override
		public String toString() {
			return "ServerNameCertificate[" + this.serverName + "]";
		}

	}

}
