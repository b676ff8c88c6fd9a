// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.util.Collection;
import java.util.List;
import java.util.Set;

import io.github.tomcatopenssl.SignatureScheme;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.openssl.OpenSSLConfCmd;
import org.apache.tomcat.util.net.openssl.ciphers.Cipher;
import org.apache.tomcat.util.net.openssl.ciphers.OpenSSLCipherConfigurationParser;
import org.jspecify.annotations.Nullable;

/**
 * The parameters that a host negotiates.
 *
 * @param protocols the versions of TLS, by Tomcat's names
 * @param ciphers the cipher suites up to TLS 1.2, as an expression of OpenSSL
 * @param cipherSuites the cipher suites of TLS 1.3, separated by colons
 * @param jsseCipherSuites the same for JSSE, by its names; empty for OpenSSL
 * @param groups the groups for the key exchange, the preferred one first, or {@code null}
 * for the engine's own
 * @param signatures the signature algorithms of handshakes; empty for the engine's own
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
		@Nullable List<String> groups, List<SignatureScheme> signatures, boolean serverCipherOrder,
		boolean sessionTickets, int sessionCacheSize, int sessionTimeout, boolean compression,
		boolean insecureRenegotiation, String jsseProtocol, List<OpenSSLConfCmd> commands) {

	/**
	 * Name of TLS 1.2.
	 */
	public static final String TLS_1_2 = "TLSv1.2";

	/**
	 * Name of TLS 1.3.
	 */
	public static final String TLS_1_3 = "TLSv1.3";

	/**
	 * The versions of TLS, the lowest one first.
	 */
	public static final List<String> VERSIONS = List.of("TLSv1", "TLSv1.1", TLS_1_2, TLS_1_3);

	/**
	 * Create the policy with unmodifiable copies of its lists.
	 */
	public TlsPolicy {
		protocols = List.copyOf(protocols);
		jsseCipherSuites = List.copyOf(jsseCipherSuites);
		groups = (groups != null) ? List.copyOf(groups) : null;
		signatures = List.copyOf(signatures);
		commands = List.copyOf(commands);
	}

	/**
	 * Return the cipher suites up to TLS 1.2 that Tomcat knows.
	 * @return the cipher suites, in their order
	 */
	Set<Cipher> cipherList() {
		return OpenSSLCipherConfigurationParser.parse(this.ciphers);
	}

	/**
	 * Return the policy with other versions of TLS.
	 * @param protocols the versions
	 * @return the policy
	 */
	public TlsPolicy withProtocols(Collection<String> protocols) {
		return with(protocols, this.ciphers, this.cipherSuites, this.jsseCipherSuites, this.groups, this.signatures);
	}

	TlsPolicy withSuites(String ciphers, String cipherSuites) {
		return with(this.protocols, ciphers, cipherSuites, this.jsseCipherSuites, this.groups, this.signatures);
	}

	/**
	 * Return the policy with other groups.
	 * @param groups the groups, or {@code null} for the engine's own
	 * @return the policy
	 */
	public TlsPolicy withGroups(@Nullable List<String> groups) {
		return with(this.protocols, this.ciphers, this.cipherSuites, this.jsseCipherSuites, groups, this.signatures);
	}

	TlsPolicy withSignatures(List<SignatureScheme> signatures) {
		return with(this.protocols, this.ciphers, this.cipherSuites, this.jsseCipherSuites, this.groups, signatures);
	}

	/**
	 * Return the policy with what JSSE negotiates, by its own names.
	 * @param protocols the versions of TLS
	 * @param suites the cipher suites
	 * @return the policy
	 */
	public TlsPolicy withJsse(List<String> protocols, List<String> suites) {
		return with(protocols, this.ciphers, this.cipherSuites, suites, this.groups, this.signatures);
	}

	private TlsPolicy with(Collection<String> protocols, String ciphers, String cipherSuites, List<String> jsse,
			@Nullable List<String> groups, List<SignatureScheme> signatures) {
		return new TlsPolicy(List.copyOf(protocols), ciphers, cipherSuites, jsse, groups, signatures,
				this.serverCipherOrder, this.sessionTickets, this.sessionCacheSize, this.sessionTimeout,
				this.compression, this.insecureRenegotiation, this.jsseProtocol, this.commands);
	}

	/**
	 * Have Tomcat itself negotiate the parameters.
	 * @param config the virtual host
	 */
	public void writeTo(SSLHostConfig config) {
		config.setProtocols(String.join("+", this.protocols));
		config.setCiphers(this.ciphers);
		config.setCipherSuites(this.cipherSuites);
		if (this.groups != null) {
			config.setGroups(String.join(",", this.groups));
		}
	}

}
