// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.List;

import io.github.tomcatopenssl.UnknownServerName;
import io.github.tomcatopenssl.internal.engine.TlsEngine;
import io.github.tomcatopenssl.internal.host.CertificateHosts;
import io.github.tomcatopenssl.internal.host.CertificateOrigin;
import io.github.tomcatopenssl.internal.host.PolicySettings;
import io.github.tomcatopenssl.internal.host.RevocationChecks;
import io.github.tomcatopenssl.internal.host.ServerNameRules;
import io.github.tomcatopenssl.internal.host.TlsAlpnChallenges;
import io.github.tomcatopenssl.internal.host.TlsSettings;
import io.github.tomcatopenssl.internal.host.TrustedProxies;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Creates the settings of a connector from the properties.
 */
class ConnectorSettings {

	private final TomcatOpenSslProperties properties;

	private final KeyExchangeGroups groups;

	private final @Nullable SharedTicketKeys<?> ticketKeys;

	private final RevocationChecks revocation;

	private final @Nullable ServerNameRules serverNames;

	private final @Nullable TrustedProxies trustedProxies;

	private final TlsAlpnChallenges challenges;

	private final CertificateHosts hosts;

	private final CertificateOrigin origin;

	ConnectorSettings(TomcatOpenSslProperties properties, @Nullable SharedTicketKeys<?> ticketKeys,
			TlsAlpnChallenges challenges, CertificateHosts hosts, CertificateOrigin origin) {
		this.hosts = hosts;
		this.origin = origin;
		this.challenges = challenges;
		this.properties = properties;
		this.groups = new KeyExchangeGroups(properties.groups());
		this.ticketKeys = ticketKeys;
		this.revocation = new RevocationChecks(hasRevocationLists(properties), properties.ocspEnabled(),
				properties.ocspSoftFail());
		this.serverNames = serverNames(properties);
		this.trustedProxies = trustedProxies(properties.proxyProtocol().trusted());
		if (properties.handshakeTimeout() != null && properties.handshakeTimeout().toMillis() < 1000) {
			throw new InvalidConfigurationPropertyValueException(ServerSslProperty.HANDSHAKE_TIMEOUT.toString(),
					properties.handshakeTimeout(),
					"It must be at least one second. A number without a unit is in seconds.");
		}
	}

	private static @Nullable ServerNameRules serverNames(TomcatOpenSslProperties properties) {
		for (String allowed : properties.unknownServerNameAllowed()) {
			try {
				ServerNameRules.of(List.of(allowed));
			}
			catch (IllegalArgumentException ex) {
				throw new InvalidConfigurationPropertyValueException(
						ServerSslProperty.UNKNOWN_SERVER_NAME_ALLOWED.toString(), allowed, ex.getMessage());
			}
		}
		return (properties.unknownServerName() == UnknownServerName.REJECT)
				? ServerNameRules.of(properties.unknownServerNameAllowed()) : null;
	}

	private static boolean hasRevocationLists(TomcatOpenSslProperties properties) {
		return !properties.certificateRevocationListFile().isEmpty() || properties.serverNameCertificates()
			.stream()
			.anyMatch((certificate) -> !certificate.certificateRevocationListFile().isEmpty());
	}

	private static @Nullable TrustedProxies trustedProxies(List<String> trusted) {
		for (String range : trusted) {
			try {
				TrustedProxies.of(List.of(range));
			}
			catch (IllegalArgumentException ex) {
				throw new InvalidConfigurationPropertyValueException(
						ServerSslProperty.PROXY_PROTOCOL_TRUSTED.toString(), range, ex.getMessage());
			}
		}
		return !trusted.isEmpty() ? TrustedProxies.of(trusted) : null;
	}

	/**
	 * Return the settings for an engine.
	 * @param engine the engine
	 * @param clients finds what the clients of a host are verified with
	 * @param servesHosts whether the server has the hosts that come and go
	 * @return the settings
	 * @throws InvalidConfigurationPropertyValueException if the engine supports none of
	 * the groups
	 */
	TlsSettings of(TlsEngine engine, HostClients clients, boolean servesHosts) {
		PolicySettings policy = new PolicySettings(this.properties.policy(), this.properties.signatureAlgorithms(),
				this.properties.policyPreview());
		policy.requireGroups(this.properties.groups());
		if (policy.policy() != null && policy.policy() == policy.preview()) {
			throw ServerSslProperty.POLICY_PREVIEW.failure(
					"'%s' is '%s' as well, so that there is nothing to count".formatted(ServerSslProperty.POLICY,
							policy.policy()),
					"Remove '%s', or set it to a stricter policy".formatted(ServerSslProperty.POLICY_PREVIEW));
		}
		return new TlsSettings(this.groups.of(engine.capabilities()), policy,
				clients.usesCertificateFiles() ? this.revocation : RevocationChecks.NONE, clients,
				(this.ticketKeys != null) ? this.ticketKeys.of(engine.capabilities()) : null, this.serverNames,
				this.trustedProxies, this.properties.forwardedClientCertificate().header(),
				this.properties.handshakeTimeout(), this.properties.clientFingerprint(),
				this.properties.openssl().fipsRequired(), challenges(servesHosts),
				servesHosts ? this.hosts : new CertificateHosts(), this.origin, ServerSslProperty::nameOf);
	}

	private TlsAlpnChallenges challenges(boolean servesHosts) {
		return (ServerSslProperty.ACME.isSet(this.properties) || servesHosts && this.hosts.areUsed()) ? this.challenges
				: TlsAlpnChallenges.NONE;
	}

}
