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

package io.github.tomcatopenssl.autoconfigure;

import org.jspecify.annotations.Nullable;

/**
 * The files of a certificate.
 */
public class CertificateFileProperties {

	/**
	 * PEM file with the certificate, or with the full chain, the leaf certificate first.
	 * A file path or a resource location.
	 */
	private @Nullable String certificateFile;

	/**
	 * PEM file with the private key. A file path or a resource location. By default, the
	 * key stands in the certificate file.
	 */
	private @Nullable String certificateKeyFile;

	/**
	 * Password of an encrypted private key.
	 */
	private @Nullable String certificateKeyPassword;

	/**
	 * PEM file with the intermediate certificates, when they are not in the certificate
	 * file. A file path or a resource location.
	 */
	private @Nullable String certificateChainFile;

	public @Nullable String getCertificateFile() {
		return this.certificateFile;
	}

	public void setCertificateFile(@Nullable String certificateFile) {
		this.certificateFile = certificateFile;
	}

	public @Nullable String getCertificateKeyFile() {
		return this.certificateKeyFile;
	}

	public void setCertificateKeyFile(@Nullable String certificateKeyFile) {
		this.certificateKeyFile = certificateKeyFile;
	}

	public @Nullable String getCertificateKeyPassword() {
		return this.certificateKeyPassword;
	}

	public void setCertificateKeyPassword(@Nullable String certificateKeyPassword) {
		this.certificateKeyPassword = certificateKeyPassword;
	}

	public @Nullable String getCertificateChainFile() {
		return this.certificateChainFile;
	}

	public void setCertificateChainFile(@Nullable String certificateChainFile) {
		this.certificateChainFile = certificateChainFile;
	}

}
