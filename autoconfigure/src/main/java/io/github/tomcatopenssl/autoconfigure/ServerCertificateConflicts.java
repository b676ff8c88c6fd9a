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

import java.util.List;
import java.util.Locale;
import java.util.Objects;

import io.github.tomcatopenssl.certificate.CertificateFileException;
import io.github.tomcatopenssl.certificate.HostFiles;
import io.github.tomcatopenssl.certificate.KeyMaterial;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.Ssl.ClientAuth;

/**
 * Rejects certificate files beside properties that say something else.
 */
class ServerCertificateConflicts {

	private static final Log logger = LogFactory.getLog(ServerCertificateConflicts.class);

	private static final String CA_CERTIFICATE_FILE = "server.ssl.ca-certificate-file";

	private static final String REVOCATION_LIST_FILE = "server.ssl.certificate-revocation-list-file";

	private static final String OCSP_ENABLED = "server.ssl.ocsp-enabled";

	private final TomcatOpenSslProperties properties;

	private final Ssl ssl;

	private final ClientAuth managementClientAuth;

	ServerCertificateConflicts(TomcatOpenSslProperties properties, Ssl ssl, ClientAuth managementClientAuth) {
		this.properties = properties;
		this.ssl = ssl;
		this.managementClientAuth = managementClientAuth;
	}

	void reject(List<String> configured, List<HostFiles> hosts) {
		KeyMaterial.Locations first = hosts.get(0).certificates().get(0);
		String property = first.certificateFileProperty();
		String file = first.certificateFile();
		requireAlone(property, file, "server.ssl.bundle", this.ssl.getBundle());
		requireAlone(property, file, "server.ssl.certificate", this.ssl.getCertificate());
		requireAlone(property, file, "server.ssl.certificate-private-key", this.ssl.getCertificatePrivateKey());
		requireAlone(property, file, "server.ssl.key-store", this.ssl.getKeyStore());
		requireAlone(property, file, "server.ssl.key-password", this.ssl.getKeyPassword());
		hosts.forEach(this::rejectServerNameBundle);
		rejectClientVerification(configured);
		if (configured.contains(REVOCATION_LIST_FILE) && this.properties.isOcspEnabled()) {
			throw new CertificateFileException(OCSP_ENABLED, null, "'" + REVOCATION_LIST_FILE
					+ "' is set as well, and Java would accept a client that is on the list when its OCSP responder does",
					"Remove either '" + OCSP_ENABLED + "' or '" + REVOCATION_LIST_FILE + "'", null);
		}
	}

	static void rejectManagement(List<String> configured) {
		for (String property : configured) {
			if (property.startsWith("management.")) {
				throw new CertificateFileException(property, null, "the management server does not have this property",
						"Set 'management.server.ssl.bundle' to '%s' for the certificate of the main server, or to a bundle of its own"
							.formatted(ConfiguredHosts.BUNDLE_NAME),
						null);
			}
		}
	}

	private void rejectServerNameBundle(HostFiles host) {
		KeyMaterial.Locations first = host.certificates().get(0);
		boolean twice = this.ssl.getServerNameBundles()
			.stream()
			.anyMatch((bundle) -> bundle.serverName().equalsIgnoreCase(host.serverName()));
		if (twice) {
			throw first.failure("'server.ssl.server-name-bundles' has a bundle for the host name '%s' as well"
				.formatted(host.serverName()), "Remove one of the two", null);
		}
	}

	private void rejectClientVerification(List<String> configured) {
		String caCertificateFile = this.properties.getCaCertificateFile();
		requireAlone(CA_CERTIFICATE_FILE, caCertificateFile, "server.ssl.trust-certificate",
				this.ssl.getTrustCertificate());
		requireAlone(CA_CERTIFICATE_FILE, caCertificateFile, "server.ssl.trust-store", this.ssl.getTrustStore());
		ClientAuth clientAuth = Objects.requireNonNullElse(this.ssl.getClientAuth(), ClientAuth.NONE);
		if (clientAuth == ClientAuth.NONE) {
			if (this.managementClientAuth == ClientAuth.NONE) {
				warnOfNoEffect(configured);
			}
		}
		else if (caCertificateFile == null && !hasTrustStore()) {
			throw new CertificateFileException(CA_CERTIFICATE_FILE, null,
					"it is not set, but 'server.ssl.client-auth' is '%s': there is no CA to verify client certificates against"
						.formatted(clientAuth.name().toLowerCase(Locale.ROOT)),
					"Set '" + CA_CERTIFICATE_FILE + "' to the CAs of your clients, or remove 'server.ssl.client-auth'",
					null);
		}
	}

	private void warnOfNoEffect(List<String> configured) {
		for (String property : List.of(CA_CERTIFICATE_FILE, REVOCATION_LIST_FILE, OCSP_ENABLED)) {
			if (configured.contains(property)) {
				logger.warn("'%s' is set, but no client is verified. Set 'server.ssl.client-auth' to 'need' or 'want'"
					.formatted(property));
			}
		}
	}

	private boolean hasTrustStore() {
		return this.ssl.getTrustStore() != null || this.ssl.getTrustCertificate() != null;
	}

	// Spring Boot's analyzer of exclusive properties is silent about environment
	// variables
	private static void requireAlone(String property, @Nullable String value, String other,
			@Nullable String otherValue) {
		if (value != null && otherValue != null) {
			throw new CertificateFileException(property, KeyMaterial.describe(value),
					"'" + other + "' is set as well, and the two contradict each other",
					"Remove either '" + property + "' or '" + other + "'", null);
		}
	}

}
