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
import java.util.Set;

import io.github.tomcatopenssl.autoconfigure.ServerCertificateBundles.HostSettings;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.jspecify.annotations.Nullable;

/**
 * Hands to a host of Tomcat what its SSL bundle cannot carry: several certificates and
 * the revocation checks. The key store tells which bundle the host is of.
 */
class TlsHostSettings {

	private final @Nullable ServerCertificateBundles bundles;

	TlsHostSettings(@Nullable ServerCertificateBundles bundles) {
		this.bundles = bundles;
	}

	/**
	 * Apply the settings of the bundle.
	 * @param config the configuration of a host
	 * @param ofServerCertificate whether it is a host of a server whose default host has
	 * the certificate files: the revocation checks then count for it as well, whatever
	 * its own bundle is
	 * @return the same configuration, or the one that takes its place
	 */
	SSLHostConfig apply(SSLHostConfig config, boolean ofServerCertificate) {
		if (this.bundles == null) {
			return config;
		}
		KeyStore keyStore = keyStore(config);
		HostSettings settings = find(keyStore);
		SSLHostConfig applied = config;
		if (keyStore != null && settings != null && settings.hasSeveralKeys() && config.getCertificates().size() == 1) {
			applied = new SeveralCertificatesHostConfig(config, keyStore, settings);
		}
		if (ofServerCertificate || settings != null) {
			this.bundles.revocation().applyTo(applied);
		}
		return applied;
	}

	/**
	 * Find the settings.
	 * @param config the configuration of a host
	 * @return the settings, or {@code null} where its bundle is not made of certificate
	 * files
	 */
	@Nullable HostSettings find(SSLHostConfig config) {
		return find(keyStore(config));
	}

	private @Nullable HostSettings find(@Nullable KeyStore keyStore) {
		return (this.bundles != null && keyStore != null) ? this.bundles.settings(keyStore) : null;
	}

	private static @Nullable KeyStore keyStore(SSLHostConfig config) {
		Set<SSLHostConfigCertificate> certificates = config.getCertificates();
		if (certificates.isEmpty() || certificates.iterator().next().getCertificateFile() != null) {
			return null;
		}
		try {
			return certificates.iterator().next().getCertificateKeystore();
		}
		catch (IOException ex) {
			// Not of a bundle; Tomcat says what is wrong with it when it needs it
			return null;
		}
	}

}
