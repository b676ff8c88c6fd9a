// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;

import io.github.tomcatopenssl.ForwardedCertificateHeader;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.autoconfigure.TomcatOpenSslProperties.ServerNameCertificate;
import io.github.tomcatopenssl.internal.certificate.CertificateSource;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.Bindable;
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
 * Rejects settings that contradict each other or lack what they need. Nothing is read,
 * issued or ordered before.
 */
final class CertificateFileConflicts {

	private static final String HOST_HEADER = "server.tomcat.remoteip.host-header";

	private static final Log logger = LogFactory.getLog(CertificateFileConflicts.class);

	/**
	 * The properties that the management server has too.
	 */
	private static final EnumSet<ServerSslProperty> OF_MANAGEMENT = EnumSet.of(ServerSslProperty.CERTIFICATE_FILE,
			ServerSslProperty.CERTIFICATE_KEY_FILE, ServerSslProperty.CERTIFICATE_KEY_PASSWORD,
			ServerSslProperty.CERTIFICATE_CHAIN_FILE);

	/**
	 * The properties that only the certificate file needs.
	 */
	private static final Set<ServerSslProperty> OF_CERTIFICATE_FILE = EnumSet.of(ServerSslProperty.CERTIFICATE_KEY_FILE,
			ServerSslProperty.CERTIFICATE_KEY_PASSWORD, ServerSslProperty.CERTIFICATE_CHAIN_FILE);

	private static final Set<ServerSslProperty> CERTIFICATE_AND_KEY = EnumSet.of(ServerSslProperty.CERTIFICATE_FILE,
			ServerSslProperty.CERTIFICATE_KEY_FILE);

	private final TomcatOpenSslProperties properties;

	private final Ssl ssl;

	private final Environment environment;

	private CertificateFileConflicts(TomcatOpenSslProperties properties, Ssl ssl, Environment environment) {
		this.properties = properties;
		this.ssl = ssl;
		this.environment = environment;
	}

	static void reject(TomcatOpenSslProperties properties, Ssl ssl, Environment environment,
			@Nullable CertificateSource acme) {
		rejectManagement(environment);
		UnknownProperties.reject(environment, (acme != null) ? acme.propertiesType() : null);
		if (ssl.isEnabled()) {
			new CertificateFileConflicts(properties, ssl, environment).reject(acme);
		}
	}

	private void reject(@Nullable CertificateSource acme) {
		rejectHostHeader();
		rejectAcmeWithoutDomains(acme != null && acme.hasOthers());
		rejectBlankCertificate();
		rejectBlankFilesOfClients();
		ServerSslProperty.requireEffect(this.properties);
		rejectForwardedClientCertificate();
		if (ServerSslProperty.isAnySet(this.properties)) {
			rejectCompanionsOfTrustStore();
			rejectProtocol();
			rejectWithAcme();
			rejectRevocationList(ServerSslProperty.CERTIFICATE_REVOCATION_LIST_FILE.toString(),
					this.properties.certificateRevocationListFile());
			rejectContradictions();
			requireCertificate();
			rejectClientVerification();
		}
	}

