// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import io.github.tomcatopenssl.autoconfigure.ServerSslProperty.Effect;
import io.github.tomcatopenssl.autoconfigure.ServerSslProperty.Place;

/**
 * The columns of the table in the page about the properties: those of
 * {@link ServerSslProperty}, and those that follow from the rest of the code.
 */
enum TableColumn {

	/**
	 * The main server, with OpenSSL.
	 */
	TOMCAT,

	/**
	 * A management server with its own port, unless {@code management.server.ssl} has a
	 * certificate of Spring Boot.
	 */
	MANAGEMENT,

	/**
	 * Connectors that the application adds with the protocol of this project.
	 */
	CONNECTORS,

	/**
	 * JSSE instead of OpenSSL.
	 */
	JSSE, NATIVE_IMAGE, NETTY, OTHER_SERVER, WAR, WITHOUT_TLS,

	/**
	 * Anywhere, if a letter of the property's name is missing.
	 */
	MISSPELT;

	/**
	 * Return the cell in the row of a property.
	 * @param property the property
	 * @return what happens if it is set
	 */
	Effect of(ServerSslProperty property) {
		return switch (this) {
			case TOMCAT -> Effect.HOLDS;
			case MANAGEMENT -> (property != ServerSslProperty.HTTP_REDIRECT_PORT) ? Effect.HOLDS : Effect.NO_MEANING;
			case CONNECTORS -> ofConnectors(property);
			case JSSE -> ofJsse(property);
			case MISSPELT -> Effect.REFUSED;
			default -> property.in(Place.valueOf(name()));
		};
	}

	// They have their own certificates
	private static Effect ofConnectors(ServerSslProperty property) {
		return switch (property) {
			case CERTIFICATE_FILE, CERTIFICATE_KEY_FILE, CERTIFICATE_KEY_PASSWORD, CERTIFICATE_CHAIN_FILE, CERTIFICATES,
					SERVER_NAME_CERTIFICATES, DEVELOPMENT_CERTIFICATE, DEVELOPMENT_CERTIFICATE_NAMES,
					DEVELOPMENT_CERTIFICATE_IN_PRODUCTION, ACME, STORE, STORE_KEYS, STORE_INITIALIZE_SCHEMA,
					CA_CERTIFICATE_FILE, RELOAD_ON_UPDATE, HTTP_REDIRECT_PORT ->
				Effect.NO_MEANING;
			default -> Effect.HOLDS;
		};
	}

	private static Effect ofJsse(ServerSslProperty property) {
		return switch (property) {
			case SESSION_TICKET_KEY_FILE, SESSION_TICKET_KEYS -> Effect.WARNED;
			case OPENSSL_FIPS_MODE, OPENSSL_MODE -> Effect.REFUSED;
			case OPENSSL_LIBRARY, OPENSSL_LIBRARY_PATH, OPENSSL_WORK_DIR -> Effect.NO_MEANING;
			default -> Effect.HOLDS;
		};
	}

}
