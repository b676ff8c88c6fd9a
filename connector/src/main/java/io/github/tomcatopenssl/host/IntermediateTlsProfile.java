// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

import io.github.tomcatopenssl.KeyExchangeGroup;
import org.apache.tomcat.util.net.SSLHostConfig;

/**
 * The "intermediate" profile of Mozilla's Server Side TLS guidelines, version 6.0
 * (ssl-config.mozilla.org/guidelines/6.0.json), with those of its groups that the engine
 * supports. It replaces only Tomcat's defaults: a value that differs from them was set by
 * the user.
 */
final class IntermediateTlsProfile {

	static final List<String> CIPHERS = List.of("ECDHE-ECDSA-AES128-GCM-SHA256", "ECDHE-RSA-AES128-GCM-SHA256",
			"ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-RSA-AES256-GCM-SHA384", "ECDHE-ECDSA-CHACHA20-POLY1305",
			"ECDHE-RSA-CHACHA20-POLY1305");

	static final List<String> CIPHER_SUITES = List.of("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384",
			"TLS_CHACHA20_POLY1305_SHA256");

	private static final List<KeyExchangeGroup> GROUPS = List.of(KeyExchangeGroup.X25519MLKEM768,
			KeyExchangeGroup.X25519, KeyExchangeGroup.SECP256R1, KeyExchangeGroup.SECP384R1);

	static final List<String> PROTOCOLS = List.of(TlsPolicy.TLS_1_2, TlsPolicy.TLS_1_3);

	private static final SSLHostConfig TOMCAT_DEFAULTS = new SSLHostConfig();

	private static final Set<String> TOMCAT_PROTOCOLS = Set.copyOf(TOMCAT_DEFAULTS.getProtocols());

	private IntermediateTlsProfile() {
	}

	/**
	 * Apply the profile to a policy.
	 * @param policy the policy
	 * @param available the groups of the engine, or empty if they cannot be configured
	 * @return the policy with the profile
	 */
	static TlsPolicy applyTo(TlsPolicy policy, Set<KeyExchangeGroup> available) {
		TlsPolicy applied = policy.withSuites(
				TOMCAT_DEFAULTS.getCiphers().equals(policy.ciphers()) ? String.join(":", CIPHERS) : policy.ciphers(),
				TOMCAT_DEFAULTS.getCipherSuites().equals(policy.cipherSuites()) ? String.join(":", CIPHER_SUITES)
						: policy.cipherSuites());
		if (TOMCAT_PROTOCOLS.equals(Set.copyOf(policy.protocols()))) {
			applied = applied.withProtocols(PROTOCOLS);
		}
		List<String> groups = GROUPS.stream().filter(available::contains).map(KeyExchangeGroup::toString).toList();
		if (policy.groups() == null && !groups.isEmpty()) {
			applied = applied.withGroups(groups);
		}
		return dropProtocolWithoutSuites(applied);
	}

	// Spring Boot sorts the suites by protocol, and leaves a list empty if the user has
	// named only suites of the other protocol. JSSE then negotiates that other
	// protocol. OpenSSL refuses an empty list, or every client. If no protocol is left,
	// the settings contradict each other
	private static TlsPolicy dropProtocolWithoutSuites(TlsPolicy policy) {
		TlsPolicy retained = policy;
		if (policy.cipherSuites().isEmpty()) {
			retained = retain(retained, (name) -> !name.equals(TlsPolicy.TLS_1_3)).withSuites(retained.ciphers(),
					String.join(":", CIPHER_SUITES));
		}
		if (policy.ciphers().isEmpty()) {
			retained = retain(retained, TlsPolicy.TLS_1_3::equals).withSuites(String.join(":", CIPHERS),
					retained.cipherSuites());
		}
		return retained;
	}

	private static TlsPolicy retain(TlsPolicy policy, Predicate<String> retained) {
		return policy.withProtocols(policy.protocols().stream().filter(retained).toList());
	}

}
