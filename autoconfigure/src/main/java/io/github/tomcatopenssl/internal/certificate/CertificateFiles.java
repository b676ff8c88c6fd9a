// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

import java.util.ArrayList;
import java.util.List;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.pem.PemSource.Content;
import org.jspecify.annotations.Nullable;

/**
 * The files of a certificate. Each is a file path or a resource location.
 *
 * @param prefix the beginning of the names of the properties, such as
 * {@code server.ssl.}; if it does not end with a dot, the name of the one property that
 * all files come from
 * @param certificateFile the certificate, or the full chain, the leaf certificate first
 * @param certificateKeyFile the private key; {@code null} if it is in the certificate
 * file
 * @param certificateKeyPassword the password of an encrypted key, or {@code null}
 * @param certificateChainFile the intermediate certificates that are not in the
 * certificate file, or {@code null}
 */
public record CertificateFiles(String prefix, String certificateFile, @Nullable String certificateKeyFile,
		@Nullable String certificateKeyPassword, @Nullable String certificateChainFile) {

	/**
	 * Create a new instance with one file, which has the certificate, its chain and its
	 * key.
	 * @param property the name of the property that the file comes from
	 * @param file the file
	 */
	public CertificateFiles(String property, String file) {
		this(property, file, null, null, null);
	}

	List<ConfiguredFile> files() {
		List<ConfiguredFile> files = new ArrayList<>();
		files.add(new ConfiguredFile(certificateFileProperty(), this.certificateFile, Content.CERTIFICATES));
		if (this.certificateKeyFile != null) {
			files.add(new ConfiguredFile(keyProperty(), this.certificateKeyFile, Content.PRIVATE_KEY));
		}
		if (this.certificateChainFile != null) {
			files.add(new ConfiguredFile(property("certificate-chain-file"), this.certificateChainFile,
					Content.CERTIFICATES));
		}
		return files;
	}

	/**
	 * Return the name of the property of the certificate file.
	 * @return the full name
	 */
	public String certificateFileProperty() {
		return property("certificate-file");
	}

	// The property of the file that the private key is in
	String keyProperty() {
		return (this.certificateKeyFile != null) ? property("certificate-key-file") : certificateFileProperty();
	}

	String property(String name) {
		return this.prefix.endsWith(".") ? this.prefix + name : this.prefix;
	}

	/**
	 * Create an exception for a problem of the certificate.
	 * @param reason what is wrong, as a clause of a sentence
	 * @param action what to do about it, as a sentence without its full stop
	 * @return the exception
	 */
	public TlsSettingException failure(String reason, String action) {
		return new TlsSettingException(certificateFileProperty(), this.certificateFile, reason, action, null);
	}

	/**
	 * Return the locations only, so that the password is not shown.
	 */
	@Override
	public String toString() {
		return "CertificateFiles"
				+ files().stream().map(ConfiguredFile::location).map(TlsSettingException::describe).toList();
	}

}
