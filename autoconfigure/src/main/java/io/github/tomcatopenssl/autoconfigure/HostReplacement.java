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
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.util.Set;

import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.SSLHostConfigCertificate.Type;
import org.jspecify.annotations.Nullable;

/**
 * Moves a reloaded SSL bundle to the virtual host that has been served. Spring Boot up to
 * 4.1.1 makes a new one, and forgets what a customizer has set on the old one; later
 * versions change the old one, as is done here.
 */
final class HostReplacement {

	private static final SSLHostConfig DEFAULTS = new SSLHostConfig();

	private HostReplacement() {
	}

	/**
	 * Return the certificate of a virtual host that Spring Boot has made of an SSL
	 * bundle.
	 * @param host a virtual host
	 * @return the certificate, or {@code null} if the host was made in another way
	 */
	static @Nullable SSLHostConfigCertificate ofBundle(SSLHostConfig host) {
		Set<SSLHostConfigCertificate> certificates = host.getCertificates();
		if (host.getClass() != SSLHostConfig.class || certificates.size() != 1) {
			return null;
		}
		SSLHostConfigCertificate certificate = certificates.iterator().next();
		boolean isOfBundle = certificate.getType() == Type.UNDEFINED && certificate.getCertificateFile() == null;
		return (isOfBundle && keyStore(certificate) != null) ? certificate : null;
	}

	private static @Nullable KeyStore keyStore(SSLHostConfigCertificate certificate) {
		try {
			return certificate.getCertificateKeystore();
		}
		catch (IOException ex) {
			// Tomcat says what is wrong with it when it needs it
			return null;
		}
	}

	/**
	 * Move what an SSL bundle says.
	 * @param from a virtual host of an SSL bundle
	 * @param to the virtual host that it replaces
	 * @throws IOException if a key store cannot be read
	 */
	static void move(SSLHostConfig from, SSLHostConfig to) throws IOException {
		SSLHostConfigCertificate source = from.getCertificates().iterator().next();
		SSLHostConfigCertificate target = certificate(to);
		target.setCertificateKeystore(source.getCertificateKeystore());
		target.setCertificateKeystorePassword(source.getCertificateKeystorePassword());
		target.setCertificateKeyPassword(source.getCertificateKeyPassword());
		target.setCertificateKeyAlias(source.getCertificateKeyAlias());
		to.setSslProtocol(from.getSslProtocol());
		if (!DEFAULTS.getCiphers().equals(from.getCiphers())
				|| !DEFAULTS.getCipherSuites().equals(from.getCipherSuites())) {
			to.setCiphers(from.getCiphers());
			to.setCipherSuites(from.getCipherSuites());
		}
		if (!DEFAULTS.getProtocols().equals(from.getProtocols())) {
			to.setProtocols(String.join("+", from.getProtocols()));
		}
		if (from.getTruststore() != null) {
			to.setTrustStore(from.getTruststore());
		}
	}

	/**
	 * Drop the alias of the bundle before, which Spring Boot 4.1.2 leaves where the new
	 * bundle has none.
	 * @param certificate the certificate of a virtual host that Spring Boot has changed
	 * @throws IOException if the key store cannot be read
	 */
	static void dropOutdatedAlias(SSLHostConfigCertificate certificate) throws IOException {
		try {
			String alias = certificate.getCertificateKeyAlias();
			if (alias != null && !certificate.getCertificateKeystore().isKeyEntry(alias)) {
				certificate.setCertificateKeyAlias(null);
			}
		}
		catch (KeyStoreException ex) {
			throw new IOException(ex);
		}
	}

	private static SSLHostConfigCertificate certificate(SSLHostConfig host) {
		Set<SSLHostConfigCertificate> certificates = host.getCertificates();
		if (certificates.size() == 1) {
			return certificates.iterator().next();
		}
		SSLHostConfigCertificate certificate = new SSLHostConfigCertificate(host, Type.UNDEFINED);
		host.addCertificate(certificate);
		return certificate;
	}

}
