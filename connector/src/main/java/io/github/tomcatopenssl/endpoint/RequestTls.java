// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.security.cert.X509Certificate;
import java.util.Objects;

import jakarta.servlet.ServletRequest;
import org.apache.tomcat.util.net.SSLSupport;
import org.jspecify.annotations.Nullable;

/**
 * The TLS connection of a request, as the server knows it. A header, a valve or an
 * application may change the attributes of a request, but not these values, except for
 * the subject of a certificate that a proxy has forwarded.
 */
public final class RequestTls {

	private final TlsConnection connection;

	private final ServletRequest request;

	private RequestTls(TlsConnection connection, ServletRequest request) {
		this.connection = connection;
		this.request = request;
	}

	/**
	 * Return the TLS connection of a request.
	 * @param request the request
	 * @return the connection, or {@code null} if no {@link TlsHttp11NioProtocol} serves
	 * the request by TLS
	 */
	public static @Nullable RequestTls of(ServletRequest request) {
		TlsConnection connection = TlsConnection.of(request.getServletConnection());
		return (connection != null) ? new RequestTls(connection, request) : null;
	}

	/**
	 * Return how the keys were agreed on.
	 * @return the version of TLS, the group, and whether a session was resumed
	 */
	public KeyExchange keyExchange() {
		return negotiated().exchange();
	}

	/**
	 * Return the cipher suite.
	 * @return its name in the TLS registry
	 */
	public String cipherSuite() {
		return negotiated().cipherSuite();
	}

	/**
	 * Return the server name that the client has asked for.
	 * @return its canonical form, or {@code null} if the client has sent none, or
	 * something that is no name
	 */
	public @Nullable String serverName() {
		return this.connection.requestedName();
	}

	/**
	 * Return the fingerprint of the client.
	 * @return the fingerprint, or {@code null} if the connector computes none
	 */
	public @Nullable String clientFingerprint() {
		return negotiated().fingerprint();
	}

	/**
	 * Return the subject of the client's certificate, which was presented on the
	 * connection, or which a proxy has forwarded with the request.
	 * @return the subject, or the alternative names if there is none, in a form that is
	 * safe to show; {@code null} if the client was not verified
	 */
	public @Nullable String clientSubject() {
		ShownCertificate shown = ShownCertificate.of(verifiedCertificate());
		return (shown != null) ? shown.subject() : null;
	}

	private @Nullable X509Certificate verifiedCertificate() {
		VerifiedClient client = negotiated().client();
		if (client != null && client.isOfTrustedIssuer() && !client.isProxy()) {
			return client.chain()[0];
		}
		boolean forwarded = Boolean.TRUE
			.equals(this.request.getAttribute(TlsHttp11NioProtocol.CLIENT_VERIFIED_ATTRIBUTE));
		return (forwarded && this.request.getAttribute(SSLSupport.CERTIFICATE_KEY) instanceof X509Certificate[] chain
				&& chain.length > 0) ? chain[0] : null;
	}

	private NegotiatedTls negotiated() {
		return Objects.requireNonNull(this.connection.negotiated());
	}

}
