// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Stream;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.certificate.CertificateFiles;
import io.github.tomcatopenssl.internal.certificate.VirtualHostFiles;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.Ssl.ClientAuth;
import org.springframework.core.env.Environment;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * The certificate files of a management server that has a certificate of its own, as
 * {@code management.server.ssl} sets them, and the rules for a management server that has
 * TLS settings but no certificate: it uses the one of the main server.
 */
final class ManagementCertificate {

	private static final Log logger = LogFactory.getLog(ManagementCertificate.class);

	private static final String PREFIX = "management.server.ssl.";

	private static final String PORT = "management.server.port";

	private static final boolean HAS_ACTUATOR = ClassUtils
		.isPresent("org.springframework.boot.actuate.autoconfigure.web.server.ManagementServerProperties", null);

	private static final int DEFAULT_PORT = 8080;

	// They are part of a certificate, and cannot change the main server's
	private static final List<String> PARTS = List.of("certificate-private-key", "key-store-password",
			"key-store-provider", "key-alias", "key-password");

	private final Binder binder;

	private ManagementCertificate(Environment environment) {
		this.binder = Binder.get(environment);
	}

	/**
	 * Return the files.
	 * @param properties the properties of the main server
	 * @param ssl the TLS settings of the main server
	 * @param environment the environment
	 * @return the files, or {@code null} if none are set or the management server is
	 * turned off
	 * @throws TlsSettingException if they cannot be used
	 */
	static @Nullable VirtualHostFiles host(TomcatOpenSslProperties properties, Ssl ssl, Environment environment) {
		return new ManagementCertificate(environment).host(properties, ssl, settings(ssl, environment));
	}

	/**
	 * Return the other TLS settings of the management server.
	 * @param main the TLS settings of the main server, which apply unless
	 * {@code management.server.ssl} has others
	 * @param environment the environment
	 * @return the settings
	 */
	static Ssl settings(Ssl main, Environment environment) {
		Ssl settings = Binder.get(environment).bind("management.server.ssl", Ssl.class).orElseGet(Ssl::new);
		settings.setClientAuth(Objects.requireNonNullElse(settings.getClientAuth(),
				Objects.requireNonNullElse(main.getClientAuth(), ClientAuth.NONE)));
		if (settings.getCiphers() == null) {
			settings.setCiphers(main.getCiphers());
		}
		if (settings.getEnabledProtocols() == null) {
			settings.setEnabledProtocols(main.getEnabledProtocols());
		}
		if (!hasTrustMaterial(settings)) {
			settings.setTrustCertificate(main.getTrustCertificate());
			settings.setTrustStore(main.getTrustStore());
			settings.setTrustStorePassword(main.getTrustStorePassword());
			settings.setTrustStoreType(main.getTrustStoreType());
			settings.setTrustStoreProvider(main.getTrustStoreProvider());
		}
		return settings;
	}

	/**
	 * Return whether TLS settings of Spring Boot name a certificate.
	 * @param settings the settings
	 * @return whether they do
	 */
	static boolean hasCertificate(@Nullable Ssl settings) {
		return settings != null && Stream
			.of(settings.getBundle(), settings.getCertificate(), settings.getKeyStore(), settings.getKeyStoreType())
			.anyMatch(StringUtils::hasText);
	}

	/**
	 * Return whether TLS settings of Spring Boot name CAs for clients.
	 * @param settings the settings
	 * @return whether they do
	 */
	static boolean hasTrustMaterial(Ssl settings) {
		return StringUtils.hasText(settings.getTrustStore()) || StringUtils.hasText(settings.getTrustCertificate());
	}

