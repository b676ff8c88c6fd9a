// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;

import io.github.tomcatopenssl.FipsMode;
import io.github.tomcatopenssl.LibrarySource;
import io.github.tomcatopenssl.OpenSslMode;
import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.UnknownServerName;
import io.github.tomcatopenssl.autoconfigure.TomcatOpenSslProperties.SchemaInitialization;
import io.github.tomcatopenssl.autoconfigure.TomcatOpenSslProperties.StoreType;
import io.github.tomcatopenssl.internal.certificate.ConfiguredFile;
import io.github.tomcatopenssl.internal.pem.PemSource.Content;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.util.StringUtils;

/**
 * The properties and the places where they may not take effect, as a table. Each constant
 * is a row, and each {@link Place} has a column. A cell shows what happens if the
 * property is set:
 * <ul>
 * <li>{@code +} it takes effect,
 * <li>{@code x} it prevents startup,
 * <li>{@code !} it has no effect, and a warning says so,
 * <li>{@code -} it has no meaning.
 * </ul>
 * The properties that contradict it follow, and those without one of which it has no
 * effect. The page about the properties (docs/properties.md) shows the same table in
 * words, together with the places where all of them take effect.
 */
enum ServerSslProperty {

	// Native image, Netty, other server, WAR; without TLS; what contradicts it; what it
	// needs
	CERTIFICATE_FILE("+++- +", TomcatOpenSslProperties::certificateFile, Others.CERTIFICATES_OF_BOOT + " certificates"),

	CERTIFICATE_KEY_FILE("+++- x", TomcatOpenSslProperties::certificateKeyFile,
			Others.CERTIFICATES_OF_BOOT + " certificates"),

	CERTIFICATE_KEY_PASSWORD("+++- x", TomcatOpenSslProperties::certificateKeyPassword,
			Others.CERTIFICATES_OF_BOOT + " certificates"),

	CERTIFICATE_CHAIN_FILE("+++- x", TomcatOpenSslProperties::certificateChainFile,
			Others.CERTIFICATES_OF_BOOT + " certificates"),

	CERTIFICATE_DIRECTORY("xxx- +", TomcatOpenSslProperties::certificateDirectory, Others.CERTIFICATES_OF_BOOT),

	// Tomcat's own protocol serves only one key of a key store
	CERTIFICATES("x++- +", TomcatOpenSslProperties::certificates, Others.CERTIFICATES_OF_BOOT),

	SERVER_NAME_CERTIFICATES("++x- x", TomcatOpenSslProperties::serverNameCertificates, Others.CERTIFICATES_OF_BOOT),

	DEVELOPMENT_CERTIFICATE("+++- +", TomcatOpenSslProperties::developmentCertificate,
			Others.ALL_CERTIFICATES + " acme"),

	// The other properties of ACME have no effect without 'domains'
	ACME("xxxx +", (all) -> (all.acme() != null) ? all.acme().domains() : null,
			Others.ALL_CERTIFICATES + " reload-on-update=false openssl.fips-mode"),

	ACME_CERTIFICATES("xxxx +", (all) -> (all.acme() != null) ? all.acme().certificates() : null,
			Others.CERTIFICATES_OF_BOOT + " openssl.fips-mode"),

	CA_CERTIFICATE_FILE("+++- x", TomcatOpenSslProperties::caCertificateFile, "trust-certificate trust-store"),

	CERTIFICATE_REVOCATION_LIST_FILE("xxxx x", TomcatOpenSslProperties::certificateRevocationListFile, "ocsp-enabled"),

	OCSP_ENABLED("xxxx x", TomcatOpenSslProperties::ocspEnabled, ""),

	OCSP_SOFT_FAIL("---- x", TomcatOpenSslProperties::ocspSoftFail, "", "ocsp-enabled=true"),

	DEVELOPMENT_CERTIFICATE_NAMES("+++- x", TomcatOpenSslProperties::developmentCertificateNames, "",
			"development-certificate=true"),

	DEVELOPMENT_CERTIFICATE_IN_PRODUCTION("+++- x", TomcatOpenSslProperties::developmentCertificateInProduction, "",
			"development-certificate=true"),

	RELOAD_ON_UPDATE("++!- -", (all) -> all.reloadOnUpdate() && isAnySet(all), ""),

