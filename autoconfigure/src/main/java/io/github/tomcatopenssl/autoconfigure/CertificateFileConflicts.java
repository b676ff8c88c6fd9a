// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Stream;

import io.github.tomcatopenssl.certificate.CertificateFileException;
import io.github.tomcatopenssl.certificate.HostFiles;
import io.github.tomcatopenssl.certificate.KeyMaterial;
import io.github.tomcatopenssl.certificate.development.DevelopmentCertificate;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.Ssl.ClientAuth;
import org.springframework.core.env.Environment;

/**
 * Rejects certificate files beside properties that say something else.
 */
class CertificateFileConflicts {

	private static final Log logger = LogFactory.getLog(CertificateFileConflicts.class);

	private static final String CA_CERTIFICATE_FILE = "server.ssl.ca-certificate-file";

	private static final String REVOCATION_LIST_FILE = "server.ssl.certificate-revocation-list-file";

	private static final String OCSP_ENABLED = "server.ssl.ocsp-enabled";

	private final TomcatOpenSslProperties properties;

	private final Ssl ssl;

	private final Environment environment;

	CertificateFileConflicts(TomcatOpenSslProperties properties, Ssl ssl, Environment environment) {
		this.properties = properties;
		this.ssl = ssl;
		this.environment = environment;
	}

	void reject(List<HostFiles> hosts) {
		KeyMaterial.Locations first = hosts.get(0).certificates().get(0);
		String property = first.certificateFileProperty();
		String file = first.certificateFile();
		requireAlone(property, file, "server.ssl.bundle", this.ssl.getBundle());
		requireAlone(property, file, "server.ssl.certificate", this.ssl.getCertificate());
		requireAlone(property, file, "server.ssl.certificate-private-key", this.ssl.getCertificatePrivateKey());
		requireAlone(property, file, "server.ssl.key-store", this.ssl.getKeyStore());
		requireAlone(property, file, "server.ssl.key-password", this.ssl.getKeyPassword());
		String caCertificateFile = this.properties.caCertificateFile();
		requireAlone(CA_CERTIFICATE_FILE, caCertificateFile, "server.ssl.trust-certificate",
				this.ssl.getTrustCertificate());
		requireAlone(CA_CERTIFICATE_FILE, caCertificateFile, "server.ssl.trust-store", this.ssl.getTrustStore());
		hosts.forEach(this::rejectServerNameBundle);
		rejectClientVerification();
		if (this.properties.certificateRevocationListFile() != null && this.properties.ocspEnabled()) {
			throw new CertificateFileException(OCSP_ENABLED, null, "'" + REVOCATION_LIST_FILE
					+ "' is set as well, and Java would accept a client that is on the list when its OCSP responder does",
					"Remove either '" + OCSP_ENABLED + "' or '" + REVOCATION_LIST_FILE + "'", null);
		}
	}

	// Before it is made
	void rejectBesideDevelopmentCertificate() {
		TomcatOpenSslProperties all = this.properties;
		Map<String, Boolean> others = new LinkedHashMap<>();
		others.put("certificate-file", all.certificateFile() != null);
		others.put("certificate-key-file", all.certificateKeyFile() != null);
		others.put("certificate-key-password", all.certificateKeyPassword() != null);
		others.put("certificate-chain-file", all.certificateChainFile() != null);
		others.put("certificates", !all.certificates().isEmpty());
		others.put("server-name-certificates", !all.serverNameCertificates().isEmpty());
		others.put("bundle", this.ssl.getBundle() != null);
		others.put("certificate", this.ssl.getCertificate() != null);
		others.put("certificate-private-key", this.ssl.getCertificatePrivateKey() != null);
		others.put("key-store", this.ssl.getKeyStore() != null);
		others.put("key-password", this.ssl.getKeyPassword() != null);
		others.put("server-name-bundles", !this.ssl.getServerNameBundles().isEmpty());
		others.forEach((other, isSet) -> {
			if (isSet) {
				throw contradiction(DevelopmentCertificate.PROPERTY, null, "server.ssl." + other);
			}
		});
	}

	static void rejectManagement(Environment environment) {
		Stream
			.of("certificate-file", "certificate-key-file", "certificate-key-password", "certificate-chain-file",
					"ca-certificate-file", "certificate-revocation-list-file", "ocsp-enabled", "ocsp-soft-fail",
					"reload-on-update", "development-certificate", "certificates[0].certificate-file",
					"server-name-certificates[0].certificate-file")
			.map("management.server.ssl."::concat)
			.filter(environment::containsProperty)
			.findFirst()
			.ifPresent((property) -> {
				throw new CertificateFileException(property, null, "the management server does not have this property",
						"Set 'management.server.ssl.bundle' to '%s' for the certificate of the main server, or to a bundle of its own"
							.formatted(HostFiles.BUNDLE_NAME),
						null);
			});
	}

	private void rejectServerNameBundle(HostFiles host) {
		if (this.ssl.getServerNameBundles()
			.stream()
			.anyMatch((bundle) -> bundle.serverName().equalsIgnoreCase(host.serverName()))) {
			throw host.certificates()
				.get(0)
				.failure("'server.ssl.server-name-bundles' has a bundle for the host name '%s' as well"
					.formatted(host.serverName()), "Remove one of the two", null);
		}
	}

	private void rejectClientVerification() {
		ClientAuth clientAuth = this.ssl.getClientAuth();
		if (clientAuth == null || clientAuth == ClientAuth.NONE) {
			warnOfNoEffect();
		}
		else if (this.properties.caCertificateFile() == null && this.ssl.getTrustStore() == null
				&& this.ssl.getTrustCertificate() == null) {
			throw new CertificateFileException(CA_CERTIFICATE_FILE, null,
					"it is not set, but 'server.ssl.client-auth' is '%s': there is no CA to verify client certificates against"
						.formatted(clientAuth.name().toLowerCase(Locale.ROOT)),
					"Set '" + CA_CERTIFICATE_FILE + "' to the CAs of your clients, or remove 'server.ssl.client-auth'",
					null);
		}
	}

	private void warnOfNoEffect() {
		ClientAuth managementClientAuth = Binder.get(this.environment)
			.bind("management.server.ssl.client-auth", ClientAuth.class)
			.orElse(ClientAuth.NONE);
		if (managementClientAuth == ClientAuth.NONE) {
			warnOfNoEffect(CA_CERTIFICATE_FILE, this.properties.caCertificateFile() != null);
			warnOfNoEffect(REVOCATION_LIST_FILE, this.properties.certificateRevocationListFile() != null);
			warnOfNoEffect(OCSP_ENABLED, this.properties.ocspEnabled());
		}
	}

	private static void warnOfNoEffect(String property, boolean isSet) {
		if (isSet) {
			logger.warn("'%s' is set, but no client is verified. Set 'server.ssl.client-auth' to 'need' or 'want'"
				.formatted(property));
		}
	}

	// Spring Boot's analyzer of exclusive properties is silent about environment
	// variables: it looks for 'server.ssl.key-store', not for SERVER_SSL_KEYSTORE
	private static void requireAlone(String property, @Nullable String value, String other,
			@Nullable String otherValue) {
		if (value != null && otherValue != null) {
			throw contradiction(property, KeyMaterial.describe(value), other);
		}
	}

	private static CertificateFileException contradiction(String property, @Nullable String file, String other) {
		return new CertificateFileException(property, file,
				"'" + other + "' is set as well, and the two contradict each other",
				"Remove either '" + property + "' or '" + other + "'", null);
	}

}
