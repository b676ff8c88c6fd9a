// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;

import io.github.tomcatopenssl.FipsMode;
import io.github.tomcatopenssl.LibrarySource;
import io.github.tomcatopenssl.OpenSslMode;
import io.github.tomcatopenssl.UnknownServerName;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * The table of the properties: a row for each, and a column for each {@link Place}, in
 * its order. A cell says what becomes of a property that is set:
 * <ul>
 * <li>{@code +} it holds,
 * <li>{@code x} it ends the start,
 * <li>{@code !} it has no effect, and a warning says so,
 * <li>{@code -} it has no meaning.
 * </ul>
 * The guide to the properties shows it in words.
 */
enum ServerSslProperty {

	// Tomcat, management, connectors, JSSE; native image, Netty, other server, WAR
	CERTIFICATE_FILE("++-+ +++-", TomcatOpenSslProperties::certificateFile),

	CERTIFICATE_KEY_FILE("++-+ +++-", TomcatOpenSslProperties::certificateKeyFile),

	CERTIFICATE_KEY_PASSWORD("++-+ +++-", TomcatOpenSslProperties::certificateKeyPassword),

	CERTIFICATE_CHAIN_FILE("++-+ +++-", TomcatOpenSslProperties::certificateChainFile),

	// Tomcat itself serves one key of a key store
	CERTIFICATES("++-+ x++-", TomcatOpenSslProperties::certificates),

	SERVER_NAME_CERTIFICATES("++-+ ++x-", TomcatOpenSslProperties::serverNameCertificates),

	DEVELOPMENT_CERTIFICATE("++-+ +++-", TomcatOpenSslProperties::developmentCertificate),

	CA_CERTIFICATE_FILE("++-+ +++-", TomcatOpenSslProperties::caCertificateFile),

	CERTIFICATE_REVOCATION_LIST_FILE("++++ xxxx", TomcatOpenSslProperties::certificateRevocationListFile),

	OCSP_ENABLED("++++ xxxx", TomcatOpenSslProperties::ocspEnabled),

	OCSP_SOFT_FAIL("++++ ----", TomcatOpenSslProperties::ocspSoftFail),

	DEVELOPMENT_CERTIFICATE_NAMES("++-+ +++-", TomcatOpenSslProperties::developmentCertificateNames),

	DEVELOPMENT_CERTIFICATE_IN_PRODUCTION("++-+ +++-", TomcatOpenSslProperties::developmentCertificateInProduction),

	RELOAD_ON_UPDATE("++-+ ++!-", (all) -> all.reloadOnUpdate() && isAnySet(all)),

	HANDSHAKE_TIMEOUT("++++ xxxx", TomcatOpenSslProperties::handshakeTimeout),

	GROUPS("++++ xxxx", TomcatOpenSslProperties::groups),

	SESSION_TICKET_KEY_FILES("+++! !!!-", TomcatOpenSslProperties::sessionTicketKeyFiles),

	UNKNOWN_SERVER_NAME("++++ xxxx", TomcatOpenSslProperties::unknownServerName),

	UNKNOWN_SERVER_NAME_ALLOWED("++++ ----", TomcatOpenSslProperties::unknownServerNameAllowed),

	OPENSSL_FIPS_MODE("+++x xxxx", (all) -> all.openssl().fipsMode()),

	OPENSSL_MODE("+++x xxxx", (all) -> all.openssl().mode()),

	OPENSSL_LIBRARY("+++- ----", (all) -> all.openssl().library()),

	OPENSSL_LIBRARY_PATH("+++- ----", (all) -> all.openssl().libraryPath()),

	OPENSSL_WORK_DIR("+++- ----", (all) -> all.openssl().workDir());

	/**
	 * What a certificate may not stand beside, a development certificate above all.
	 */
	static final Set<ServerSslProperty> CERTIFICATE_SET = EnumSet.range(CERTIFICATE_FILE, SERVER_NAME_CERTIFICATES);

	static final Set<ServerSslProperty> CLIENT_VERIFICATION = EnumSet.range(CA_CERTIFICATE_FILE, OCSP_ENABLED);

	// Values that ask for nothing
	private static final Set<Object> NEUTRAL = Set.of(false, List.of(), OpenSslMode.WHEN_AVAILABLE, OpenSslMode.NEVER,
			LibrarySource.AUTO, FipsMode.OFF, UnknownServerName.ACCEPT);

	private final String cells;

	private final Function<TomcatOpenSslProperties, @Nullable Object> value;

	ServerSslProperty(String cells, Function<TomcatOpenSslProperties, @Nullable Object> value) {
		this.cells = cells.replace(" ", "");
		this.value = value;
	}

	/**
	 * Return whether certificate files are set, or what goes with them and would be
	 * ignored without.
	 * @param properties the properties
	 * @return whether one of them is set, be it blank
	 */
	static boolean isAnySet(TomcatOpenSslProperties properties) {
		return EnumSet.range(CERTIFICATE_FILE, OCSP_ENABLED)
			.stream()
			.anyMatch((property) -> property.isSet(properties));
	}

	/**
	 * End the start if something is set that a place does not enforce.
	 * @param place the place
	 * @param properties the properties
	 * @param reason why not, and what to do: sentences
	 */
	static void requireEnforced(Place place, TomcatOpenSslProperties properties, String reason) {
		for (ServerSslProperty property : values()) {
			if (property.isSet(properties) && property.in(place) == Effect.REFUSED) {
				throw new InvalidConfigurationPropertyValueException(property.toString(),
						property.value.apply(properties), reason);
			}
		}
	}

	Effect in(Place place) {
		return Effect.values()["+x!-".indexOf(this.cells.charAt(place.ordinal()))];
	}

	boolean isSet(TomcatOpenSslProperties properties) {
		Object value = this.value.apply(properties);
		return value != null && !NEUTRAL.contains(value);
	}

	boolean isBlank(TomcatOpenSslProperties properties) {
		return this.value.apply(properties) instanceof String text && text.isBlank();
	}

	@Override
	public String toString() {
		return "server.ssl." + name().toLowerCase(Locale.ROOT).replace('_', '-').replace("openssl-", "openssl.");
	}

	/**
	 * Where a property may hold.
	 */
	enum Place {

		/**
		 * The main server, with OpenSSL.
		 */
		TOMCAT,

		/**
		 * A management server of its own, unless {@code management.server.ssl} has TLS
		 * settings of its own.
		 */
		MANAGEMENT,

		/**
		 * Connectors that the application adds, with the protocol of this project.
		 */
		CONNECTORS,

		/**
		 * JSSE instead of OpenSSL.
		 */
		JSSE,

		/**
		 * Tomcat in a native image, or without the auto-configuration.
		 */
		NATIVE_IMAGE,

		/**
		 * Reactor Netty.
		 */
		NETTY,

		/**
		 * Any other embedded server, such as Jetty.
		 */
		OTHER_SERVER,

		/**
		 * The container that a WAR is deployed to.
		 */
		WAR

	}

	/**
	 * What becomes of a property that is set.
	 */
	enum Effect {

		/**
		 * It holds.
		 */
		HOLDS,

		/**
		 * It ends the start.
		 */
		REFUSED,

		/**
		 * It has no effect, and a warning says so.
		 */
		WARNED,

		/**
		 * It has no meaning.
		 */
		NO_MEANING

	}

}