	HANDSHAKE_TIMEOUT("xxxx x", TomcatOpenSslProperties::handshakeTimeout, ""),

	GROUPS("xxxx x", TomcatOpenSslProperties::groups, ""),

	POLICY("xxxx x", TomcatOpenSslProperties::policy, ""),

	POLICY_PREVIEW("xxxx x", TomcatOpenSslProperties::policyPreview, ""),

	SIGNATURE_ALGORITHMS("xxxx x", TomcatOpenSslProperties::signatureAlgorithms, ""),

	SESSION_TICKET_KEY_FILE("!!!- x", TomcatOpenSslProperties::sessionTicketKeyFile, ""),

	SESSION_TICKET_KEYS("!!!- x", TomcatOpenSslProperties::sessionTicketKeys, "session-ticket-key-file", "store=jdbc"),

	STORE("---- x", TomcatOpenSslProperties::store, "", "acme session-ticket-keys"),

	STORE_KEYS("---- x", TomcatOpenSslProperties::storeKeys, "", "store=jdbc"),

	STORE_INITIALIZE_SCHEMA("---- x", TomcatOpenSslProperties::storeInitializeSchema, "", "store=jdbc"),

	UNKNOWN_SERVER_NAME("xxxx x", TomcatOpenSslProperties::unknownServerName, ""),

	UNKNOWN_SERVER_NAME_ALLOWED("---- x", TomcatOpenSslProperties::unknownServerNameAllowed, "",
			"unknown-server-name=reject"),

	CLIENT_FINGERPRINT("xxxx x", TomcatOpenSslProperties::clientFingerprint, ""),

	HTTP_REDIRECT_PORT("xxxx x", TomcatOpenSslProperties::httpRedirectPort, ""),

	PROXY_PROTOCOL_TRUSTED("xxxx x", (all) -> all.proxyProtocol().trusted(), ""),

	FORWARDED_CLIENT_CERTIFICATE_HEADER("xxxx x", (all) -> all.forwardedClientCertificate().header(), "ocsp-enabled"),

	FORWARDED_CLIENT_CERTIFICATE_PROXY_CA_CERTIFICATE_FILE("---- x",
			(all) -> all.forwardedClientCertificate().proxyCaCertificateFile(), "",
			"forwarded-client-certificate.header"),

	OPENSSL_FIPS_MODE("xxxx x", (all) -> all.openssl().fipsMode(), "openssl.mode=never"),

	OPENSSL_MODE("xxxx x", (all) -> all.openssl().mode(), ""),

	OPENSSL_LIBRARY("---- !", (all) -> all.openssl().library(), ""),

	OPENSSL_LIBRARY_PATH("---- !", (all) -> all.openssl().libraryPath(), ""),

	OPENSSL_WORK_DIR("---- !", (all) -> all.openssl().workDir(), "");

	/**
	 * The properties that need the certificate of the default host.
	 */
	static final Set<ServerSslProperty> DEPENDENT = EnumSet.of(CERTIFICATE_KEY_FILE, CERTIFICATE_KEY_PASSWORD,
			CERTIFICATE_CHAIN_FILE, CERTIFICATES, SERVER_NAME_CERTIFICATES, DEVELOPMENT_CERTIFICATE, ACME,
			CA_CERTIFICATE_FILE, CERTIFICATE_REVOCATION_LIST_FILE, OCSP_ENABLED,
			FORWARDED_CLIENT_CERTIFICATE_PROXY_CA_CERTIFICATE_FILE);

	static final Set<ServerSslProperty> CLIENT_VERIFICATION = EnumSet.of(CA_CERTIFICATE_FILE,
			CERTIFICATE_REVOCATION_LIST_FILE, OCSP_ENABLED);

	private static final Set<ServerSslProperty> SECRETS = EnumSet.of(CERTIFICATE_KEY_PASSWORD, STORE_KEYS);

	// Values that ask for nothing, and so count as not set
	private static final Set<Object> NEUTRAL = Set.of(false, List.of(), OpenSslMode.WHEN_AVAILABLE, OpenSslMode.NEVER,
			LibrarySource.AUTO, FipsMode.OFF, UnknownServerName.ACCEPT, StoreType.FOLDER,
			SchemaInitialization.EMBEDDED);

	private static final Log logger = LogFactory.getLog(ServerSslProperty.class);

