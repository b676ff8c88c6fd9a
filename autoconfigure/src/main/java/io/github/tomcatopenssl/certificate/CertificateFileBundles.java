// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.certificate;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.List;

import io.github.tomcatopenssl.KeyAlias;
import io.github.tomcatopenssl.MultiKeyStore;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleKey;
import org.springframework.boot.ssl.SslOptions;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStore;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.WebServerSslBundle;

/**
 * Creates SSL bundles from certificate files.
 */
final class CertificateFileBundles {

	/**
	 * The alias of a key. Without an alias, Tomcat's OpenSSL engine does not find keys of
	 * every type.
	 */
	private static final String ALIAS = "server";

	/**
	 * The type of key stores that never leave the memory, as Tomcat has it for PEM files.
	 * PKCS #12 would hash the password 10,000 times whenever a key goes in or out, which
	 * happens five times until a server uses the key.
	 */
	private static final String TYPE = "JKS";

	private static final String NO_PASSWORD = "";

	private final Ssl ssl;

	// Properties may be bound again while the server runs. These copies keep the server
	// from changing in part
	private final SslOptions options;

	private final String protocol;

	CertificateFileBundles(Ssl ssl) {
		this.ssl = ssl;
		this.options = SslOptions.of(ssl.getCiphers(), ssl.getEnabledProtocols());
		this.protocol = ssl.getProtocol();
	}

	SslBundle create(List<KeyMaterial> keys, TrustMaterial trust) {
		boolean several = keys.size() > 1;
		return SslBundle.of(SslStoreBundle.of(keyStore(keys, several), NO_PASSWORD, trustStore(keys.get(0), trust)),
				several ? SslBundleKey.NONE : SslBundleKey.of(null, ALIAS), this.options, this.protocol);
	}

	private static KeyStore keyStore(List<KeyMaterial> keys, boolean several) {
		try {
			KeyStore keyStore = several ? MultiKeyStore.create(TYPE) : KeyStore.getInstance(TYPE);
			keyStore.load(null, null);
			for (KeyMaterial key : keys) {
				String alias = several ? KeyAlias.of(key.keyAlgorithm()) : ALIAS;
				keyStore.setKeyEntry(alias, key.privateKey(), NO_PASSWORD.toCharArray(),
						key.certificates().toArray(X509Certificate[]::new));
			}
			return keyStore;
		}
		catch (GeneralSecurityException | IOException ex) {
			throw new IllegalStateException("Unable to create a key store in memory", ex);
		}
	}

	// Clients that use the bundle of a development certificate trust the server
	private @Nullable KeyStore trustStore(KeyMaterial key, TrustMaterial trust) {
		List<X509Certificate> trusted = trust.caCertificates();
		if (trusted.isEmpty() && (this.ssl.getTrustStore() != null || this.ssl.getTrustCertificate() != null)) {
			return WebServerSslBundle.get(this.ssl).getStores().getTrustStore();
		}
		if (trusted.isEmpty() && key.files().prefix().equals(DevelopmentCertificate.PROPERTY)) {
			trusted = key.certificates().subList(0, 1);
		}
		return trusted.isEmpty() ? null
				: new PemSslStoreBundle(null, PemSslStore.of(null, trusted, null)).getTrustStore();
	}

}
