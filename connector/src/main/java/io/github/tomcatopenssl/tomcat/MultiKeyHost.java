// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat;

import java.io.IOException;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;

import org.apache.tomcat.util.net.SSLContext;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.jspecify.annotations.Nullable;

/**
 * A virtual host with keys of several types in one key store. Spring Boot configures a
 * single certificate with that key store. Tomcat serves one certificate for each key, and
 * all of them are replaced at once after their contexts have been created.
 */
public class MultiKeyHost extends SSLHostConfig {

	/**
	 * Prefix of the alias of each key in such a key store. The type of the key follows
	 * it.
	 */
	public static final String ALIAS_PREFIX = "server-";

	private @Nullable SSLHostConfigCertificate configured;

	private volatile Set<SSLHostConfigCertificate> served = Set.of();

	MultiKeyHost(SSLHostConfig configured) throws IOException {
		setHostName(configured.getHostName());
		setCertificateVerification(configured.getCertificateVerificationAsString());
		HostSettings.of(configured).applyTo(this);
	}

	// Returns whether Spring Boot has given the host such a key store
	static boolean isNeededFor(SSLHostConfig host) {
		KeyStore keyStore = keyStoreOfBundle(host);
		try {
			if (keyStore == null || keyStore.size() < 2) {
				return false;
			}
			for (String alias : Collections.list(keyStore.aliases())) {
				if (!keyStore.isKeyEntry(alias) || !alias
					.equalsIgnoreCase(ALIAS_PREFIX + keyStore.getCertificate(alias).getPublicKey().getAlgorithm())) {
					return false;
				}
			}
			return true;
		}
		catch (KeyStoreException ex) {
			throw new IllegalStateException(ex);
		}
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

	// Creates the context of each key, and returns the action that puts them into use
	Runnable prepare(ContextFactory factory) throws Exception {
		SSLHostConfigCertificate source = Objects.requireNonNull(this.configured);
		KeyStore keyStore = source.getCertificateKeystore();
		Set<SSLHostConfigCertificate> prepared = new LinkedHashSet<>();
		for (String alias : Collections.list(keyStore.aliases())) {
			SSLHostConfigCertificate certificate = new SSLHostConfigCertificate(this, SSLHostConfigCertificate.Type
				.valueOf(alias.substring(ALIAS_PREFIX.length()).replace("-", "").toUpperCase(Locale.ROOT)));
			certificate.setCertificateKeystore(keyStore);
			certificate.setCertificateKeystorePassword(source.getCertificateKeystorePassword());
			certificate.setCertificateKeyAlias(alias);
			certificate.setSslContext(factory.create(certificate));
			prepared.add(certificate);
		}
		return () -> this.served = prepared;
	}

	void release() {
		this.served.stream().map(SSLHostConfigCertificate::getSslContext).forEach(SSLContext::destroy);
	}

	@Nullable SSLHostConfigCertificate configured() {
		return this.configured;
	}

	/**
	 * Creates the context of a certificate.
	 */
	interface ContextFactory {

		SSLContext create(SSLHostConfigCertificate certificate) throws Exception;

	}

}
