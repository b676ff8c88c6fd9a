// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.ProtocolVersion;
import io.github.tomcatopenssl.SecurityPolicy;
import io.github.tomcatopenssl.SignatureScheme;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.openssl.OpenSSLConfCmd;
import org.apache.tomcat.util.net.openssl.ciphers.Cipher;
import org.jspecify.annotations.Nullable;

/**
 * The parameters that a host negotiates.
 *
 * @param versions the versions of TLS
 * @param ciphers the cipher suites up to TLS 1.2, the preferred one first
 * @param expression the user's expression of OpenSSL, in which OpenSSL may find more
 * suites than Tomcat does, or {@code null} for a list of suites
 * @param cipherSuites the cipher suites of TLS 1.3, the preferred one first
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
public record TlsPolicy(List<ProtocolVersion> versions, List<Cipher> ciphers, @Nullable String expression,
		List<Cipher> cipherSuites, @Nullable List<KeyExchangeGroup> groups, List<SignatureScheme> signatures,
		boolean serverCipherOrder, boolean sessionTickets, int sessionCacheSize, int sessionTimeout,
		boolean compression, boolean insecureRenegotiation, String jsseProtocol, List<OpenSSLConfCmd> commands) {

	/**
	 * Create the policy with unmodifiable copies of its lists.
	 */
	public TlsPolicy {
		versions = List.copyOf(versions);
		ciphers = List.copyOf(ciphers);
		cipherSuites = List.copyOf(cipherSuites);
		groups = (groups != null) ? List.copyOf(groups) : null;
		signatures = List.copyOf(signatures);
		commands = List.copyOf(commands);
	}

	/**
	 * Return the names of the versions of TLS.
	 * @return the names, as Tomcat and JSSE spell them
	 */
	public List<String> versionNames() {
		return this.versions.stream().map(ProtocolVersion::toString).toList();
	}

	/**
	 * Return the cipher suites up to TLS 1.2 for OpenSSL.
	 * @return an expression of OpenSSL
	 */
	public String openSslCiphers() {
		return (this.expression != null) ? this.expression
				: this.ciphers.stream().map(Cipher::getOpenSSLAlias).collect(Collectors.joining(":"));
	}

	/**
	 * Return the cipher suites of TLS 1.3 for OpenSSL.
	 * @return their names, separated by colons
	 */
	public String openSslCipherSuites() {
		return this.cipherSuites.stream().map(Cipher::getOpenSSLAlias).collect(Collectors.joining(":"));
	}

	/**
	 * Return the cipher suites that are named one by one, but that an engine lacks.
	 * @param available the cipher suites of the engine
	 * @return the others
	 */
	public List<Cipher> suitesBesides(Set<Cipher> available) {
		Stream<Cipher> named = (this.expression != null) ? Stream.empty() : this.ciphers.stream();
		return Stream.concat(this.cipherSuites.stream(), named)
			.filter((cipher) -> !available.contains(cipher))
			.toList();
	}

	/**
	 * Return whether a policy allows all of this, certificates aside.
	 * @param allowed the policy
	 * @return whether it does
	 */
	public boolean isWithin(SecurityPolicy allowed) {
		return allowed.versions().containsAll(this.versions) && allowed.cipherSuites().containsAll(this.cipherSuites)
				&& (!this.versions.contains(ProtocolVersion.TLS_1_2) || allowed.ciphers().containsAll(this.ciphers))
				&& (this.groups == null || allowed.groups().containsAll(this.groups)) && this.commands.isEmpty();
	}

	TlsPolicy withVersions(List<ProtocolVersion> versions) {
		return with(versions, this.ciphers, this.expression, this.groups, this.signatures);
	}

	TlsPolicy withCiphers(List<Cipher> ciphers, @Nullable String expression) {
		return with(this.versions, ciphers, expression, this.groups, this.signatures);
	}

	TlsPolicy withGroups(List<KeyExchangeGroup> groups) {
		return with(this.versions, this.ciphers, this.expression, groups, this.signatures);
	}

	TlsPolicy withSignatures(List<SignatureScheme> signatures) {
		return with(this.versions, this.ciphers, this.expression, this.groups, signatures);
	}

	private TlsPolicy with(List<ProtocolVersion> versions, List<Cipher> ciphers, @Nullable String expression,
			@Nullable List<KeyExchangeGroup> groups, List<SignatureScheme> signatures) {
		return new TlsPolicy(versions, ciphers, expression, this.cipherSuites, groups, signatures,
				this.serverCipherOrder, this.sessionTickets, this.sessionCacheSize, this.sessionTimeout,
				this.compression, this.insecureRenegotiation, this.jsseProtocol, this.commands);
	}

	/**
	 * Have Tomcat itself negotiate the parameters.
	 * @param config the virtual host
	 */
	void writeTo(SSLHostConfig config) {
		config.setProtocols(String.join("+", versionNames()));
		config.setCiphers(openSslCiphers());
		config.setCipherSuites(openSslCipherSuites());
		if (this.groups != null) {
			config.setGroups(this.groups.stream().map(KeyExchangeGroup::toString).collect(Collectors.joining(",")));
		}
	}

}