	private final String cells;

	private final Function<TomcatOpenSslProperties, @Nullable Object> value;

	private final Set<String> contradictions;

	private final List<String> requirements;

	ServerSslProperty(String cells, Function<TomcatOpenSslProperties, @Nullable Object> value, String contradictions) {
		this(cells, value, contradictions, "");
	}

	ServerSslProperty(String cells, Function<TomcatOpenSslProperties, @Nullable Object> value, String contradictions,
			String requirements) {
		this.cells = cells.replace(" ", "");
		this.value = value;
		this.contradictions = StringUtils.commaDelimitedListToSet(contradictions.replace(' ', ','));
		this.requirements = List.of(StringUtils.tokenizeToStringArray(requirements, " "));
	}

	/**
	 * Return whether a property of the certificate files is set, or one that has no
	 * effect without them.
	 * @param properties the properties
	 * @return whether one of them is set
	 */
	static boolean isAnySet(TomcatOpenSslProperties properties) {
		return CERTIFICATE_FILE.isSet(properties) || CERTIFICATE_DIRECTORY.isSet(properties)
				|| ACME_CERTIFICATES.isSet(properties)
				|| DEPENDENT.stream().anyMatch((property) -> property.isSet(properties));
	}

	static List<ServerSslProperty> turningTlsOn() {
		return Arrays.stream(values()).filter((property) -> property.in(Place.WITHOUT_TLS) == Effect.HOLDS).toList();
	}

	static ServerSslProperty of(String name) {
		return Arrays.stream(values())
			.filter((property) -> property.toString().equals("server.ssl." + name))
			.findFirst()
			.orElseThrow();
	}

	/**
	 * Return whether a server that has no other certificate serves TLS with a property.
	 * @param path the name of the property, or of one below it, without
	 * {@code server.ssl}
	 * @return whether the property turns TLS on
	 */
	static boolean turnsTlsOn(String path) {
		return turningTlsOn().stream().anyMatch((property) -> ("server.ssl." + path + ".").startsWith(property + "."));
	}

	/**
	 * Return the name of the property that a setting of a connector comes from.
	 * @param setting the setting of the connector
	 * @return the name of the property
	 */
	static String nameOf(SettingName setting) {
		Object property = switch (setting) {
			case ACME -> ACME;
			case CERTIFICATE -> "server.ssl";
			case CERTIFICATE_DIRECTORY -> CERTIFICATE_DIRECTORY;
			case CERTIFICATES -> CERTIFICATES;
			case CIPHERS -> "server.ssl.ciphers";
			case CLIENT_AUTH -> "server.ssl.client-auth";
			case CLIENT_FINGERPRINT -> CLIENT_FINGERPRINT;
			case CA_CERTIFICATES -> CA_CERTIFICATE_FILE;
			case ENABLED_PROTOCOLS -> "server.ssl.enabled-protocols";
			case FIPS_MODE -> OPENSSL_FIPS_MODE;
			case FORWARDED_CERTIFICATES -> FORWARDED_CLIENT_CERTIFICATE_HEADER;
			case GROUPS -> GROUPS;
			case HANDSHAKE_TIMEOUT -> HANDSHAKE_TIMEOUT;
			case HTTP_REDIRECT_PORT -> HTTP_REDIRECT_PORT;
			case KEY_ALIAS -> "server.ssl.key-alias";
			case KEY_PASSWORD -> "server.ssl.key-password";
			case KEY_STORE_PASSWORD -> "server.ssl.key-store-password";
			case LIBRARY_PATH -> OPENSSL_LIBRARY_PATH;
			case MODE -> OPENSSL_MODE;
			case OCSP -> OCSP_ENABLED;
			case POLICY -> POLICY;
			case POLICY_PREVIEW -> POLICY_PREVIEW;
			case PROXY_CA_CERTIFICATES -> FORWARDED_CLIENT_CERTIFICATE_PROXY_CA_CERTIFICATE_FILE;
			case PROXY_PROTOCOL -> PROXY_PROTOCOL_TRUSTED;
			case REVOCATION_LISTS -> CERTIFICATE_REVOCATION_LIST_FILE;
			case SERVER_NAME -> "server.ssl.server-name-bundles";
			case SIGNATURE_ALGORITHMS -> SIGNATURE_ALGORITHMS;
			case UNKNOWN_SERVER_NAME -> UNKNOWN_SERVER_NAME;
			case WORK_DIR -> OPENSSL_WORK_DIR;
		};
		return property.toString();
	}

