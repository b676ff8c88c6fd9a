// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl;

import java.util.Arrays;
import java.util.Locale;
import java.util.function.Function;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * What a user sets of a connector or of its library, without the names of the properties
 * that set it.
 */
public enum TlsSetting {

	/**
	 * The certificate and its key.
	 */
	CERTIFICATE,

	/**
	 * Certificates of different key types for one virtual host.
	 */
	CERTIFICATES,

	/**
	 * The cipher suites.
	 */
	CIPHERS,

	/**
	 * Whether clients are verified.
	 */
	CLIENT_AUTH,

	/**
	 * The files of the CAs that clients are verified against.
	 */
	CA_CERTIFICATES,

	/**
	 * The versions of TLS.
	 */
	ENABLED_PROTOCOLS,

	/**
	 * Whether OpenSSL has to work with the FIPS provider.
	 */
	FIPS_MODE,

	/**
	 * The groups of the key exchange.
	 */
	GROUPS,

	/**
	 * How long a handshake may take.
	 */
	HANDSHAKE_TIMEOUT,

	/**
	 * The file of Tomcat Native, or the folder it is in.
	 */
	LIBRARY_PATH,

	/**
	 * Which engine serves TLS.
	 */
	MODE,

	/**
	 * Whether client certificates are checked by OCSP.
	 */
	OCSP,

	/**
	 * The certificate revocation lists.
	 */
	REVOCATION_LISTS,

	/**
	 * The keys of session tickets.
	 */
	SESSION_TICKET_KEYS,

	/**
	 * What becomes of clients that ask for an unknown server name.
	 */
	UNKNOWN_SERVER_NAME,

	/**
	 * The folder that the bundled library is extracted into.
	 */
	WORK_DIR;

	// Braces of users, as in a list of ciphers, stay
	private static final Pattern PLACEHOLDER = Pattern
		.compile(Arrays.stream(values()).map(TlsSetting::name).collect(Collectors.joining("|", "\\{(", ")}")));

	@Override
	public String toString() {
		return name().toLowerCase(Locale.ROOT).replace('_', ' ');
	}

	/**
	 * Put the names of settings into a text.
	 * @param text a text with settings in braces, such as <code>{CIPHERS}</code>
	 * @param names the name of each setting
	 * @return the text with the names in quotes
	 */
	public static String name(String text, Function<TlsSetting, String> names) {
		return PLACEHOLDER.matcher(text).replaceAll((match) -> "'" + names.apply(valueOf(match.group(1))) + "'");
	}

}
