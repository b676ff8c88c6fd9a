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
import java.util.ArrayList;
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
class SeveralKeysHost extends SSLHostConfig {

	/**
	 * Followed by the type of the key, the alias of each key of such a key store.
	 */
	static final String ALIAS_PREFIX = "server-";

	private @Nullable SSLHostConfigCertificate configured;

	private volatile Set<SSLHostConfigCertificate> served = Set.of();

	SeveralKeysHost(SSLHostConfig configured) throws IOException {
		setHostName(configured.getHostName());
		setCertificateVerification(configured.getCertificateVerificationAsString());
		HostReplacement.move(configured, this);
	}

	/**
	 * Return the aliases of the keys.
	 * @param keyStore a key store
	 * @return those of a key store with keys of several types, the preferred one first;
	 * empty for any other key store
	 */
	static List<String> aliases(KeyStore keyStore) {
		try {
			List<String> aliases = new ArrayList<>(Collections.list(keyStore.aliases()));
			for (String alias : aliases) {
				if (!keyStore.isKeyEntry(alias) || !alias.equals(ALIAS_PREFIX + type(keyStore, alias))) {
					return List.of();
				}
			}
			return (aliases.size() > 1) ? aliases : List.of();
		}
		catch (KeyStoreException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static String type(KeyStore keyStore, String alias) throws KeyStoreException {
		return keyStore.getCertificate(alias).getPublicKey().getAlgorithm().toLowerCase(Locale.ROOT);
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

	/**
	 * Make the contexts, and serve them.
	 * @param implementation the engine
	 * @param negotiableProtocols the application protocols
	 * @throws Exception if one cannot be made; those that were served before still are
	 */
	void load(SSLImplementation implementation, List<String> negotiableProtocols) throws Exception {
		SSLHostConfigCertificate source = Objects.requireNonNull(this.configured);
		KeyStore keyStore = source.getCertificateKeystore();
		Set<SSLHostConfigCertificate> loaded = new LinkedHashSet<>();
		for (String alias : aliases(keyStore)) {
			SSLHostConfigCertificate certificate = new SSLHostConfigCertificate(this,
					SSLHostConfigCertificate.Type.valueOf(type(keyStore, alias).toUpperCase(Locale.ROOT)));
			certificate.setCertificateKeystore(keyStore);
			certificate.setCertificateKeystorePassword(source.getCertificateKeystorePassword());
			certificate.setCertificateKeyAlias(alias);
			// What it enables it reads back from OpenSSL, without TLS 1.3, which the next
			// one then would not have
			SSLUtil util = implementation.getSSLUtil(certificate);
			setEnabledProtocols(util.getEnabledProtocols());
			setEnabledCiphers(util.getEnabledCiphers());
			certificate.setSslContext(util.createSSLContext(negotiableProtocols));
			loaded.add(certificate);
		}
		this.served = loaded;
	}

	/**
	 * Free what the contexts have, when nothing is served any more.
	 */
	void release() {
		this.served.stream().map(SSLHostConfigCertificate::getSslContext).forEach(SSLContext::destroy);
	}

}
