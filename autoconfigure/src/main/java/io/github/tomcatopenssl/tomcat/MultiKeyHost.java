// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat;

import java.io.IOException;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.util.Collections;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;

import org.apache.tomcat.util.net.SSLContext;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.SSLImplementation;
import org.apache.tomcat.util.net.SSLUtil;
import org.jspecify.annotations.Nullable;

/**
 * A virtual host that has keys of several types in one key store. Spring Boot configures
 * one certificate of it, with the key store; Tomcat serves one for each key, all of them
 * replaced at once when their contexts have been made.
 */
public class MultiKeyHost extends SSLHostConfig {

	/**
	 * Followed by the type of the key, the alias of each key of such a key store.
	 */
	public static final String ALIAS_PREFIX = "server-";

	private @Nullable SSLHostConfigCertificate configured;

	private volatile Set<SSLHostConfigCertificate> served = Set.of();

	MultiKeyHost(SSLHostConfig configured) throws IOException {
		setHostName(configured.getHostName());
		setCertificateVerification(configured.getCertificateVerificationAsString());
		HostReplacement.move(configured, this);
	}

	// Whether Spring Boot has given a host a key store of that kind
	static boolean isNeededFor(SSLHostConfig host) {
		SSLHostConfigCertificate certificate = HostReplacement.ofBundle(host);
		KeyStore keyStore = (certificate != null) ? HostKeys.keyStore(certificate) : null;
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

	// If one cannot be made, those that were served before still are
	void load(SSLImplementation implementation, List<String> negotiableProtocols) throws Exception {
		SSLHostConfigCertificate source = Objects.requireNonNull(this.configured);
		KeyStore keyStore = source.getCertificateKeystore();
		Set<SSLHostConfigCertificate> loaded = new LinkedHashSet<>();
		for (String alias : Collections.list(keyStore.aliases())) {
			SSLHostConfigCertificate certificate = new SSLHostConfigCertificate(this, SSLHostConfigCertificate.Type
				.valueOf(alias.substring(ALIAS_PREFIX.length()).replace("-", "").toUpperCase(Locale.ROOT)));
			certificate.setCertificateKeystore(keyStore);
			certificate.setCertificateKeystorePassword(source.getCertificateKeystorePassword());
			certificate.setCertificateKeyAlias(alias);
			certificate.setSslContext(createSslContext(certificate, implementation, negotiableProtocols));
			loaded.add(certificate);
		}
		this.served = loaded;
	}

	// What a context enables it reads back from OpenSSL, without TLS 1.3, which the next
	// one then would not have
	static SSLContext createSslContext(SSLHostConfigCertificate certificate, SSLImplementation implementation,
			List<String> negotiableProtocols) throws Exception {
		SSLUtil util = implementation.getSSLUtil(certificate);
		certificate.getSSLHostConfig().setEnabledProtocols(util.getEnabledProtocols());
		certificate.getSSLHostConfig().setEnabledCiphers(util.getEnabledCiphers());
		return util.createSSLContext(negotiableProtocols);
	}

	void release() {
		this.served.stream().map(SSLHostConfigCertificate::getSslContext).forEach(SSLContext::destroy);
	}

}