	private @Nullable VirtualHostFiles host(TomcatOpenSslProperties properties, Ssl main, Ssl settings) {
		TomcatOpenSslProperties.CertificateFiles files = this.binder
			.bind("management.server.ssl", TomcatOpenSslProperties.CertificateFiles.class)
			.orElse(null);
		if (!settings.isEnabled() || port(PORT, 0) < 0) {
			return null;
		}
		if (files == null || files.isEmpty()) {
			requireCertificate(properties, main, settings);
			return null;
		}
		if (files.certificateFile() == null) {
			throw failure("certificate-file", "it is not set, but properties that need it are",
					"Set it to a PEM file, or remove '%1$scertificate-key-file', '%1$scertificate-key-password' and '%1$scertificate-chain-file'"
						.formatted(PREFIX));
		}
		Stream.of("bundle", "certificate", "certificate-private-key", "key-store", "key-password")
			.filter((other) -> StringUtils.hasText(this.binder.bind(PREFIX + other, String.class).orElse("")))
			.findFirst()
			.ifPresent((other) -> {
				throw failure("certificate-file",
						"'%s' is set as well, and the two contradict each other".formatted(PREFIX + other),
						"Remove either '%s' or '%s'".formatted(PREFIX + "certificate-file", PREFIX + other));
			});
		requireServer();
		requireTrustMaterial(properties, settings);
		return new VirtualHostFiles(VirtualHostFiles.MANAGEMENT_BUNDLE_NAME, null,
				List.of(new CertificateFiles(PREFIX, files.certificateFile(), files.certificateKeyFile(),
						files.certificateKeyPassword(), files.certificateChainFile())),
				hasTrustMaterial(settings) ? null : ServerSslProperty.CA_CERTIFICATE_FILE.cas(properties),
				ServerSslProperty.CERTIFICATE_REVOCATION_LIST_FILE.revocationLists(properties),
				ServerSslProperty.FORWARDED_CLIENT_CERTIFICATE_PROXY_CA_CERTIFICATE_FILE.cas(properties), null);
	}

	// Spring Boot would start a server without a certificate
	private void requireCertificate(TomcatOpenSslProperties properties, Ssl main, Ssl settings) {
		Ssl own = this.binder.bind("management.server.ssl", Ssl.class).orElse(null);
		if (own != null && !hasServer()) {
			logger.warn("'management.server.ssl' has no effect: %s".formatted(HAS_ACTUATOR
					? "the management server has no port of its own. Set '" + PORT
							+ "' to a port that is not the main server's, or remove the properties"
					: "Actuator is missing. Add 'spring-boot-starter-actuator', or remove the properties"));
		}
		if (hasCertificate(own)) {
			return;
		}
		if (this.binder.bind(PREFIX + "certificate-file", String.class).isBound()) {
			throw failure("certificate-file",
					"it is empty, and no other certificate is set below 'management.server.ssl'",
					"Set it to a PEM file, or remove it");
		}
		if (own == null || !hasServer()) {
			return;
		}
		PARTS.stream()
			.filter((part) -> StringUtils.hasText(this.binder.bind(PREFIX + part, String.class).orElse("")))
			.findFirst()
			.ifPresent((part) -> {
				throw failure(part,
						"it has no effect on the main server's certificate, which the management server uses",
						"Set '%1$scertificate-file' or another certificate for the management server, or remove '%1$s%2$s'"
							.formatted(PREFIX, part));
			});
		boolean files = ServerSslProperty.isAnySet(properties);
		if (!main.isEnabled() || !files && !hasCertificate(main)) {
			throw failure("certificate-file",
					"it is not set, but other properties of '%s' turn TLS on, and the main server has no certificate that the management server could use"
						.formatted("management.server.ssl"),
					"Set '%1$scertificate-file', '%1$sbundle' or another certificate, or set '%1$senabled' to 'false'"
						.formatted(PREFIX));
		}
		if (files) {
			requireTrustMaterial(properties, settings);
		}
	}

	private static void requireTrustMaterial(TomcatOpenSslProperties properties, Ssl settings) {
		if (settings.getClientAuth() != ClientAuth.NONE && properties.caCertificateFile() == null
				&& !hasTrustMaterial(settings)) {
			throw failure("trust-certificate",
					"it is not set, but the management server has the 'client-auth' '%s': there is no CA to verify client certificates against"
						.formatted(String.valueOf(settings.getClientAuth()).toLowerCase(Locale.ROOT)),
					"Set it to the CAs of your clients, or set '%sclient-auth' to 'none'".formatted(PREFIX));
		}
	}

	// Otherwise, the endpoints are on the port of the main server
	private void requireServer() {
		if (!HAS_ACTUATOR) {
			throw failure("certificate-file", "there is no management server: Actuator is missing",
					"Add 'spring-boot-starter-actuator', or remove the property");
		}
		if (!hasServer()) {
			throw failure("certificate-file", "the management server has no port of its own",
					"Set '%s' to a port that is not the main server's, or remove the property".formatted(PORT));
		}
	}

	private boolean hasServer() {
		int port = port(PORT, -1);
		return HAS_ACTUATOR && port != -1 && (port == 0 || port != port("server.port", DEFAULT_PORT));
	}

	private int port(String property, int defaultPort) {
		return this.binder.bind(property, Integer.class).orElse(defaultPort);
	}

	private static TlsSettingException failure(String property, String reason, String action) {
		return new TlsSettingException(PREFIX + property, null, reason, action, null);
	}

}
