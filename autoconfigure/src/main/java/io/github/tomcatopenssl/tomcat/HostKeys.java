// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.util.Collections;

import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.jspecify.annotations.Nullable;

/**
 * Keys of virtual hosts in key stores. What cannot be read is left to Tomcat, which says
 * what is wrong when it needs it.
 */
final class HostKeys {

	private HostKeys() {
	}

	static @Nullable KeyStore keyStore(SSLHostConfigCertificate certificate) {
		try {
			return (certificate.getCertificateFile() == null) ? certificate.getCertificateKeystore() : null;
		}
		catch (IOException ex) {
			return null;
		}
	}

	// Without an alias, Tomcat's OpenSSL engine finds RSA, DSA and EC keys only
	static void nameOnlyKey(SSLHostConfig host) {
		if (host.getCertificates().size() == 1) {
			SSLHostConfigCertificate certificate = host.getCertificates().iterator().next();
			String alias = alias(certificate);
			if (alias != null && certificate.getCertificateKeyAlias() == null) {
				certificate.setCertificateKeyAlias(alias);
			}
		}
	}

	static boolean isExportable(SSLHostConfigCertificate certificate) {
		KeyStore keyStore = keyStore(certificate);
		String alias = alias(certificate);
		String password = (certificate.getCertificateKeyPassword() != null) ? certificate.getCertificateKeyPassword()
				: certificate.getCertificateKeystorePassword();
		try {
			Key key = (keyStore != null && alias != null)
					? keyStore.getKey(alias, (password != null) ? password.toCharArray() : null) : null;
			return key == null || key.getEncoded() != null;
		}
		catch (GeneralSecurityException ex) {
			return true;
		}
	}

	// Also beside keys of other types
	static boolean isMlDsa(SSLHostConfigCertificate certificate) {
		KeyStore keyStore = keyStore(certificate);
		if (keyStore == null) {
			return false;
		}
		try {
			for (String alias : Collections.list(keyStore.aliases())) {
				if (keyStore.isKeyEntry(alias)
						&& keyStore.getCertificate(alias).getPublicKey().getAlgorithm().startsWith("ML-DSA")) {
					return true;
				}
			}
		}
		catch (KeyStoreException ex) {
			// Not loaded
		}
		return false;
	}

	private static @Nullable String alias(SSLHostConfigCertificate certificate) {
		KeyStore keyStore = keyStore(certificate);
		if (keyStore == null || certificate.getCertificateKeyAlias() != null) {
			return certificate.getCertificateKeyAlias();
		}
		try {
			for (String alias : Collections.list(keyStore.aliases())) {
				if (keyStore.isKeyEntry(alias)) {
					return alias;
				}
			}
		}
		catch (KeyStoreException ex) {
			// Not loaded
		}
		return null;
	}

}
