// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.List;
import java.util.Locale;

import io.github.tomcatopenssl.certificate.CertificateFileException;
import io.github.tomcatopenssl.certificate.CertificateFiles;
import io.github.tomcatopenssl.certificate.VirtualHostFiles;
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
 * Rejects certificate files if other properties contradict them.
 */
class CertificateFileConflicts {

	private static final Log logger = LogFactory.getLog(CertificateFileConflicts.class);

	private final TomcatOpenSslProperties properties;

	private final Ssl ssl;

	private final Environment environment;

	CertificateFileConflicts(TomcatOpenSslProperties properties, Ssl ssl, Environment environment) {
		this.properties = properties;
		this.ssl = ssl;
		this.environment = environment;
	}

	void reject(List<VirtualHostFiles> hosts) {
		CertificateFiles first = hosts.get(0).certificates().get(0);
		rejectCertificateOfSpringBoot(first.certificateFileProperty(), first.certificateFile());
		String caCertificateFile = this.properties.caCertificateFile();
		if (StringUtils.hasText(caCertificateFile)) {
			String property = ServerSslProperty.CA_CERTIFICATE_FILE.toString();
			requireNot("trust-certificate", this.ssl.getTrustCertificate(), property, caCertificateFile);
			requireNot("trust-store", this.ssl.getTrustStore(), property, caCertificateFile);
		}
		hosts.forEach(this::rejectServerNameBundle);
		rejectClientVerification();
		if (ServerSslProperty.CERTIFICATE_REVOCATION_LIST_FILE.isSet(this.properties)
				&& ServerSslProperty.OCSP_ENABLED.isSet(this.properties)) {
			throw ServerSslProperty.OCSP_ENABLED.failure(
					"'%s' is set as well, and Java would accept a client on the revocation list if its OCSP responder accepts it"
						.formatted(ServerSslProperty.CERTIFICATE_REVOCATION_LIST_FILE),
					"Remove either '%s' or '%s'".formatted(ServerSslProperty.OCSP_ENABLED,
							ServerSslProperty.CERTIFICATE_REVOCATION_LIST_FILE));
		}
	}

	// Called before a development certificate is issued, or one is ordered
	void rejectBeside(ServerSslProperty property) {
		for (ServerSslProperty other : ServerSslProperty.CERTIFICATE_SET) {
			if (other != property && other.isSet(this.properties) && !other.isBlank(this.properties)) {
				throw contradiction(property.toString(), null, other.toString());
			}
		}
		rejectCertificateOfSpringBoot(property.toString(), null);
		if (!this.ssl.getServerNameBundles().isEmpty()) {
			throw contradiction(property.toString(), null, "server.ssl.server-name-bundles");
		}
	}

	void rejectWithAcme() {
		if (!this.properties.reloadOnUpdate()) {
			throw ServerSslProperty.ACME.failure(
					"'%s' is 'false', so that a renewed certificate would never be used"
						.formatted(ServerSslProperty.RELOAD_ON_UPDATE),
					"Remove '%s'".formatted(ServerSslProperty.RELOAD_ON_UPDATE));
		}
		if (this.properties.openssl().fipsRequired()) {
			throw ServerSslProperty.ACME.failure(
					"'%s' is 'required', but the answer to the CA's challenge does not use the FIPS provider"
						.formatted(ServerSslProperty.OPENSSL_FIPS_MODE),
					"Obtain the certificate outside of the application and set '%s'"
						.formatted(ServerSslProperty.CERTIFICATE_FILE));
		}
	}

	// However the properties are spelled, also as environment variables
	static void rejectManagement(Environment environment) {
		for (ServerSslProperty property : ServerSslProperty.values()) {
			ConfigurationPropertyName name = ConfigurationPropertyName.of("management." + property);
			for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
				if (source.getConfigurationProperty(name) != null
						|| source.containsDescendantOf(name) == ConfigurationPropertyState.PRESENT) {
					throw new CertificateFileException(name.toString(), null,
							"the management server does not have this property and uses the value of '%s'"
								.formatted(property),
							"Remove it. To use a different bundle from the main server's, '%s', set 'management.server.ssl.bundle'"
								.formatted(VirtualHostFiles.BUNDLE_NAME),
							null);
				}
			}
		}
	}

	private void rejectCertificateOfSpringBoot(String property, @Nullable String file) {
		requireNot("bundle", this.ssl.getBundle(), property, file);
		requireNot("certificate", this.ssl.getCertificate(), property, file);
		requireNot("certificate-private-key", this.ssl.getCertificatePrivateKey(), property, file);
		requireNot("key-store", this.ssl.getKeyStore(), property, file);
		requireNot("key-password", this.ssl.getKeyPassword(), property, file);
	}

	private void rejectServerNameBundle(VirtualHostFiles host) {
		if (this.ssl.getServerNameBundles()
			.stream()
			.anyMatch((bundle) -> bundle.serverName().equalsIgnoreCase(host.serverName()))) {
			throw host.certificates()
				.get(0)
				.failure("'server.ssl.server-name-bundles' has a bundle for the host name '%s' as well"
					.formatted(host.serverName()), "Remove one of the two");
		}
	}

	private void rejectClientVerification() {
		ClientAuth clientAuth = this.ssl.getClientAuth();
		if (clientAuth == null || clientAuth == ClientAuth.NONE) {
			warnOfNoEffect();
		}
		else if (!ServerSslProperty.CA_CERTIFICATE_FILE.isSet(this.properties) && this.ssl.getTrustStore() == null
				&& this.ssl.getTrustCertificate() == null) {
			throw ServerSslProperty.CA_CERTIFICATE_FILE.failure(
					"it is not set, but 'server.ssl.client-auth' is '%s': there is no CA to verify client certificates against"
						.formatted(clientAuth.name().toLowerCase(Locale.ROOT)),
					"Set '%s' to the CAs of your clients, or remove 'server.ssl.client-auth'"
						.formatted(ServerSslProperty.CA_CERTIFICATE_FILE));
		}
	}

	private void warnOfNoEffect() {
		ClientAuth managementClientAuth = Binder.get(this.environment)
			.bind("management.server.ssl.client-auth", ClientAuth.class)
			.orElse(ClientAuth.NONE);
		for (ServerSslProperty property : ServerSslProperty.CLIENT_VERIFICATION) {
			if (managementClientAuth == ClientAuth.NONE && property.isSet(this.properties)) {
				logger.warn("'%s' is set, but no client is verified. Set 'server.ssl.client-auth' to 'need' or 'want'"
					.formatted(property));
			}
		}
	}

	// Spring Boot's analyzer for mutually exclusive properties ignores environment
	// variables: it looks for 'server.ssl.key-store', not for SERVER_SSL_KEYSTORE
	private static void requireNot(String name, @Nullable String value, String property, @Nullable String file) {
		if (StringUtils.hasText(value)) {
			throw contradiction(property, file, "server.ssl." + name);
		}
	}

	private static CertificateFileException contradiction(String property, @Nullable String file, String other) {
		return new CertificateFileException(property, file,
				"'" + other + "' is set as well, and the two contradict each other",
				"Remove either '" + property + "' or '" + other + "'", null);
	}

}
