// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.io.IOException;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;

import io.github.tomcatopenssl.KeyAlias;
import io.github.tomcatopenssl.MultiKeyStore;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.jspecify.annotations.Nullable;

/**
 * A virtual host with keys of several types in one key store. Spring Boot configures a
 * single certificate with that key store. Tomcat serves one certificate for each key, and
 * all of them are replaced at once after their contexts have been created.
 */
class MultiKeyHost extends SSLHostConfig {

	private @Nullable SSLHostConfigCertificate configured;

	private volatile Set<SSLHostConfigCertificate> served = Set.of();

	MultiKeyHost(SSLHostConfig configured) {
		setHostName(configured.getHostName());
		setCertificateVerification(configured.getCertificateVerificationAsString());
		HostSettings.of(configured).applyTo(this);
	}

	// Returns whether Spring Boot has given the host such a key store
	static boolean isNeededFor(SSLHostConfig host) {
		return keyStoreOfBundle(host) instanceof MultiKeyStore;
	}

	// Returns null unless Spring Boot has configured the host with an SSL bundle
	private static @Nullable KeyStore keyStoreOfBundle(SSLHostConfig host) {
		Set<SSLHostConfigCertificate> certificates = host.getCertificates();
		if (host.getClass() != SSLHostConfig.class || certificates.size() != 1) {
			return null;
		}
		SSLHostConfigCertificate certificate = certificates.iterator().next();
		return (certificate.getType() == SSLHostConfigCertificate.Type.UNDEFINED) ? HostKeys.keyStore(certificate)
				: null;
	}

	@Override
	public void addCertificate(SSLHostConfigCertificate certificate) {
		this.configured = certificate;
		if (this.served.isEmpty()) {
			super.addCertificate(certificate);
		}
	}

	@Override
	public Set<SSLHostConfigCertificate> getCertificates(boolean createDefaultIfEmpty) {
		return this.served.isEmpty() ? super.getCertificates(createDefaultIfEmpty) : this.served;
	}

	// Returns a certificate for each key, without contexts
	Set<SSLHostConfigCertificate> certificatesOfKeys() throws KeyStoreException, IOException {
		SSLHostConfigCertificate source = Objects.requireNonNull(this.configured);
		KeyStore keyStore = source.getCertificateKeystore();
		Set<SSLHostConfigCertificate> certificates = new LinkedHashSet<>();
		for (String alias : Collections.list(keyStore.aliases())) {
			SSLHostConfigCertificate certificate = new SSLHostConfigCertificate(this,
					SSLHostConfigCertificate.Type.valueOf(KeyAlias.typeOf(alias)));
			certificate.setCertificateKeystore(keyStore);
			certificate.setCertificateKeystorePassword(source.getCertificateKeystorePassword());
			certificate.setCertificateKeyAlias(alias);
			certificates.add(certificate);
		}
		return certificates;
	}

	void serve(Set<SSLHostConfigCertificate> certificates) {
		this.served = certificates;
	}

	@Nullable SSLHostConfigCertificate configured() {
		return this.configured;
	}

}
