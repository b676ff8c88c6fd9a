// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import io.github.tomcatopenssl.TlsSetting;

/**
 * The names of the properties that the settings of a connector come from.
 */
final class PropertyNames {

	private PropertyNames() {
	}

	/**
	 * Return the name of the property that a setting comes from.
	 * @param setting the setting of the connector
	 * @return the name of the property
	 */
	static String of(TlsSetting setting) {
		return "server.ssl" + switch (setting) {
			case ACME -> ".acme";
			case CERTIFICATE -> "";
			case CERTIFICATES -> ".certificates";
			case CIPHERS -> ".ciphers";
			case CLIENT_AUTH -> ".client-auth";
			case CA_CERTIFICATES -> ".ca-certificate-file";
			case ENABLED_PROTOCOLS -> ".enabled-protocols";
			case FIPS_MODE -> ".openssl.fips-mode";
			case GROUPS -> ".groups";
			case HANDSHAKE_TIMEOUT -> ".handshake-timeout";
			case LIBRARY_PATH -> ".openssl.library-path";
			case MODE -> ".openssl.mode";
			case OCSP -> ".ocsp-enabled";
			case REVOCATION_LISTS -> ".certificate-revocation-list-file";
			case SESSION_TICKET_KEYS -> ".session-ticket-key-files";
			case UNKNOWN_SERVER_NAME -> ".unknown-server-name";
			case WORK_DIR -> ".openssl.work-dir";
		};
	}

}
