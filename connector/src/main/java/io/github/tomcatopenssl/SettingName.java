// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl;

import java.util.Locale;

/**
 * A setting of a connector or of its library, independent of the name of the property
 * that sets it.
 */
public enum SettingName {

	/**
	 * How a CA issues the certificate, which includes its challenges.
	 */
	ACME,

	/**
	 * The certificate and its key.
	 */
	CERTIFICATE,

	/**
	 * The folder whose certificates are hosts that come and go.
	 */
	CERTIFICATE_DIRECTORY,

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
	 * The fingerprint that is computed for each client.
	 */
	CLIENT_FINGERPRINT,

	/**
	 * The files of the CAs that clients are verified against.
	 */
	CA_CERTIFICATES,

	/**
	 * The versions of TLS.
	 */
	ENABLED_PROTOCOLS,

	/**
	 * Whether OpenSSL must work with the FIPS provider.
	 */
	FIPS_MODE,

	/**
	 * The header in which proxies forward the certificates of their clients.
	 */
	FORWARDED_CERTIFICATES,

	/**
	 * The groups of the key exchange.
	 */
	GROUPS,

	/**
	 * How long a handshake may take.
	 */
	HANDSHAKE_TIMEOUT,

	/**
	 * The port that redirects HTTP to HTTPS.
	 */
	HTTP_REDIRECT_PORT,

	/**
	 * Which key of a key store is served.
	 */
	KEY_ALIAS,

	/**
	 * The password of a key in a key store.
	 */
	KEY_PASSWORD,

	/**
	 * The password of the key store.
	 */
	KEY_STORE_PASSWORD,

	/**
	 * The file of Tomcat Native, or the folder that contains it.
	 */
	LIBRARY_PATH,

	/**
	 * Which engine serves TLS.
	 */
	MODE,

	/**
	 * Whether client certificates are checked with OCSP.
	 */
	OCSP,

	/**
	 * The policy that TLS must follow.
	 */
	POLICY,

	/**
	 * The policy whose refusals are counted.
	 */
	POLICY_PREVIEW,

	/**
	 * The file of the CAs of proxies that forward the certificates of their clients.
	 */
	PROXY_CA_CERTIFICATES,

	/**
	 * The proxies that pass on the addresses of their clients.
	 */
	PROXY_PROTOCOL,

	/**
	 * The certificate revocation lists.
	 */
	REVOCATION_LISTS,

	/**
	 * The host name of a virtual host.
	 */
	SERVER_NAME,

	/**
	 * The signature algorithms of handshakes.
	 */
	SIGNATURE_ALGORITHMS,

	/**
	 * How to treat clients whose server name (SNI) is unknown or missing.
	 */
	UNKNOWN_SERVER_NAME,

	/**
	 * The folder that the bundled library is extracted into.
	 */
	WORK_DIR;

	@Override
	public String toString() {
		return name().toLowerCase(Locale.ROOT).replace('_', ' ');
	}

}
