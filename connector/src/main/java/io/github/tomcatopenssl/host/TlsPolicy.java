// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.util.List;

import org.apache.tomcat.util.net.openssl.OpenSSLConfCmd;
import org.jspecify.annotations.Nullable;

/**
 * What a host negotiates.
 *
 * @param protocols the versions of TLS, by Tomcat's names
 * @param ciphers the cipher suites up to TLS 1.2, as an expression of OpenSSL
 * @param cipherSuites the cipher suites of TLS 1.3, separated by colons
 * @param jsseCipherSuites the same for JSSE, by its names; empty for OpenSSL
 * @param groups the groups for the key exchange, the preferred one first, or {@code null}
 * for the engine's own
 * @param serverCipherOrder whether the server's order of cipher suites counts, rather
 * than the client's
 * @param sessionTickets whether sessions may be resumed with tickets
 * @param sessionCacheSize the maximum number of sessions, 0 for no limit, or less for the
 * engine's own
 * @param sessionTimeout for how many seconds a session may be resumed, or less than 0 for
 * the engine's own
 * @param compression whether TLS may compress, which reveals content
 * @param insecureRenegotiation whether OpenSSL accepts renegotiation without RFC 5746
 * @param jsseProtocol the name of the context for JSSE
 * @param commands further commands for OpenSSL
 */
public record TlsPolicy(List<String> protocols, String ciphers, String cipherSuites, List<String> jsseCipherSuites,
		@Nullable List<String> groups, boolean serverCipherOrder, boolean sessionTickets, int sessionCacheSize,
		int sessionTimeout, boolean compression, boolean insecureRenegotiation, String jsseProtocol,
		List<OpenSSLConfCmd> commands) {

	/**
	 * Create the policy with unmodifiable copies of its lists.
	 */
	public TlsPolicy {
		protocols = List.copyOf(protocols);
		jsseCipherSuites = List.copyOf(jsseCipherSuites);
		groups = (groups != null) ? List.copyOf(groups) : null;
		commands = List.copyOf(commands);
	}

}
