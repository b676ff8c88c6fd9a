// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import org.jspecify.annotations.Nullable;

/**
 * The files of a certificate. Each is a file path or a resource location.
 *
 * @param certificateFile PEM file with the certificate, or with the full chain, the leaf
 * certificate first.
 * @param certificateKeyFile PEM file with the private key. By default, the key is in the
 * certificate file.
 * @param certificateKeyPassword Password of an encrypted private key.
 * @param certificateChainFile PEM file with the intermediate certificates, if they are
 * not in the certificate file.
 */
public record CertificateFileProperties(@Nullable String certificateFile, @Nullable String certificateKeyFile,
		@Nullable String certificateKeyPassword, @Nullable String certificateChainFile) {

	/**
	 * Return the name of the type only, so that the password is not shown.
	 */
	@Override
	public String toString() {
		return "CertificateFileProperties";
	}

	/**
	 * The files of a certificate for a host name.
	 *
	 * @param serverName Host name that clients ask for, or a wildcard such as
	 * {@code *.example.com}.
	 * @param certificateFile PEM file with the certificate, or with the full chain, the
	 * leaf certificate first.
	 * @param certificateKeyFile PEM file with the private key. By default, the key is in
	 * the certificate file.
	 * @param certificateKeyPassword Password of an encrypted private key.
	 * @param certificateChainFile PEM file with the intermediate certificates, if they
	 * are not in the certificate file.
	 */
	public record ServerNameCertificate(@Nullable String serverName, @Nullable String certificateFile,
			@Nullable String certificateKeyFile, @Nullable String certificateKeyPassword,
			@Nullable String certificateChainFile) {

		CertificateFileProperties files() {
			return new CertificateFileProperties(this.certificateFile, this.certificateKeyFile,
					this.certificateKeyPassword, this.certificateChainFile);
		}

		/**
		 * Return the name of the type and the host name only, so that the password is not
		 * shown.
		 */
		@Override
		public String toString() {
			return "ServerNameCertificate[" + this.serverName + "]";
		}

	}

}
