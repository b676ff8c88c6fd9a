// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import io.github.tomcatopenssl.TlsSettingException;
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

	private static final String HOST_HEADER = "server.tomcat.remoteip.host-header";

	private static final Log logger = LogFactory.getLog(CertificateFileConflicts.class);

	/**
	 * The properties that the management server has too.
	 */
	private static final EnumSet<ServerSslProperty> OF_MANAGEMENT = EnumSet.of(ServerSslProperty.CERTIFICATE_FILE,
			ServerSslProperty.CERTIFICATE_KEY_FILE, ServerSslProperty.CERTIFICATE_KEY_PASSWORD,
			ServerSslProperty.CERTIFICATE_CHAIN_FILE);

	private static final Set<ServerSslProperty> CERTIFICATE_AND_KEY = EnumSet.of(ServerSslProperty.CERTIFICATE_FILE,
			ServerSslProperty.CERTIFICATE_KEY_FILE);

	private final TomcatOpenSslProperties properties;

	private final Ssl ssl;

	private final Environment environment;

	CertificateFileConflicts(TomcatOpenSslProperties properties, Ssl ssl, Environment environment) {
		this.properties = properties;
		this.ssl = ssl;
		this.environment = environment;
	}

	/**
	 * Reject a header that could name a host which verifies its clients. The connector
	 * knows only the standard ones.
	 */
	void rejectHostHeader() {
		String header = Binder.get(this.environment).bind(HOST_HEADER, String.class).orElse("");
		if (!header.isEmpty() && !header.equalsIgnoreCase("X-Forwarded-Host") && verifiesClientsByName()) {
			throw new TlsSettingException(HOST_HEADER, null,
					"the host in the header '%s' is not checked, but host names verify clients in different ways"
						.formatted(header),
					"Remove it, or set it to an empty value, so that no header changes the host", null);
		}
	}

	private boolean verifiesClientsByName() {
		List<TomcatOpenSslProperties.ServerNameCertificate> names = this.properties.serverNameCertificates();
		boolean verified = isVerified(this.ssl.getClientAuth())
				|| names.stream().anyMatch((name) -> isVerified(name.clientAuth()));
		return verified && (!this.ssl.getServerNameBundles().isEmpty() || names.stream()
			.anyMatch((name) -> name.clientAuth() != null || StringUtils.hasText(name.trustCertificateFile())));
	}

	private static boolean isVerified(@Nullable ClientAuth clientAuth) {
		return clientAuth != null && clientAuth != ClientAuth.NONE;
	}

	/**
	 * Reject properties that contradict each other. Called before a development
	 * certificate is issued, or one is ordered.
	 */
	void rejectContradictions() {
		rejectCompanionsOfTrustStore();
		rejectProtocol();
		if (ServerSslProperty.ACME.isSet(this.properties)) {
			rejectWithAcme();
		}
		if (ServerSslProperty.OCSP_ENABLED.isSet(this.properties)) {
			rejectRevocationLists();
		}
		for (ServerSslProperty property : ServerSslProperty.values()) {
			if (property.hasText(this.properties)) {
				property.contradictions()
					.stream()
					.filter((other) -> !other.contains("=") && isSet(other))
					.findFirst()
					.ifPresent((other) -> {
						throw property.failure(
								"'server.ssl.%s' is set as well, and the two contradict each other".formatted(other),
								remedy(property, other));
					});
			}
		}
	}

	private void rejectCompanionsOfTrustStore() {
		if (isSet("trust-store") || isSet("trust-certificate")) {
			return;
		}
		Stream.of("trust-store-password", "trust-store-type", "trust-store-provider")
			.filter(this::isSet)
			.findFirst()
			.ifPresent((companion) -> {
				throw new TlsSettingException("server.ssl." + companion, null,
						"it has no effect without 'server.ssl.trust-store'",
						"Set 'server.ssl.trust-store' to the CAs of your clients, or remove 'server.ssl.%s'"
							.formatted(companion),
						null);
			});
	}

	// Java's SSLContext of this name limits the versions of clients only
	private void rejectProtocol() {
		String protocol = this.ssl.getProtocol();
		if (protocol != null && protocol.matches("(TLS|SSL)v.*") && this.ssl.getEnabledProtocols() == null) {
			throw new TlsSettingException("server.ssl.protocol", null,
					"'%s' does not limit the versions of TLS".formatted(protocol),
					"Set 'server.ssl.enabled-protocols' to the versions that you want, and remove 'server.ssl.protocol'",
					null);
		}
	}

	private void rejectRevocationLists() {
		List<String> lists = new ArrayList<>();
		if (ServerSslProperty.CERTIFICATE_REVOCATION_LIST_FILE.isSet(this.properties)) {
			lists.add(ServerSslProperty.CERTIFICATE_REVOCATION_LIST_FILE.toString());
		}
		for (int i = 0; i < this.properties.serverNameCertificates().size(); i++) {
			if (this.properties.serverNameCertificates().get(i).certificateRevocationListFile() != null) {
				lists.add("%s[%d].certificate-revocation-list-file"
					.formatted(ServerSslProperty.SERVER_NAME_CERTIFICATES, i));
			}
		}
		if (!lists.isEmpty()) {
			throw ServerSslProperty.OCSP_ENABLED.failure(
					"'%s' is set as well, and Java would accept a client on the revocation list if its OCSP responder accepts it"
						.formatted(lists.get(0)),
					"Remove either '%s' or '%s'".formatted(ServerSslProperty.OCSP_ENABLED, lists.get(0)));
		}
	}

	private boolean isSet(String name) {
		Object value = switch (name) {
			case "bundle" -> this.ssl.getBundle();
			case "certificate" -> this.ssl.getCertificate();
			case "certificate-private-key" -> this.ssl.getCertificatePrivateKey();
			case "key-store" -> this.ssl.getKeyStore();
			case "key-store-password" -> this.ssl.getKeyStorePassword();
			case "key-store-type" -> this.ssl.getKeyStoreType();
			case "key-store-provider" -> this.ssl.getKeyStoreProvider();
			case "key-alias" -> this.ssl.getKeyAlias();
			case "key-password" -> this.ssl.getKeyPassword();
			case "server-name-bundles" -> this.ssl.getServerNameBundles().isEmpty() ? null : name;
			case "trust-certificate" -> this.ssl.getTrustCertificate();
			case "trust-store" -> this.ssl.getTrustStore();
			case "trust-store-password" -> this.ssl.getTrustStorePassword();
			case "trust-store-type" -> this.ssl.getTrustStoreType();
			case "trust-store-provider" -> this.ssl.getTrustStoreProvider();
			default -> ServerSslProperty.of(name).hasText(this.properties) ? name : null;
		};
		return value instanceof String text && StringUtils.hasText(text);
	}

	private static String remedy(ServerSslProperty property, String other) {
		if (CERTIFICATE_AND_KEY.contains(property)
				&& Set.of("certificate", "certificate-private-key").contains(other)) {
			return "Set either '%s' and '%s', or 'server.ssl.certificate' and 'server.ssl.certificate-private-key'"
				.formatted(ServerSslProperty.CERTIFICATE_FILE, ServerSslProperty.CERTIFICATE_KEY_FILE);
		}
		return "Remove either '%s' or 'server.ssl.%s'".formatted(property, other);
	}

	void reject(List<VirtualHostFiles> hosts) {
		hosts.forEach(this::rejectServerNameBundle);
		rejectClientVerification(hosts);
	}

	private void rejectWithAcme() {
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

	/**
	 * Reject properties of ACME that mean nothing without domains. The module that has
	 * them may be missing.
	 * @param properties the properties
	 * @param environment the environment
	 */
	static void rejectAcmeWithoutDomains(TomcatOpenSslProperties properties, Environment environment) {
		ConfigurationPropertyName name = ConfigurationPropertyName.of(ServerSslProperty.ACME.toString());
		if (properties.acme() == null && isAnySetBelow(name, environment)) {
			throw new TlsSettingException(name + ".domains", null, "it is not set",
					"Set it to the host names and IP addresses of the certificate, or remove the other properties of '%s'"
						.formatted(name),
					null);
		}
	}

	static void rejectManagement(Environment environment) {
		for (ServerSslProperty property : EnumSet.complementOf(OF_MANAGEMENT)) {
			ConfigurationPropertyName name = ConfigurationPropertyName.of("management." + property);
			if (isSet(name, environment) || isAnySetBelow(name, environment)) {
				throw new TlsSettingException(name.toString(), null,
						"the management server does not have this property and uses the value of '%s'"
							.formatted(property),
						"Remove it. To use a different certificate from the main server's, set 'management.server.ssl.certificate-file' or 'management.server.ssl.bundle'",
						null);
			}
		}
	}

	// However the properties are spelled, also as environment variables
	private static boolean isSet(ConfigurationPropertyName name, Environment environment) {
		return sources(environment).anyMatch((source) -> source.getConfigurationProperty(name) != null);
	}

	private static boolean isAnySetBelow(ConfigurationPropertyName name, Environment environment) {
		return sources(environment)
			.anyMatch((source) -> source.containsDescendantOf(name) == ConfigurationPropertyState.PRESENT);
	}

	private static Stream<ConfigurationPropertySource> sources(Environment environment) {
		return StreamSupport.stream(ConfigurationPropertySources.get(environment).spliterator(), false);
	}

	private void rejectServerNameBundle(VirtualHostFiles host) {
		if (this.ssl.getServerNameBundles()
			.stream()
			.map((bundle) -> ConfiguredHosts.serverName("server.ssl.server-name-bundles", bundle.serverName()))
			.anyMatch((serverName) -> serverName.equals(host.serverName()))) {
			throw host.certificates()
				.get(0)
				.failure("'server.ssl.server-name-bundles' has a bundle for the host name '%s' as well"
					.formatted(host.serverName()), "Remove one of the two");
		}
	}

	private void rejectClientVerification(List<VirtualHostFiles> hosts) {
		boolean verified = false;
		for (VirtualHostFiles host : hosts) {
			ClientAuth clientAuth = (host.clientAuth() != null) ? host.clientAuth() : this.ssl.getClientAuth();
			if (clientAuth == null || clientAuth == ClientAuth.NONE) {
				rejectNoEffect(host);
				continue;
			}
			verified = true;
			if (host.caCertificates() == null && this.ssl.getTrustStore() == null
					&& this.ssl.getTrustCertificate() == null) {
				throw missingTrust(host, clientAuth);
			}
		}
		if (!verified) {
			warnOfNoEffect();
		}
	}

	private static TlsSettingException missingTrust(VirtualHostFiles host, ClientAuth clientAuth) {
		String prefix = (host.clientAuth() != null) ? host.certificates().get(0).prefix() : "server.ssl.";
		String property = (host.clientAuth() != null) ? prefix + "trust-certificate-file"
				: ServerSslProperty.CA_CERTIFICATE_FILE.toString();
		return new TlsSettingException(property, null,
				"it is not set, but '%sclient-auth' is '%s': there is no CA to verify client certificates against"
					.formatted(prefix, clientAuth.name().toLowerCase(Locale.ROOT)),
				"Set '%s' to the CAs of your clients, or remove '%sclient-auth'".formatted(property, prefix), null);
	}

	private static void rejectNoEffect(VirtualHostFiles host) {
		String prefix = host.certificates().get(0).prefix();
		Stream.of(host.caCertificates(), host.revocationLists())
			.filter((file) -> host.serverName() != null && file != null && file.property().startsWith(prefix))
			.findFirst()
			.ifPresent((file) -> {
				throw new TlsSettingException(file.property(), file.location(),
						"no client of the host name '%s' is verified".formatted(host.serverName()),
						"Set '%sclient-auth' to 'need' or 'want', or remove '%s'".formatted(prefix, file.property()),
						null);
			});
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

}
