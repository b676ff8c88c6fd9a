// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.util.List;
import java.util.Set;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.SettingText;
import io.github.tomcatopenssl.TlsSettingException;

/**
 * The rules that the policies of all virtual hosts of a connector follow. Settings that
 * cannot hold are refused here, for both engines.
 */
final class PolicyRules {

	private final boolean openSsl;

	private final TlsSettings settings;

	private final Set<KeyExchangeGroup> available;

	PolicyRules(boolean openSsl, TlsSettings settings, Set<KeyExchangeGroup> available) {
		this.openSsl = openSsl;
		this.settings = settings;
		this.available = available;
	}

	/**
	 * Apply the rules to the policy of a virtual host.
	 * @param host the name of the virtual host
	 * @param keys its keys
	 * @param policy what Tomcat is configured with
	 * @return the policy to serve with
	 * @throws TlsSettingException if a setting cannot be enforced
	 */
	TlsPolicy applyTo(String host, List<HostKey> keys, TlsPolicy policy) {
		requireServable(host, keys);
		TlsPolicy applied = IntermediateTlsProfile.applyTo(policy, this.available);
		ProtocolsAndCiphers.requireKnownNames(applied, this.openSsl);
		if (!this.settings.groups().isEmpty()) {
			applied = new RequiredGroups(this.settings.groups()).applyTo(host, applied);
		}
		ProtocolsAndCiphers.requireKnownSuite(host, applied);
		ProtocolsAndCiphers.requireSuites(host, applied, keys);
		return this.settings.fips() ? FipsRequirement.applyTo(host, applied, keys) : applied;
	}

	/**
	 * Apply the rules to the policy of a host that answers an ACME challenge, which
	 * carries no data: neither the groups that are required nor a suite that a key lacks
	 * keep a CA away.
	 * @param host the name of the virtual host
	 * @param keys its keys
	 * @param policy the policy
	 * @return the policy to serve with
	 * @throws TlsSettingException if a setting cannot be enforced
	 */
	TlsPolicy applyToChallenge(String host, List<HostKey> keys, TlsPolicy policy) {
		TlsPolicy applied = IntermediateTlsProfile.applyTo(policy, this.available);
		return this.settings.fips() ? FipsRequirement.applyTo(host, applied, keys) : applied;
	}

	// X25519MLKEM768 and ML-DSA both came with OpenSSL 3.5. JSSE got only the former
	private void requireServable(String host, List<HostKey> keys) {
		boolean mlDsa = this.openSsl && this.available.contains(KeyExchangeGroup.X25519MLKEM768);
		if (!mlDsa && keys.stream().anyMatch((key) -> key.leaf().getPublicKey().getAlgorithm().startsWith("ML-DSA"))) {
			throw new TlsSettingException(SettingName.CERTIFICATE,
					new SettingText(
							"the virtual host '%s' has an ML-DSA key, which only OpenSSL 3.5 or later can serve", host),
					new SettingText(
							"Serve TLS with OpenSSL 3.5 or later (see %s), or remove the certificate with that key",
							SettingName.MODE),
					null);
		}
	}

}
