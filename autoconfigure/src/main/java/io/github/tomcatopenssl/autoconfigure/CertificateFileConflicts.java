// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import io.github.tomcatopenssl.certificate.CertificateFileException;
import io.github.tomcatopenssl.certificate.HostFiles;
import io.github.tomcatopenssl.certificate.KeyMaterial;
import io.github.tomcatopenssl.certificate.development.DevelopmentCertificate;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.ConfigurationPropertyState;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.Ssl.ClientAuth;
import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

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
		others.put("certificate-file", StringUtils.hasText(all.certificateFile()));
		others.put("certificate-key-file", StringUtils.hasText(all.certificateKeyFile()));
		others.put("certificate-key-password", StringUtils.hasText(all.certificateKeyPassword()));
		others.put("certificate-chain-file", StringUtils.hasText(all.certificateChainFile()));
		others.put("certificates", !all.certificates().isEmpty());
		others.put("server-name-certificates", !all.serverNameCertificates().isEmpty());
		others.put("bundle", StringUtils.hasText(this.ssl.getBundle()));
		others.put("certificate", StringUtils.hasText(this.ssl.getCertificate()));
		others.put("certificate-private-key", StringUtils.hasText(this.ssl.getCertificatePrivateKey()));
		others.put("key-store", StringUtils.hasText(this.ssl.getKeyStore()));
		others.put("key-password", StringUtils.hasText(this.ssl.getKeyPassword()));
		others.put("server-name-bundles", !this.ssl.getServerNameBundles().isEmpty());
		others.forEach((other, isSet) -> {
			if (isSet) {
				throw contradiction(DevelopmentCertificate.PROPERTY, null, "server.ssl." + other);
			}
		});
	}

	// However they are spelled, as environment variables too
	static void rejectManagement(Environment environment) {
		for (String property : TomcatOpenSslProperties.NAMES) {
			ConfigurationPropertyName name = ConfigurationPropertyName.of("management.server.ssl." + property);
			for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
				if (source.getConfigurationProperty(name) != null
						|| source.containsDescendantOf(name) == ConfigurationPropertyState.PRESENT) {
					throw new CertificateFileException(name.toString(), null,
							"the management server does not have this property, but the value of 'server.ssl.%s'"
								.formatted(property),
							"Remove it. For another certificate than that of the main server, whose bundle is '%s', set 'management.server.ssl.bundle'"
								.formatted(HostFiles.BUNDLE_NAME),
							null);
				}
			}
		}
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
		if (StringUtils.hasText(value) && StringUtils.hasText(otherValue)) {
			throw contradiction(property, KeyMaterial.describe(value), other);
		}
	}

	private static CertificateFileException contradiction(String property, @Nullable String file, String other) {
		return new CertificateFileException(property, file,
				"'" + other + "' is set as well, and the two contradict each other",
				"Remove either '" + property + "' or '" + other + "'", null);
	}

}
