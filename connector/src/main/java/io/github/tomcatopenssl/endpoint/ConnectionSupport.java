// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.stream.Collectors;

import io.github.tomcatopenssl.internal.engine.TlsSession;
import org.apache.tomcat.util.net.SSLSessionManager;
import org.apache.tomcat.util.net.SSLSupport;
import org.apache.tomcat.util.net.openssl.ciphers.Cipher;
import org.jspecify.annotations.Nullable;

/**
 * What Tomcat can ask about the TLS connection of a request. Tomcat creates it for each
 * request, and most requests ask for nothing: the client's offer is formatted only when a
 * request asks for it.
 */
final class ConnectionSupport implements SSLSupport, SSLSessionManager {

	private static final Map<String, Integer> KEY_SIZES = Arrays.stream(Cipher.values())
		.collect(Collectors.toUnmodifiableMap(Cipher::name, Cipher::getStrength_bits));

	private final TlsSession session;

	private final NegotiatedTls negotiated;

	private final @Nullable VerifiedClient client;

	private final boolean ofProxy;

	ConnectionSupport(TlsSession session, NegotiatedTls negotiated, boolean ofProxy) {
		this.session = session;
		this.negotiated = negotiated;
		this.client = negotiated.client();
		this.ofProxy = ofProxy;
	}

	@Override
	public String getProtocol() {
		return this.negotiated.exchange().protocol();
	}

	@Override
	public String getCipherSuite() {
		return this.negotiated.cipherSuite();
	}

	@Override
	public @Nullable Integer getKeySize() {
		return KEY_SIZES.get(this.negotiated.cipherSuite());
	}

	// Tomcat would put the certificate of a proxy in place of the one that it forwards
	@Override
	public X509Certificate @Nullable [] getPeerCertificateChain() {
		return (this.client != null && !this.client.isProxy()) ? this.client.chain().clone() : null;
	}

	// Tomcat can track HTTP sessions by it, and the clients of a proxy have it in common
	@Override
	public @Nullable String getSessionId() {
		byte[] id = this.ofProxy ? new byte[0] : this.session.id();
		return (id.length > 0) ? HexFormat.of().formatHex(id) : null;
	}

	@Override
	public void invalidateSession() {
		this.session.invalidate();
	}

	@Override
	public String getRequestedProtocols() {
		return String.join(",", this.negotiated.requested().versionNames());
	}

	@Override
	public String getRequestedCiphers() {
		return String.join(",", this.negotiated.requested().suiteNames());
	}

}
