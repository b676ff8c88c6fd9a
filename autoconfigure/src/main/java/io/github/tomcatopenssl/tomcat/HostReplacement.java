// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat;

import java.io.IOException;
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

	private HostReplacement() {
	}

	// The certificate of a host that Spring Boot has made of an SSL bundle, null for
	// others
	static @Nullable SSLHostConfigCertificate ofBundle(SSLHostConfig host) {
		Set<SSLHostConfigCertificate> certificates = host.getCertificates();
		if (host.getClass() != SSLHostConfig.class || certificates.size() != 1) {
			return null;
		}
		SSLHostConfigCertificate certificate = certificates.iterator().next();
		boolean isOfBundle = certificate.getType() == Type.UNDEFINED && certificate.getCertificateFile() == null;
		return (isOfBundle && HostKeys.keyStore(certificate) != null) ? certificate : null;
	}

	// The host to have for a new one: the one before, with its certificate
	static SSLHostConfig replace(@Nullable SSLHostConfig previous, SSLHostConfig host) throws IOException {
		SSLHostConfigCertificate certificate = ofBundle(host);
		if (certificate == null) {
			return host;
		}
		if (previous == host) {
			dropOutdatedAlias(certificate);
			return host;
		}
		if (previous != null) {
			HostSettings.of(host).replace(previous);
			return previous;
		}
		return MultiKeyHost.isNeededFor(host) ? new MultiKeyHost(host) : host;
	}

	// Spring Boot 4.1.2 leaves the alias of the bundle before where the new one has none
	private static void dropOutdatedAlias(SSLHostConfigCertificate certificate) throws IOException {
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

}
