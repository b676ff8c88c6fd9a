// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.cert.Certificate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.jspecify.annotations.Nullable;

/**
 * The keys of virtual hosts in key stores. What cannot be read is left to Tomcat, which
 * reports the problem when it needs the key.
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

	// Without an alias, Tomcat's OpenSSL engine finds only RSA, DSA and EC keys
	static void nameOnlyKey(SSLHostConfig host) {
		if (host.getCertificates().size() == 1) {
			SSLHostConfigCertificate certificate = host.getCertificates().iterator().next();
			String alias = alias(certificate);
			if (alias != null && certificate.getCertificateKeyAlias() == null) {
				certificate.setCertificateKeyAlias(alias);
			}
		}
	}

	// Spring Boot keeps the alias of the previous SSL bundle if the new one has none
	static void dropOutdatedAlias(SSLHostConfig host) {
		for (SSLHostConfigCertificate certificate : host.getCertificates()) {
			KeyStore keyStore = keyStore(certificate);
			try {
				if (keyStore != null && certificate.getCertificateKeyAlias() != null
						&& !keyStore.isKeyEntry(certificate.getCertificateKeyAlias())) {
					certificate.setCertificateKeyAlias(null);
				}
			}
			catch (KeyStoreException ex) {
				// The key store is not loaded
			}
		}
	}

	static boolean isExportable(SSLHostConfigCertificate certificate) {
		KeyStore keyStore = keyStore(certificate);
		String alias = alias(certificate);
		try {
			Key key = (keyStore != null && alias != null) ? key(certificate, keyStore, alias) : null;
			return key == null || key.getEncoded() != null;
		}
		catch (GeneralSecurityException ex) {
			return true;
		}
	}

	// Returns all entries if no alias is configured
	static List<Entry> entries(SSLHostConfigCertificate certificate) {
		KeyStore keyStore = keyStore(certificate);
		if (keyStore == null) {
			return List.of();
		}
		List<Entry> entries = new ArrayList<>();
		String named = certificate.getCertificateKeyAlias();
		try {
			for (String alias : (named != null) ? List.of(named) : Collections.list(keyStore.aliases())) {
				Key key = key(certificate, keyStore, alias);
				Certificate[] chain = keyStore.getCertificateChain(alias);
				if (key != null && chain != null) {
					entries.add(new Entry(key, chain));
				}
			}
		}
		catch (GeneralSecurityException ex) {
			return List.of();
		}
		return entries;
	}

	private static @Nullable Key key(SSLHostConfigCertificate certificate, KeyStore keyStore, String alias)
			throws GeneralSecurityException {
		String password = (certificate.getCertificateKeyPassword() != null) ? certificate.getCertificateKeyPassword()
				: certificate.getCertificateKeystorePassword();
		return keyStore.getKey(alias, (password != null) ? password.toCharArray() : null);
	}

	// Also finds an ML-DSA key beside keys of other types
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
			// The key store is not loaded
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
			// The key store is not loaded
		}
		return null;
	}

	/**
	 * A private key and its certificates.
	 *
	 * @param key the key, which may not be exportable
	 * @param chain the certificates, the leaf first
	 */
	record Entry(Key key, Certificate[] chain) {

	}

}