	/**
	 * Apply the table to a place.
	 * @param place the place
	 * @param properties the properties
	 * @throws InvalidConfigurationPropertyValueException if a property is set that the
	 * place does not enforce
	 */
	static void enforce(Place place, TomcatOpenSslProperties properties) {
		// Tomcat's own protocol verifies the clients of all host names in the same way
		if (place.isServer()
				&& properties.serverNameCertificates().stream().anyMatch((host) -> host.clientAuth() != null)) {
			throw refusal(SERVER_NAME_CERTIFICATES + "[].client-auth", null, place);
		}
		for (ServerSslProperty property : values()) {
			if (property.isSet(properties) && property.in(place) == Effect.REFUSED) {
				throw refusal(property.toString(), property.shownValue(properties), place);
			}
		}
		for (ServerSslProperty property : values()) {
			if (property.isSet(properties) && property.in(place) == Effect.WARNED) {
				logger.warn("'%s' has no effect: %s. %s".formatted(property, place.reason(),
						(property != RELOAD_ON_UPDATE) ? place.remedy() + ", or remove the property"
								: "Restart the application when a certificate is replaced, or use Tomcat"));
			}
		}
	}

	private static InvalidConfigurationPropertyValueException refusal(String property, @Nullable Object value,
			Place place) {
		return new InvalidConfigurationPropertyValueException(property, value,
				"It cannot be enforced: %s. %s, or remove the property.".formatted(place.reason(), place.remedy()));
	}

	/**
	 * Check that no property is set without what it needs.
	 * @param properties the properties
	 * @throws InvalidConfigurationPropertyValueException if a property has no effect
	 */
	static void requireEffect(TomcatOpenSslProperties properties) {
		for (ServerSslProperty property : values()) {
			if (property.isSet(properties) && !property.requirements.isEmpty()
					&& property.requirements.stream().noneMatch((needed) -> isMet(needed, properties))) {
				String[] needed = property.requirements.get(0).split("=");
				String others = property.requirements.stream()
					.skip(1)
					.map((other) -> " or '%s'".formatted(of(other)))
					.collect(Collectors.joining());
				throw new InvalidConfigurationPropertyValueException(property.toString(),
						property.shownValue(properties),
						((needed.length > 1)
								? "It has no effect unless '%1$s' is '%2$s'. Set '%1$s' to '%2$s', or remove '%3$s'."
								: "It has no effect unless '%1$s'%4$s is set. Set '%1$s'%4$s, or remove '%3$s'.")
							.formatted(of(needed[0]), (needed.length > 1) ? needed[1] : "", property, others));
			}
		}
	}

	private static boolean isMet(String requirement, TomcatOpenSslProperties properties) {
		ServerSslProperty needed = of(requirement.split("=")[0]);
		return needed.isSet(properties) || needed == ACME && ordersCertificates(properties);
	}

	// Without domains of its own, the server can obtain those of others
	private static boolean ordersCertificates(TomcatOpenSslProperties properties) {
		return properties.acme() != null && properties.acme().termsOfServiceAgreed();
	}

	private @Nullable Object shownValue(TomcatOpenSslProperties properties) {
		return SECRETS.contains(this) ? "******" : this.value.apply(properties);
	}

	Effect in(Place place) {
		return Effect.values()["+x!-".indexOf(this.cells.charAt(place.column))];
	}

	boolean isSet(TomcatOpenSslProperties properties) {
		Object value = this.value.apply(properties);
		return value != null && !NEUTRAL.contains(value);
	}

	/**
	 * Return the file of a property that names CAs.
	 * @param properties the properties
	 * @return the file, or {@code null} if it is not set
	 */
	@Nullable ConfiguredFile cas(TomcatOpenSslProperties properties) {
		return (this.value.apply(properties) instanceof String location)
				? new ConfiguredFile(toString(), location, Content.CAS) : null;
	}

	/**
	 * Return the files of a property that names revocation lists.
	 * @param properties the properties
	 * @return the files, empty if none is set
	 */
	List<ConfiguredFile> revocationLists(TomcatOpenSslProperties properties) {
		return (this.value.apply(properties) instanceof List<?> locations)
				? ConfiguredFile.revocationLists(toString(), locations.stream().map(String::valueOf).toList())
				: List.of();
	}

