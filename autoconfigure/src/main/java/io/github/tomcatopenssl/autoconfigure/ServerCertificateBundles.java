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

import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

import io.github.tomcatopenssl.certificate.HostFiles;
import io.github.tomcatopenssl.certificate.KeyMaterial;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleKey;
import org.springframework.boot.ssl.SslOptions;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStore;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.WebServerSslBundle;
import org.springframework.core.io.ResourceLoader;

/**
 * Makes SSL bundles of certificate files.
 */
class ServerCertificateBundles {

	/**
	 * Tomcat's OpenSSL engine finds a key of any type by its alias only.
	 */
	private static final String ALIAS = "server";

	private final TomcatOpenSslProperties properties;

	private final Ssl ssl;

	private final ResourceLoader resourceLoader;

	ServerCertificateBundles(TomcatOpenSslProperties properties, Ssl ssl, ResourceLoader resourceLoader) {
		this.properties = properties;
		this.ssl = ssl;
		this.resourceLoader = resourceLoader;
	}

	/**
	 * Make a bundle.
	 * @param certificate the files
	 * @param content what they contain
	 * @return the bundle
	 */
	SslBundle create(HostFiles certificate, HostFiles.Content content) {
		Map<String, KeyMaterial> keys = keys(content);
		KeyStore keyStore = keyStore(keys);
		return SslBundle.of(SslStoreBundle.of(keyStore, null, trustStore(content)),
				(keys.size() > 1) ? SslBundleKey.NONE : SslBundleKey.of(null, ALIAS),
				SslOptions.of(this.ssl.getCiphers(), this.ssl.getEnabledProtocols()), this.ssl.getProtocol());
	}

	private static Map<String, KeyMaterial> keys(HostFiles.Content content) {
		Map<String, KeyMaterial> keys = new LinkedHashMap<>();
		for (KeyMaterial files : content.certificates()) {
			keys.put(
					(content.certificates().size() > 1)
							? SeveralKeysHost.ALIAS_PREFIX + files.keyAlgorithm().toLowerCase(Locale.ROOT) : ALIAS,
					files);
		}
		return keys;
	}

	private static KeyStore keyStore(Map<String, KeyMaterial> keys) {
		try {
			KeyStore keyStore = KeyStore.getInstance(KeyStore.getDefaultType());
			keyStore.load(null, null);
			for (Map.Entry<String, KeyMaterial> key : keys.entrySet()) {
				KeyMaterial files = key.getValue();
				keyStore.setKeyEntry(key.getKey(), files.privateKey(), null,
						files.certificates().toArray(X509Certificate[]::new));
			}
			return keyStore;
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException("Unable to create a key store in memory", ex);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private @Nullable KeyStore trustStore(HostFiles.Content content) {
		if (this.ssl.getTrustStore() != null || this.ssl.getTrustCertificate() != null) {
			return WebServerSslBundle.get(this.ssl).getStores().getTrustStore();
		}
		if (content.trust().caCertificates().isEmpty()) {
			return null;
		}
		return new PemSslStoreBundle(null, PemSslStore.of(null, content.trust().caCertificates(), null))
			.getTrustStore();
	}

	/**
	 * Return how client certificates are checked for revocation, on all hosts.
	 * @return the checks
	 */
	RevocationChecks revocation() {
		return RevocationChecks.of(this.properties, this.resourceLoader);
	}

}
