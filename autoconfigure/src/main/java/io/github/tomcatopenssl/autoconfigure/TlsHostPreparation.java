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
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.util.Collections;

import io.github.tomcatopenssl.autoconfigure.ServerCertificateBundles.HostSettings;
import io.github.tomcatopenssl.certificate.CertificateFileException;
import org.apache.catalina.connector.Connector;
import org.apache.tomcat.jni.SSL;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfig.CertificateVerification;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.jspecify.annotations.Nullable;

/**
 * Makes the hosts of a TLS connector ready for either engine, before their certificates
 * are loaded.
 */
class TlsHostPreparation {

	/**
	 * OpenSSL 3.5.0, the first with X25519MLKEM768, as {@code OpenSSL_version_num()}
	 * returns it.
	 */
	private static final long FIRST_WITH_HYBRID_GROUP = 0x30500000L;

	private final TlsEngineSelector selector;

	private final @Nullable ServerCertificateBundles bundles;

	private final TlsHostSettings hostSettings;

	TlsHostPreparation(TlsEngineSelector selector, @Nullable ServerCertificateBundles bundles) {
		this.selector = selector;
		this.bundles = bundles;
		this.hostSettings = new TlsHostSettings(bundles);
	}

	/**
	 * Apply what the bundle of a host cannot carry, and the defaults.
	 * @param original the configuration of the host
	 * @param ofServerCertificate whether the default host of its server has the
	 * certificate files
	 * @return the same configuration, or the one that takes its place
	 */
	SSLHostConfig prepare(SSLHostConfig original, boolean ofServerCertificate) {
		SSLHostConfig config = this.hostSettings.apply(original, ofServerCertificate);
		requireTrustAnchors(config);
		config.getCertificates().forEach(TlsHostPreparation::nameKey);
		IntermediateTlsProfile.applyTo(config,
				this.selector.select().openSsl() && SSL.version() >= FIRST_WITH_HYBRID_GROUP);
		return config;
	}

	/**
	 * Require that nothing is lost when Spring Boot reloads the bundle of a host, which
	 * makes a new configuration that no other protocol than ours prepares.
	 * @param config the configuration of the host
	 * @param connector its connector, with another protocol
	 * @throws CertificateFileException if something would be lost
	 */
	void requireLasting(SSLHostConfig config, Connector connector) {
		HostSettings settings = this.hostSettings.find(config);
		String property = null;
		if (settings != null && this.bundles != null && !this.bundles.revocation().isEmpty()) {
			property = this.bundles.revocation().property();
		}
		else if (settings != null && settings.hasSeveralKeys()) {
			property = "server.ssl.certificates";
		}
		if (property != null) {
			throw new CertificateFileException(property, null,
					"the connector has the protocol '%s', which would forget it when a certificate is reloaded"
						.formatted(connector.getProtocolHandlerClassName()),
					"Remove what sets the protocol of the connector, so that it has the default one", null);
		}
	}

	private static void requireTrustAnchors(SSLHostConfig config) {
		if (config.getCertificateVerification() == CertificateVerification.NONE || config.getCaCertificateFile() != null
				|| config.getCaCertificatePath() != null || config.getTrustManagerClassName() != null) {
			return;
		}
		try {
			if (config.getTruststore() != null) {
				return;
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		throw new CertificateFileException("server.ssl.client-auth", null,
				"clients of the virtual host '%s' are to be verified, but it has no CA to verify them against"
					.formatted(config.getHostName()),
				"Give it one with 'server.ssl.ca-certificate-file', 'server.ssl.trust-certificate' or the trust store of its SSL bundle, or remove 'server.ssl.client-auth'",
				null);
	}

	/**
	 * Without an alias, Tomcat's OpenSSL engine finds RSA, DSA and EC keys only.
	 * @param certificate a certificate with its key
	 */
	private static void nameKey(SSLHostConfigCertificate certificate) {
		try {
			if (certificate.getCertificateKeyAlias() != null || certificate.getCertificateFile() != null) {
				return;
			}
			KeyStore keyStore = certificate.getCertificateKeystore();
			if (keyStore == null) {
				return;
			}
			for (String alias : Collections.list(keyStore.aliases())) {
				if (keyStore.isKeyEntry(alias)) {
					certificate.setCertificateKeyAlias(alias);
					return;
				}
			}
		}
		catch (IOException | KeyStoreException ex) {
			// Tomcat says it better when it needs the key store
		}
	}

}
