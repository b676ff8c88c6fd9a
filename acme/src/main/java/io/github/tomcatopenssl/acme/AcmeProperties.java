// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.net.URI;
import java.util.List;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * A certificate that a CA issues with the ACME protocol, such as Let's Encrypt.
 *
 * @param domains Host names and IP addresses of the certificate. Turns HTTPS on, obtains
 * the certificate, and renews it. Needs the dependency 'tomcat-openssl-acme'.
 * @param certificates Further certificates, each for its own domains.
 * @param ordersPerHour How many certificates are ordered in an hour on average, at most,
 * for all domains. Orders of three hours can be saved up.
 * @param termsOfServiceAgreed Whether you agree to the terms of service of the CA.
 * Nothing is ordered otherwise.
 * @param email Address at which the CA can reach you.
 * @param directory Folder for the account, the orders and the certificates, which
 * replicas share. By default, 'tomcat-openssl/acme' in the folder for the data of the
 * user or of the systemd service. With a database, the folder to move from.
 * @param directoryUrl URL of the CA's ACME directory.
 * @param keyTypes Key types, each of which gets a certificate. The first one is
 * preferred.
 * @param profile Profile that the CA issues certificates with. By default, that of the
 * CA, or 'shortlived' if 'domains' has an IP address and the CA offers this profile.
 * @param preferredChain Common name of the root that the chain should end with, if the CA
 * offers several chains.
 * @param sslBundle Name of the SSL bundle that verifies the ACME server of a private CA.
 * By default, Java's CAs verify it.
 * @param externalAccount Account with the CA, if it requires one.
 * @param dnsUpdate Name server that takes dynamic updates, so that the CA can verify host
 * names over DNS.
 */
@ConfigurationProperties(AcmeProperties.PREFIX)
record AcmeProperties(@Nullable List<String> domains, @DefaultValue List<Certificate> certificates,
		@DefaultValue("100") int ordersPerHour, boolean termsOfServiceAgreed, @Nullable String email,
		@DefaultValue("https://acme-v02.api.letsencrypt.org/directory") URI directoryUrl, @Nullable String directory,
		@DefaultValue("ec") List<AcmeKeyType> keyTypes, @Nullable String profile, @Nullable String preferredChain,
		@Nullable String sslBundle, @Nullable ExternalAccount externalAccount, @Nullable DnsUpdate dnsUpdate) {

	/**
	 * The name that all of the properties begin with.
	 */
	static final String PREFIX = "server.ssl.acme";

	/**
	 * Whether the replicas share a database.
	 */
	static final String STORE = "server.ssl.store";

	static final String DOMAINS = PREFIX + ".domains";

	static final String HANDSHAKE_TIMEOUT = "server.ssl.handshake-timeout";

	static final String DIRECTORY = PREFIX + ".directory";

	static final String DIRECTORY_URL = PREFIX + ".directory-url";

	static final String ORDERS_PER_HOUR = PREFIX + ".orders-per-hour";

	static final String KEY_ID = PREFIX + ".external-account.key-id";

	static final String HMAC_KEY = PREFIX + ".external-account.hmac-key";

	static final String DNS_UPDATE = PREFIX + ".dns-update";

	static final String PREFERRED_CHAIN = PREFIX + ".preferred-chain";

	static final String PROFILE = PREFIX + ".profile";

	static final String SSL_BUNDLE = PREFIX + ".ssl-bundle";

	/**
	 * Return the domains only, so that the key of the account is not shown.
	 */
	@Override
	public String toString() {
		return "AcmeProperties" + this.domains;
	}

	/**
	 * A certificate besides that of the default host.
	 *
	 * @param domains Host names and IP addresses of the certificate.
	 */
	record Certificate(@DefaultValue List<String> domains) {

	}

	/**
	 * Dynamic updates of DNS (RFC 2136), signed with a key (TSIG, RFC 8945).
	 *
	 * @param server Primary name server of the domains: a host name or an address, with a
	 * port if it is not 53.
	 * @param key Key that signs the updates, in Base64.
	 * @param keyName Name of the key that signs the updates.
	 * @param keyAlgorithm Algorithm of the key.
	 */
	record DnsUpdate(@Nullable String server, @Nullable String keyName, @Nullable String key,
			@DefaultValue("hmac-sha256") KeyAlgorithm keyAlgorithm) {

		/**
		 * Return the server only, so that the key is not shown.
		 */
		@Override
		public String toString() {
			return "DnsUpdate[" + this.server + "]";
		}

	}

	/**
	 * Algorithms of keys that sign dynamic updates (RFC 8945, 6).
	 */
	enum KeyAlgorithm {

		/**
		 * HMAC with SHA-256.
		 */
		HMAC_SHA256,

		/**
		 * HMAC with SHA-384.
		 */
		HMAC_SHA384,

		/**
		 * HMAC with SHA-512.
		 */
		HMAC_SHA512

	}

	/**
	 * An account with the CA (RFC 8555, 7.3.4).
	 *
	 * @param keyId Key identifier that the CA gave you.
	 * @param hmacKey Key that the CA gave you, in Base64.
	 */
	record ExternalAccount(@Nullable String keyId, @Nullable String hmacKey) {

		/**
		 * Return the key identifier only.
		 */
		@Override
		public String toString() {
			return "ExternalAccount[" + this.keyId + "]";
		}

	}

}
