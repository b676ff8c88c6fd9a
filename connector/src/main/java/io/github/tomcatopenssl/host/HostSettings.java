// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.security.KeyStore;
import java.util.Set;

import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.SSLHostConfigCertificate.Type;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a virtual host that an SSL bundle provides.
 *
 * @param key the private key and its certificates
 * @param trustStore the trust anchors for client certificates
 * @param sslProtocol the name of the context for JSSE
 * @param ciphers the cipher suites up to TLS 1.2
 * @param cipherSuites the cipher suites of TLS 1.3
 * @param protocols the protocol versions
 */
record HostSettings(Key key, @Nullable KeyStore trustStore, String sslProtocol, String ciphers, String cipherSuites,
		Set<String> protocols) {

	static HostSettings of(SSLHostConfig host) {
		try {
			return new HostSettings(Key.of(certificate(host)), host.getTruststore(), host.getSslProtocol(),
					host.getCiphers(), host.getCipherSuites(), Set.copyOf(host.getProtocols()));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	// The host keeps none of its previous values
	void applyTo(SSLHostConfig host) {
		this.key.set(certificate(host));
		host.setSslProtocol(this.sslProtocol);
		host.setCiphers(this.ciphers);
		host.setCipherSuites(this.cipherSuites);
		host.setProtocols(String.join("+", this.protocols));
		host.setTrustStore(this.trustStore);
	}

	private static SSLHostConfigCertificate certificate(SSLHostConfig host) {
		if (host instanceof MultiKeyHost several && several.configured() != null) {
			return several.configured();
		}
		Set<SSLHostConfigCertificate> certificates = host.getCertificates();
		if (!certificates.isEmpty()) {
			return certificates.iterator().next();
		}
		SSLHostConfigCertificate certificate = new SSLHostConfigCertificate(host, Type.UNDEFINED);
		host.addCertificate(certificate);
		return certificate;
	}

	/**
	 * The key of a virtual host.
	 *
	 * @param keyStore the key store that contains the key
	 * @param keyStorePassword the password of the key store
	 * @param password the password of the key
	 * @param alias the alias of the key
	 */
	private record Key(@Nullable KeyStore keyStore, @Nullable String keyStorePassword, @Nullable String password,
			@Nullable String alias) {

		static Key of(SSLHostConfigCertificate certificate) {
			return new Key(HostKeys.keyStore(certificate), certificate.getCertificateKeystorePassword(),
					certificate.getCertificateKeyPassword(), certificate.getCertificateKeyAlias());
		}

		void set(SSLHostConfigCertificate certificate) {
			if (this.keyStore != null) {
				certificate.setCertificateKeystore(this.keyStore);
				certificate.setCertificateKeystorePassword(this.keyStorePassword);
				certificate.setCertificateKeyPassword(this.password);
				certificate.setCertificateKeyAlias(this.alias);
			}
		}

	}

}
