// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

import io.github.tomcatopenssl.ClientFingerprint;
import io.github.tomcatopenssl.ForwardedCertificateHeader;
import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.SettingName;
import org.jspecify.annotations.Nullable;

/**
 * The settings of a connector, as the user has set them.
 *
 * @param groups the only groups for the key exchange, the preferred one first, all of
 * which the engine supports; empty for the default
 * @param policy the policy
 * @param revocation how client certificates are checked for revocation
 * @param clients finds what the clients of a virtual host are verified with, by its name
 * @param ticketKeys returns the session ticket keys that are in use, or {@code null} for
 * the engine's own
 * @param serverNames which clients are accepted although unknown server names are
 * rejected, or {@code null} if unknown server names are accepted
 * @param trustedProxies the proxies that pass on the addresses of their clients, or
 * {@code null} if there are none
 * @param forwardedCertificates the header in which proxies forward the certificates of
 * their clients, or {@code null} if they do not
 * @param handshakeTimeout the time limit for a handshake, or {@code null} for the default
 * @param clientFingerprint the fingerprint of clients to compute, or {@code null}
 * @param fips whether OpenSSL must use the FIPS provider
 * @param challenges the open ACME challenges
 * @param hosts the hosts that come and go
 * @param origin knows where certificates come from
 * @param names returns the user's name of a setting, for messages
 */
public record TlsSettings(List<KeyExchangeGroup> groups, PolicySettings policy, RevocationChecks revocation,
		Function<String, ClientMaterial> clients, @Nullable Supplier<SessionTicketKeys> ticketKeys,
		@Nullable ServerNameRules serverNames, @Nullable TrustedProxies trustedProxies,
		@Nullable ForwardedCertificateHeader forwardedCertificates, @Nullable Duration handshakeTimeout,
		@Nullable ClientFingerprint clientFingerprint, boolean fips, TlsAlpnChallenges challenges,
		CertificateHosts hosts, CertificateOrigin origin, Function<SettingName, String> names) {

	/**
	 * Create the settings.
	 */
	public TlsSettings {
		groups = List.copyOf(groups);
	}

	/**
	 * Create the settings of a user who knows them by the connector's own names.
	 * @param groups the groups for the key exchange
	 * @param policy the policy
	 * @param revocation how client certificates are checked for revocation
	 * @param clients finds what the clients of a virtual host are verified with
	 * @param ticketKeys returns the session ticket keys, or {@code null}
	 * @param serverNames which clients are accepted without a known server name, or
	 * {@code null}
	 * @param trustedProxies the trusted proxies, or {@code null}
	 * @param forwardedCertificates the header of forwarded certificates, or {@code null}
	 * @param handshakeTimeout the time limit for a handshake, or {@code null}
	 * @param fips whether OpenSSL must use the FIPS provider
	 * @param challenges the open ACME challenges
	 * @param origin knows where certificates come from
	 */
	public TlsSettings(List<KeyExchangeGroup> groups, PolicySettings policy, RevocationChecks revocation,
			Function<String, ClientMaterial> clients, @Nullable Supplier<SessionTicketKeys> ticketKeys,
			@Nullable ServerNameRules serverNames, @Nullable TrustedProxies trustedProxies,
			@Nullable ForwardedCertificateHeader forwardedCertificates, @Nullable Duration handshakeTimeout,
			boolean fips, TlsAlpnChallenges challenges, CertificateOrigin origin) {
		this(groups, policy, revocation, clients, ticketKeys, serverNames, trustedProxies, forwardedCertificates,
				handshakeTimeout, null, fips, challenges, new CertificateHosts(), origin, SettingName::toString);
	}

}
