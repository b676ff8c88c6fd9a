// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

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

	private static final String TLS_1_3 = "TLSv1.3";

	static final List<String> PROTOCOLS = List.of("TLSv1.2", TLS_1_3);

	private static final SSLHostConfig TOMCAT_DEFAULTS = new SSLHostConfig();

	private static final Set<String> TOMCAT_PROTOCOLS = Set.copyOf(TOMCAT_DEFAULTS.getProtocols());

	private IntermediateTlsProfile() {
	}

	/**
	 * Apply the profile to a virtual host.
	 * @param config the virtual host
	 * @param available the groups of the engine, or empty if they cannot be configured
	 */
	static void applyTo(SSLHostConfig config, Set<KeyExchangeGroup> available) {
		if (TOMCAT_DEFAULTS.getCiphers().equals(config.getCiphers())) {
			config.setCiphers(String.join(":", CIPHERS));
		}
		if (TOMCAT_DEFAULTS.getCipherSuites().equals(config.getCipherSuites())) {
			config.setCipherSuites(String.join(":", CIPHER_SUITES));
		}
		if (TOMCAT_PROTOCOLS.equals(config.getProtocols())) {
			config.setProtocols(String.join("+", PROTOCOLS));
		}
		dropProtocolWithoutSuites(config);
		String groups = GROUPS.stream()
			.filter(available::contains)
			.map(KeyExchangeGroup::toString)
			.collect(Collectors.joining(","));
		if (config.getGroups() == null && !groups.isEmpty()) {
			config.setGroups(groups);
		}
	}

	// Spring Boot sorts the suites by protocol, and leaves a list empty if the user has
	// named only suites of the other protocol. JSSE then negotiates that other
	// protocol. OpenSSL refuses an empty list, or every client
	private static void dropProtocolWithoutSuites(SSLHostConfig config) {
		if (config.getCipherSuites().isEmpty()) {
			config.setCipherSuites(String.join(":", CIPHER_SUITES));
			retainProtocols(config, (name) -> !name.equals(TLS_1_3));
		}
		if (config.getCiphers().isEmpty()) {
			config.setCiphers(String.join(":", CIPHERS));
			retainProtocols(config, TLS_1_3::equals);
		}
	}

	// If none is left, the settings contradict each other, and Tomcat does not start
	private static void retainProtocols(SSLHostConfig config, Predicate<String> retained) {
		config.setProtocols(String.join("+", config.getProtocols().stream().filter(retained).toList()));
	}

}
