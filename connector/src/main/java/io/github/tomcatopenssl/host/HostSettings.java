// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.KeyStore;
import java.util.Set;

import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a virtual host that an SSL bundle provides.
 *
 * @param keyStore the key store that contains the private key and its certificates
 * @param keyStorePassword the password of the key store
 * @param keyPassword the password of the key
 * @param keyAlias the alias of the key
 * @param trustStore the trust anchors for client certificates
 * @param sslProtocol the name of the context for JSSE
 * @param ciphers the cipher suites up to TLS 1.2
 * @param cipherSuites the cipher suites of TLS 1.3
 * @param protocols the protocol versions
 * @param enabledProtocols the protocol versions that the engine has, in its words
 * @param enabledCiphers the cipher suites that the engine has, in its words
 */
record HostSettings(@Nullable KeyStore keyStore, @Nullable String keyStorePassword, @Nullable String keyPassword,
		@Nullable String keyAlias, @Nullable KeyStore trustStore, String sslProtocol, String ciphers,
		String cipherSuites, Set<String> protocols, String @Nullable [] enabledProtocols,
		String @Nullable [] enabledCiphers) {

	static HostSettings of(SSLHostConfig host) {
		SSLHostConfigCertificate certificate = certificate(host);
		try {
			// What comes from a file is another store each time, and stays with its file
			KeyStore keyStore = HostKeys.keyStore(certificate);
			KeyStore trustStore = host.getTruststore();
			return new HostSettings((keyStore == HostKeys.keyStore(certificate)) ? keyStore : null,
					certificate.getCertificateKeystorePassword(), certificate.getCertificateKeyPassword(),
					certificate.getCertificateKeyAlias(), (trustStore == host.getTruststore()) ? trustStore : null,
					host.getSslProtocol(), host.getCiphers(), host.getCipherSuites(), Set.copyOf(host.getProtocols()),
					host.getEnabledProtocols(), host.getEnabledCiphers());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	// The host keeps none of its previous values
	void applyTo(SSLHostConfig host) {
		if (this.keyStore != null) {
			SSLHostConfigCertificate certificate = certificate(host);
			certificate.setCertificateKeystore(this.keyStore);
			certificate.setCertificateKeystorePassword(this.keyStorePassword);
			certificate.setCertificateKeyPassword(this.keyPassword);
			certificate.setCertificateKeyAlias(this.keyAlias);
		}
		host.setSslProtocol(this.sslProtocol);
		host.setCiphers(this.ciphers);
		host.setCipherSuites(this.cipherSuites);
		host.setProtocols(String.join("+", this.protocols));
		host.setTrustStore(this.trustStore);
		host.setEnabledProtocols(this.enabledProtocols);
		host.setEnabledCiphers(this.enabledCiphers);
	}

	/**
	 * Return whether a virtual host still has these keys and trust anchors, and no others
	 * that are read from files.
	 * @param host the virtual host
	 * @return whether its contexts would be the same as before
	 */
	boolean hasAllOf(SSLHostConfig host) {
		HostSettings current = of(host);
		boolean files = host.getTruststoreFile() != null || host.getCaCertificateFile() != null
				|| host.getCaCertificatePath() != null;
		return !files && this.keyStore != null && this.keyStore == current.keyStore
				&& this.trustStore == current.trustStore;
	}

	private static SSLHostConfigCertificate certificate(SSLHostConfig host) {
		if (host instanceof MultiKeyHost several && several.configured() != null) {
			return several.configured();
		}
		return host.getCertificates(true).iterator().next();
	}

}
