// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

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

	// Returns the configured alias if it is that of a key, or the aliases of all keys if
	// none is configured
	private static List<String> aliases(SSLHostConfigCertificate certificate) {
		KeyStore keyStore = keyStore(certificate);
		String configured = certificate.getCertificateKeyAlias();
		List<String> aliases = new ArrayList<>();
		if (keyStore == null) {
			return aliases;
		}
		try {
			for (String alias : (configured != null) ? List.of(configured) : Collections.list(keyStore.aliases())) {
				if (keyStore.isKeyEntry(alias)) {
					aliases.add(alias);
				}
			}
		}
		catch (KeyStoreException ex) {
			// The key store is not loaded
		}
		return aliases;
	}

	// Without an alias, Tomcat's OpenSSL engine finds only RSA, DSA and EC keys
	static void nameOnlyKey(SSLHostConfig host) {
		if (host.getCertificates().size() == 1) {
			SSLHostConfigCertificate certificate = host.getCertificates().iterator().next();
			aliases(certificate).stream().findFirst().ifPresent(certificate::setCertificateKeyAlias);
		}
	}

	// Spring Boot keeps the alias of the previous SSL bundle if the new one has none
	static void dropOutdatedAlias(SSLHostConfig host) {
		for (SSLHostConfigCertificate certificate : host.getCertificates()) {
			if (keyStore(certificate) != null && aliases(certificate).isEmpty()) {
				certificate.setCertificateKeyAlias(null);
			}
		}
	}

	static boolean isExportable(SSLHostConfigCertificate certificate) {
		return entries(certificate).stream().limit(1).allMatch((entry) -> entry.key().getEncoded() != null);
	}

	static List<Entry> entries(SSLHostConfigCertificate certificate) {
		KeyStore keyStore = keyStore(certificate);
		String password = (certificate.getCertificateKeyPassword() != null) ? certificate.getCertificateKeyPassword()
				: certificate.getCertificateKeystorePassword();
		List<Entry> entries = new ArrayList<>();
		if (keyStore == null) {
			return entries;
		}
		try {
			for (String alias : aliases(certificate)) {
				Key key = keyStore.getKey(alias, (password != null) ? password.toCharArray() : null);
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

	static boolean isMlDsa(SSLHostConfigCertificate certificate) {
		KeyStore keyStore = keyStore(certificate);
		if (keyStore == null) {
			return false;
		}
		try {
			for (String alias : aliases(certificate)) {
				if (keyStore.getCertificate(alias).getPublicKey().getAlgorithm().startsWith("ML-DSA")) {
					return true;
				}
			}
		}
		catch (KeyStoreException ex) {
			// The key store is not loaded
		}
		return false;
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