	/**
	 * Return the properties that cannot be set together with this one. Each contradiction
	 * is in the row of one of the two properties only.
	 * @return the names of properties below {@code server.ssl}, followed by an equals
	 * sign and a value if only this value contradicts
	 */
	Set<String> contradictions() {
		return this.contradictions;
	}

	/**
	 * Return the properties without one of which this one has no effect.
	 * @return the names of properties below {@code server.ssl}, each followed by an
	 * equals sign and the value that it needs unless any will do; empty if none is needed
	 */
	List<String> requirements() {
		return this.requirements;
	}

	/**
	 * Create an exception for a problem of the property.
	 * @param reason what is wrong, as a clause of a sentence
	 * @param action what to do about it, as a sentence without its full stop
	 * @return the exception
	 */
	TlsSettingException failure(String reason, String action) {
		return new TlsSettingException(toString(), null, reason, action, null);
	}

	@Override
	public String toString() {
		return "server.ssl." + name().toLowerCase(Locale.ROOT)
			.replace('_', '-')
			.replace("acme-", "acme.")
			.replace("openssl-", "openssl.")
			.replace("proxy-protocol-", "proxy-protocol.")
			.replace("forwarded-client-certificate-", "forwarded-client-certificate.");
	}

	/**
	 * Names of properties that contradict several others.
	 */
	private static final class Others {

		static final String CERTIFICATES_OF_BOOT = "bundle certificate certificate-private-key key-store"
				+ " key-store-password key-store-type key-store-provider key-alias key-password";

		static final String ALL_CERTIFICATES = CERTIFICATES_OF_BOOT
				+ " server-name-bundles certificate-file certificate-key-file certificate-key-password certificate-chain-file certificates server-name-certificates";

	}

	/**
	 * Where a property may not take effect, and why. Each has a column of the table.
	 */
	enum Place {

		/**
		 * Tomcat in a native image.
		 */
		NATIVE_IMAGE(0, "a GraalVM native image cannot load Tomcat Native", "Run the application on a JVM"),

		/**
		 * Tomcat without the auto-configuration.
		 */
		UNCONFIGURED(0, "'TomcatOpenSslAutoConfiguration' is missing", "Do not exclude it"),

		/**
		 * Reactor Netty.
		 */
		NETTY(1, "Reactor Netty serves TLS, but only Tomcat can use OpenSSL for it", Place.USE_TOMCAT),

		/**
		 * Any other embedded server, such as Jetty.
		 */
		OTHER_SERVER(2, "a web server other than Tomcat serves TLS, but only Tomcat can use OpenSSL for it",
				Place.USE_TOMCAT),

		/**
		 * The container that a WAR is deployed to.
		 */
		WAR(3, "the container that runs the WAR serves TLS",
				"Run the WAR with 'java -jar', or configure the container instead"),

		/**
		 * A main server that has no certificate although TLS is not turned off, if only
		 * this property is set.
		 */
		WITHOUT_TLS(4, "the web server serves no TLS, because it has no certificate",
				"Set 'server.ssl.certificate-file', 'server.ssl.bundle' or another certificate, or set 'server.ssl.enabled' to 'false' if the application is meant to serve HTTP");

		private static final String USE_TOMCAT = "Add 'spring-boot-starter-tomcat' and exclude the starter of the other web server";

		private final int column;

		private final String reason;

		private final String remedy;

		Place(int column, String reason, String remedy) {
			this.column = column;
			this.reason = reason;
			this.remedy = remedy;
		}

		/**
		 * Return the reason why a property may not take effect.
		 * @return a clause of a sentence
		 */
		String reason() {
			return this.reason;
		}

		String remedy() {
			return this.remedy;
		}

		private boolean isServer() {
			return this != WAR && this != WITHOUT_TLS;
		}

	}

	/**
	 * The effect of setting a property.
	 */
	enum Effect {

		/**
		 * The property takes effect.
		 */
		HOLDS,

		/**
		 * The property prevents startup.
		 */
		REFUSED,

		/**
		 * The property has no effect, and a warning says so.
		 */
		WARNED,

		/**
		 * The property has no meaning.
		 */
		NO_MEANING

	}

}
