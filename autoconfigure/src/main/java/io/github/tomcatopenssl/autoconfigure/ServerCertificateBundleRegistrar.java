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

import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

import io.github.tomcatopenssl.certificate.CertificateFileException;
import io.github.tomcatopenssl.certificate.PemCertificateFiles;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.autoconfigure.ssl.SslBundleRegistrar;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleKey;
import org.springframework.boot.ssl.SslBundleRegistry;
import org.springframework.boot.ssl.SslOptions;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStore;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.Ssl.ClientAuth;
import org.springframework.boot.web.server.WebServerSslBundle;
import org.springframework.core.io.ResourceLoader;

/**
 * Registers the certificate files as the SSL bundle {@value #BUNDLE_NAME}.
 */
class ServerCertificateBundleRegistrar implements SslBundleRegistrar {

	/**
	 * Name of the bundle, for what shows bundles and for other servers that use the same
	 * certificate.
	 */
	static final String BUNDLE_NAME = "server-ssl";

	private static final Log logger = LogFactory.getLog(ServerCertificateBundleRegistrar.class);

	private static final String CERTIFICATE_FILE = "server.ssl.certificate-file";

	private static final String CA_CERTIFICATE_FILE = "server.ssl.ca-certificate-file";

	/**
	 * Tomcat's OpenSSL engine finds a key of any type by its alias only.
	 */
	private static final String ALIAS = "server";

	private final TomcatOpenSslProperties properties;

	private final Ssl ssl;

	private final List<String> configured;

	private final ResourceLoader resourceLoader;

	/**
	 * Create a new registrar.
	 * @param properties the properties of this project
	 * @param ssl the properties of Spring Boot, or {@code null}
	 * @param configured the names of the certificate properties that are set
	 * @param resourceLoader loads the files
	 */
	ServerCertificateBundleRegistrar(TomcatOpenSslProperties properties, @Nullable Ssl ssl, List<String> configured,
			ResourceLoader resourceLoader) {
		this.properties = properties;
		this.ssl = (ssl != null) ? ssl : new Ssl();
		this.configured = configured;
		this.resourceLoader = resourceLoader;
	}

	@Override
	public void registerBundles(SslBundleRegistry registry) {
		if (this.configured.isEmpty()) {
			return;
		}
		for (String property : this.configured) {
			if (property.startsWith("management.")) {
				throw new CertificateFileException(property, null, "the management server does not have this property",
						"Set 'management.server.ssl.bundle' to '%s' for the certificate of the main server, or to a bundle of its own"
							.formatted(BUNDLE_NAME),
						null);
			}
		}
		String certificateFile = this.properties.getCertificateFile();
		if (certificateFile == null) {
			throw new CertificateFileException(CERTIFICATE_FILE, null,
					"it is not set, but other properties of it are (its key, key password, chain or CA file)",
					"Set '" + CERTIFICATE_FILE + "', or remove the others", null);
		}
		rejectContradictions(certificateFile);
		PemCertificateFiles files = PemCertificateFiles.load(new PemCertificateFiles.Locations(certificateFile,
				this.properties.getCertificateKeyFile(), this.properties.getCertificateKeyPassword(),
				this.properties.getCertificateChainFile(), this.properties.getCaCertificateFile()),
				this.resourceLoader);
		for (String problem : files.validityProblems(Instant.now())) {
			logger.warn("'%s' ('%s'): %s. Renew it, clients will refuse it".formatted(CERTIFICATE_FILE,
					PemCertificateFiles.describe(certificateFile), problem));
		}
		register(registry, createBundle(files));
	}

	private static void register(SslBundleRegistry registry, SslBundle bundle) {
		try {
			registry.registerBundle(BUNDLE_NAME, bundle);
		}
		catch (IllegalStateException ex) {
			throw new CertificateFileException(CERTIFICATE_FILE, null,
					"there is an SSL bundle of the name '%s' already, which is that of the certificate file"
						.formatted(BUNDLE_NAME),
					"Give your bundle '%s' another name".formatted(BUNDLE_NAME), ex);
		}
	}

	private void rejectContradictions(String certificateFile) {
		Map<String, @Nullable String> others = new LinkedHashMap<>();
		others.put("server.ssl.bundle", this.ssl.getBundle());
		others.put("server.ssl.certificate", this.ssl.getCertificate());
		others.put("server.ssl.certificate-private-key", this.ssl.getCertificatePrivateKey());
		others.put("server.ssl.key-store", this.ssl.getKeyStore());
		others.put("server.ssl.key-password", this.ssl.getKeyPassword());
		rejectContradictions(CERTIFICATE_FILE, certificateFile, others);
		String caCertificateFile = this.properties.getCaCertificateFile();
		if (caCertificateFile != null) {
			others.clear();
			others.put("server.ssl.trust-certificate", this.ssl.getTrustCertificate());
			others.put("server.ssl.trust-store", this.ssl.getTrustStore());
			rejectContradictions(CA_CERTIFICATE_FILE, caCertificateFile, others);
			if (clientAuth() == ClientAuth.NONE) {
				logger.warn("'" + CA_CERTIFICATE_FILE
						+ "' is set, but no client is verified. Set 'server.ssl.client-auth' to 'need' or 'want'");
			}
		}
		else if (clientAuth() != ClientAuth.NONE && !hasTrustStore()) {
			throw new CertificateFileException(CA_CERTIFICATE_FILE, null,
					"it is not set, but 'server.ssl.client-auth' is '%s': there is no CA to verify client certificates against"
						.formatted(clientAuth().name().toLowerCase(Locale.ROOT)),
					"Set '" + CA_CERTIFICATE_FILE + "' to the CAs of your clients, or remove 'server.ssl.client-auth'",
					null);
		}
	}

	private static void rejectContradictions(String property, String value, Map<String, @Nullable String> others) {
		others.values().removeIf(Objects::isNull);
		for (String other : others.keySet()) {
			throw new CertificateFileException(property, PemCertificateFiles.describe(value),
					"'" + other + "' is set as well, and the two contradict each other",
					"Remove either '" + property + "' or '" + other + "'", null);
		}
	}

	private ClientAuth clientAuth() {
		return Objects.requireNonNullElse(this.ssl.getClientAuth(), ClientAuth.NONE);
	}

	private boolean hasTrustStore() {
		return this.ssl.getTrustStore() != null || this.ssl.getTrustCertificate() != null;
	}

	private SslBundle createBundle(PemCertificateFiles files) {
		PemSslStore keyStore = PemSslStore.of(null, ALIAS, null, files.certificates(), files.privateKey());
		PemSslStore trustStore = files.caCertificates().isEmpty() ? null
				: PemSslStore.of(null, files.caCertificates(), null);
		SslStoreBundle stores = new PemSslStoreBundle(keyStore, trustStore);
		if (hasTrustStore()) {
			stores = SslStoreBundle.of(stores.getKeyStore(), null,
					WebServerSslBundle.get(this.ssl).getStores().getTrustStore());
		}
		return SslBundle.of(stores, SslBundleKey.of(null, ALIAS),
				SslOptions.of(this.ssl.getCiphers(), this.ssl.getEnabledProtocols()), this.ssl.getProtocol());
	}

}