	private static void rejectManagement(Environment environment) {
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

	// In any spelling, also as environment variables
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

	/**
	 * Reject a header that could name a host which verifies its clients. The connector
	 * knows only the standard ones.
	 */
	private void rejectHostHeader() {
		String header = Binder.get(this.environment).bind(HOST_HEADER, String.class).orElse("");
		if (!header.isEmpty() && !header.equalsIgnoreCase("X-Forwarded-Host") && verifiesClientsByName()) {
			throw new TlsSettingException(HOST_HEADER, null,
					"the host in the header '%s' is not checked, but host names verify clients in different ways"
						.formatted(header),
					"Remove it, or set it to an empty value, so that no header changes the host", null);
		}
	}

	/**
	 * Reject a header with client certificates that would be accepted from nobody, or
	 * verified by no host.
	 */
	private void rejectForwardedClientCertificate() {
		ServerSslProperty header = ServerSslProperty.FORWARDED_CLIENT_CERTIFICATE_HEADER;
		ServerSslProperty trusted = ServerSslProperty.PROXY_PROTOCOL_TRUSTED;
		ServerSslProperty caFile = ServerSslProperty.FORWARDED_CLIENT_CERTIFICATE_PROXY_CA_CERTIFICATE_FILE;
		if (!header.isSet(this.properties) || !servesTls()) {
			return;
		}
		if (ServerSslProperty.OCSP_ENABLED.isSet(this.properties)) {
			throw header.failure(
					"'%s' is set as well, and a slow OCSP responder would hold up the threads that serve requests"
						.formatted(ServerSslProperty.OCSP_ENABLED),
					"Use '%s' instead of '%s', or remove '%s'".formatted(
							ServerSslProperty.CERTIFICATE_REVOCATION_LIST_FILE, ServerSslProperty.OCSP_ENABLED,
							header));
		}
		boolean proxyProtocol = this.properties.forwardedClientCertificate()
			.header() == ForwardedCertificateHeader.PROXY_PROTOCOL;
		if (!trusted.isSet(this.properties) && (proxyProtocol || !caFile.isSet(this.properties))) {
			throw header.failure(
					proxyProtocol
							? "it is 'proxy-protocol', but '%s' is not set, so that nobody may send this header"
								.formatted(trusted)
							: "neither '%s' nor '%s' is set, so that the header is accepted from nobody"
								.formatted(trusted, caFile),
					proxyProtocol ? "Set '%s' to the addresses of your proxies".formatted(trusted)
							: "Set '%s' to the addresses of your proxies, or '%s' to the CAs of their certificates"
								.formatted(trusted, caFile));
		}
		if (!verifiesClients()) {
			throw header.failure(
					"no client is verified, so that there are no CAs to which a forwarded certificate must chain",
					"Set 'server.ssl.client-auth' to 'want' or 'need', and '%s' to the CAs of your clients"
						.formatted(ServerSslProperty.CA_CERTIFICATE_FILE));
		}
	}

	private boolean servesTls() {
		return ServerSslProperty.isAnySet(this.properties) || ManagementCertificate.hasCertificate(this.ssl);
	}

	private boolean verifiesClients() {
		return isVerified(this.ssl.getClientAuth())
				|| this.properties.serverNameCertificates().stream().anyMatch((name) -> isVerified(name.clientAuth()));
	}

	private boolean verifiesClientsByName() {
		List<ServerNameCertificate> names = this.properties.serverNameCertificates();
		return verifiesClients() && (!this.ssl.getServerNameBundles().isEmpty() || names.stream()
			.anyMatch((name) -> name.clientAuth() != null || StringUtils.hasText(name.trustCertificateFile())));
	}

	private static boolean isVerified(@Nullable ClientAuth clientAuth) {
		return clientAuth != null && clientAuth != ClientAuth.NONE;
	}

	// The module that has the other properties of ACME may be missing
	private void rejectAcmeWithoutDomains(boolean hasOthers) {
		ConfigurationPropertyName name = ConfigurationPropertyName.of(ServerSslProperty.ACME.toString());
		TomcatOpenSslProperties.Acme acme = this.properties.acme();
		boolean isSet = acme != null && (acme.domains() != null || !acme.certificates().isEmpty());
		boolean missing = !isSet && isAnySetBelow(name, this.environment) && !(hasOthers && servesTls());
		// For example from an empty environment variable
		boolean empty = isSet && !servesTls();
		if (missing || empty) {
			throw new TlsSettingException(name + ".domains", null,
					empty ? "it is empty, and no other certificate is set" : "it is not set",
					hasOthers
							? "Set it to the host names and IP addresses of the server itself, or set another certificate of the server, because the beans of the application do not turn on TLS"
							: "Set it to the host names and IP addresses of the certificate, or remove the properties of '%s'"
								.formatted(name),
					null);
		}
	}

	// For example from an empty environment variable: the server would serve HTTP
	private void rejectBlankCertificate() {
		if (servesTls()) {
			return;
		}
		for (ServerSslProperty property : ServerSslProperty.turningTlsOn()) {
			Stream.of(property.toString(), property + "[0].certificate-file").filter(this::isBlank).forEach((name) -> {
				throw new TlsSettingException(name, null, "it is empty, and no other certificate is set",
						"Set it, or remove it. To turn off TLS, set 'server.ssl.enabled' to 'false'", null);
			});
		}
	}

	// Without them, more clients would be accepted
	private void rejectBlankFilesOfClients() {
		List<String> names = new ArrayList<>();
		if (verifiesClients()) {
			names.add(ServerSslProperty.CERTIFICATE_REVOCATION_LIST_FILE.toString());
		}
		for (int i = 0; i < this.properties.serverNameCertificates().size(); i++) {
			String prefix = "%s[%d].".formatted(ServerSslProperty.SERVER_NAME_CERTIFICATES, i);
			names.add(prefix + "trust-certificate-file");
			names.add(prefix + "certificate-revocation-list-file");
		}
		names.stream()
			.filter((name) -> !this.properties.ocspEnabled() || !name.endsWith("revocation-list-file"))
			.filter(this::hasNoFile)
			.forEach((name) -> {
				throw new TlsSettingException(name, null, "it is empty", "Set it to a PEM file, or remove it", null);
			});
	}

	private boolean hasNoFile(String name) {
		return Binder.get(this.environment)
			.bind(name, Bindable.listOf(String.class))
			.map((files) -> files.stream().noneMatch(StringUtils::hasText))
			.orElse(false);
	}

	private boolean isBlank(String name) {
		return Binder.get(this.environment)
			.bind(name, String.class)
			.map((value) -> !StringUtils.hasText(value))
			.orElse(false);
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

	private void rejectWithAcme() {
		if (!ServerSslProperty.ACME.isSet(this.properties)) {
			return;
		}
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

	private void rejectRevocationList(String property, List<String> files) {
		if (this.properties.ocspEnabled() && !files.isEmpty()) {
			throw ServerSslProperty.OCSP_ENABLED.failure(
					"'%s' is set as well, and Java would accept a client on the revocation list if its OCSP responder accepts it"
						.formatted(property),
					"Remove either '%s' or '%s'".formatted(ServerSslProperty.OCSP_ENABLED, property));
		}
	}

	private void rejectContradictions() {
		for (ServerSslProperty property : ServerSslProperty.values()) {
			if (property.isSet(this.properties)) {
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
			default -> ServerSslProperty.of(name).isSet(this.properties) ? name : null;
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

	private void requireCertificate() {
		if (Stream
			.of(ServerSslProperty.CERTIFICATE_FILE, ServerSslProperty.CERTIFICATES,
					ServerSslProperty.DEVELOPMENT_CERTIFICATE, ServerSslProperty.ACME)
			.noneMatch((property) -> property.isSet(this.properties))) {
			boolean directory = ServerSslProperty.CERTIFICATE_DIRECTORY.isSet(this.properties);
			ServerSslProperty dependent = ServerSslProperty.DEPENDENT.stream()
				.filter((property) -> property.isSet(this.properties))
				.filter((property) -> !directory || OF_CERTIFICATE_FILE.contains(property))
				.findFirst()
				.orElse(null);
			if (dependent == null) {
				return;
			}
			throw ServerSslProperty.CERTIFICATE_FILE.failure(
					"it is not set, but '%s' is, which depends on it".formatted(dependent),
					"Set '%s' to the certificate of the default host, or remove '%s'"
						.formatted(ServerSslProperty.CERTIFICATE_FILE, dependent));
		}
	}

	private void rejectClientVerification() {
		boolean trust = ServerSslProperty.CA_CERTIFICATE_FILE.isSet(this.properties)
				|| ManagementCertificate.hasTrustMaterial(this.ssl);
		ClientAuth ofServer = Objects.requireNonNullElse(this.ssl.getClientAuth(), ClientAuth.NONE);
		boolean verified = isVerified(ofServer);
		if (verified && !trust) {
			throw missingTrust("server.ssl.", ServerSslProperty.CA_CERTIFICATE_FILE.toString(), ofServer);
		}
		List<ServerNameCertificate> names = this.properties.serverNameCertificates();
		for (int i = 0; i < names.size(); i++) {
			ServerNameCertificate name = names.get(i);
			String prefix = "%s[%d].".formatted(ServerSslProperty.SERVER_NAME_CERTIFICATES, i);
			rejectRevocationList(prefix + "certificate-revocation-list-file", name.certificateRevocationListFile());
			ClientAuth clientAuth = Objects.requireNonNullElse(name.clientAuth(), ofServer);
			if (isVerified(clientAuth)) {
				verified = true;
				if (name.trustCertificateFile() == null && !trust) {
					throw missingTrust(prefix, prefix + "trust-certificate-file", clientAuth);
				}
			}
			else {
				rejectWithoutEffect(name, prefix + "trust-certificate-file", name.trustCertificateFile());
				rejectWithoutEffect(name, prefix + "certificate-revocation-list-file",
						name.certificateRevocationListFile().stream().findFirst().orElse(null));
			}
		}
		if (!verified) {
			warnOfNoEffect();
		}
	}

	private static TlsSettingException missingTrust(String prefix, String property, ClientAuth clientAuth) {
		return new TlsSettingException(property, null,
				"it is not set, but '%sclient-auth' is '%s': there is no CA to verify client certificates against"
					.formatted(prefix, clientAuth.name().toLowerCase(Locale.ROOT)),
				"Set '%s' to the CAs of your clients, or remove '%sclient-auth'".formatted(property, prefix), null);
	}

	private static void rejectWithoutEffect(ServerNameCertificate name, String property, @Nullable String file) {
		if (file != null) {
			throw new TlsSettingException(property, file,
					"no client of the host name '%s' is verified".formatted(name.serverName()),
					"Set '%s' to 'need' or 'want', or remove '%s'"
						.formatted(property.replaceFirst("[^.]+$", "client-auth"), property),
					null);
		}
	}

	private void warnOfNoEffect() {
		ClientAuth ofManagement = Binder.get(this.environment)
			.bind("management.server.ssl.client-auth", ClientAuth.class)
			.orElse(ClientAuth.NONE);
		for (ServerSslProperty property : ServerSslProperty.CLIENT_VERIFICATION) {
			if (!isVerified(ofManagement) && property.isSet(this.properties)) {
				logger.warn("'%s' is set, but no client is verified. Set 'server.ssl.client-auth' to 'need' or 'want'"
					.formatted(property));
			}
		}
	}

}
