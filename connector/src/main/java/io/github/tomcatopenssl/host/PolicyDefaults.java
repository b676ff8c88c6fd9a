// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.util.List;
import java.util.Set;
import java.util.function.Predicate;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.SecurityPolicy;
import org.apache.tomcat.util.net.SSLHostConfig;

/**
 * Completes the policy of a virtual host with the values of a named one, and with those
 * of its groups that the engine supports. They replace only Tomcat's defaults: a value
 * that differs from them was set by the user.
 */
final class PolicyDefaults {

	/**
	 * The suites of TLS 1.2 where it is turned off, because OpenSSL refuses an empty
	 * list.
	 */
	private static final List<String> UNUSED_CIPHERS = SecurityPolicy.INTERMEDIATE.ciphers();

	private static final String SEPARATOR = ":";

	private static final SSLHostConfig TOMCAT_DEFAULTS = new SSLHostConfig();

	private static final Set<String> TOMCAT_PROTOCOLS = Set.copyOf(TOMCAT_DEFAULTS.getProtocols());

	private PolicyDefaults() {
	}

	/**
	 * Apply the values to a policy.
	 * @param values the named policy
	 * @param policy the policy
	 * @param available the groups of the engine, or empty if they cannot be configured
	 * @return the policy with the values
	 */
	static TlsPolicy applyTo(SecurityPolicy values, TlsPolicy policy, Set<KeyExchangeGroup> available) {
		List<String> ciphers = values.ciphers().isEmpty() ? UNUSED_CIPHERS : values.ciphers();
		TlsPolicy applied = policy.withSuites(
				TOMCAT_DEFAULTS.getCiphers().equals(policy.ciphers()) ? String.join(SEPARATOR, ciphers)
						: policy.ciphers(),
				TOMCAT_DEFAULTS.getCipherSuites().equals(policy.cipherSuites())
						? String.join(SEPARATOR, values.cipherSuites()) : policy.cipherSuites());
		if (TOMCAT_PROTOCOLS.equals(Set.copyOf(policy.protocols()))) {
			applied = applied.withProtocols(values.versions());
		}
		List<String> groups = values.groups()
			.stream()
			.filter(available::contains)
			.map(KeyExchangeGroup::toString)
			.toList();
		if (policy.groups() == null && !groups.isEmpty()) {
			applied = applied.withGroups(groups);
		}
		return dropProtocolWithoutSuites(values, applied);
	}

	// Spring Boot sorts the suites by protocol, and leaves a list empty if the user has
	// named only suites of the other protocol. JSSE then negotiates that other
	// protocol. OpenSSL refuses an empty list, or every client. If no protocol is left,
	// the settings contradict each other
	private static TlsPolicy dropProtocolWithoutSuites(SecurityPolicy values, TlsPolicy policy) {
		TlsPolicy retained = policy;
		if (policy.cipherSuites().isEmpty()) {
			retained = retain(retained, (name) -> !name.equals(TlsPolicy.TLS_1_3)).withSuites(retained.ciphers(),
					String.join(SEPARATOR, values.cipherSuites()));
		}
		if (policy.ciphers().isEmpty()) {
			retained = retain(retained, TlsPolicy.TLS_1_3::equals).withSuites(String.join(SEPARATOR, UNUSED_CIPHERS),
					retained.cipherSuites());
		}
		return retained;
	}

	private static TlsPolicy retain(TlsPolicy policy, Predicate<String> retained) {
		return policy.withProtocols(policy.protocols().stream().filter(retained).toList());
	}

}
