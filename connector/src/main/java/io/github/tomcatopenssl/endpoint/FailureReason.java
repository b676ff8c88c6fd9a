// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.security.cert.X509Certificate;
import java.util.Collections;
import java.util.List;

import javax.net.ssl.SSLException;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.ProtocolVersion;
import io.github.tomcatopenssl.internal.engine.TlsEngine;
import io.github.tomcatopenssl.internal.host.TlsHost;
import org.jspecify.annotations.Nullable;

/**
 * The reason why a handshake failed. Alerts that are named here by their number are those
 * of RFC 8446, 6.2.
 */
enum FailureReason {

	/**
	 * The client offers none of the groups.
	 */
	NO_SHARED_GROUP("no shared group", Remedy.OFFER),

	/**
	 * The client offers none of the cipher suites, or none that fits the certificate.
	 */
	NO_SHARED_SUITE("no shared suite", Remedy.OFFER),

	/**
	 * The client offers none of the protocol versions.
	 */
	PROTOCOL_VERSION("protocol version", Remedy.OFFER),

	/**
	 * The client asks for a server name that is not served.
	 */
	UNKNOWN_SERVER_NAME("unknown server name", "Connect to a name of the server's certificate, or allow other names"),

	/**
	 * The client sends no certificate, but one is required.
	 */
	CERTIFICATE_MISSING("client certificate missing", "Give the client a certificate"),

	/**
	 * No valid chain leads from the client's certificate to a trusted CA.
	 */
	CERTIFICATE_ISSUER_UNKNOWN("client certificate issuer unknown",
			"Give the client a certificate of a CA that the server trusts, or let the server trust its CA"),

	/**
	 * A certificate of the client's chain has expired.
	 */
	CERTIFICATE_EXPIRED("client certificate expired", "Renew the client's certificate"),

	/**
	 * A certificate of the client's chain is not valid yet.
	 */
	CERTIFICATE_NOT_YET_VALID("client certificate not yet valid", "Compare the clocks of the server and the CA"),

	/**
	 * A certificate of the client's chain is revoked.
	 */
	CERTIFICATE_REVOKED("client certificate revoked", "Give the client another certificate"),

	/**
	 * It is not known whether a certificate of the client's chain is revoked: there is no
	 * valid revocation list of its issuer, or the OCSP responder does not answer.
	 */
	CERTIFICATE_REVOCATION_UNKNOWN("client certificate revocation unknown",
			"Provide a valid revocation list of the CA, or make its OCSP responder available"),

	/**
	 * The client's certificate is not for clients: its extended key usage does not
	 * contain clientAuth.
	 */
	CERTIFICATE_WITHOUT_CLIENT_AUTH("client certificate without clientAuth",
			"Give the client a certificate with the extended key usage clientAuth"),

	/**
	 * The client's certificate is not accepted for another reason, such as a weak
	 * algorithm.
	 */
	CERTIFICATE_REJECTED("client certificate rejected", "Give the client another certificate"),

	/**
	 * The client has refused the server's certificate.
	 */
	SERVER_CERTIFICATE_REJECTED("server certificate rejected",
			"The client may not trust the server's certificate: check that its file contains the intermediate certificates, or let the client trust its CA"),

	/**
	 * The client has ended the handshake with another alert.
	 */
	ALERT("alert from the client", "See the log of the client for the cause"),

	/**
	 * The client has closed the connection.
	 */
	CLOSED("closed by the client", null),

	/**
	 * A trusted proxy has sent no header, or an invalid one.
	 */
	NO_PROXY_HEADER("no valid proxy header",
			"Turn on the PROXY protocol at the proxy, or remove its address from the trusted ones"),

	/**
	 * The client has sent a header of the PROXY protocol although it is no trusted proxy,
	 * or a second one.
	 */
	PROXY_HEADER_REFUSED("proxy header refused",
			"If the header comes from one of your proxies, trust its address, or turn off the PROXY protocol there"),

	/**
	 * A proxy has forwarded anything other than one client certificate in the form of the
	 * configured header.
	 */
	FORWARDED_CERTIFICATE_INVALID("forwarded certificate invalid",
			"Have the proxy send the header once, in its standard form, in place of any that its client has sent"),

	/**
	 * A request is for a host that its connection was not made for.
	 */
	MISDIRECTED("not for the host of the connection",
			"Have the client send the host name that it has connected to, or make another connection"),

	/**
	 * A forwarding header names a host that the connection was not made for, or something
	 * that is not a host.
	 */
	MISDIRECTED_BY_HEADER("forwarding header with another host",
			"If the header comes from one of your proxies, have it send the host that it connects to"),

	/**
	 * The certificate of the client, or of the proxy, has expired, or its CA is not
	 * trusted any more.
	 */
	CLIENT_ENDED("client certificate no longer valid", "Have the client connect again with a valid certificate"),

	/**
	 * The client has sent more than a handshake may contain, for example a certificate
	 * chain of 40 KB.
	 */
	TOO_LARGE("too large", "If the client is one of yours, shorten its certificate chain"),

	/**
	 * The client has taken too long.
	 */
	TIMEOUT("timeout", null),

	/**
	 * Anything else, such as bytes that are not TLS.
	 */
	OTHER("other", null);

	private static final int HANDSHAKE_FAILURE = 40;

	private static final int ALERT_PROTOCOL_VERSION = 70;

	private static final int INSUFFICIENT_SECURITY = 71;

	private final String text;

	private final @Nullable String remedy;

	FailureReason(String text, @Nullable String remedy) {
		this.text = text;
		this.remedy = remedy;
	}

	/**
	 * Return the remedy.
	 * @return what an operator can do, as a sentence without its full stop, or
	 * {@code null} if nothing can be done at the server or at an honest client
	 */
	@Nullable String remedy() {
		return this.remedy;
	}

	@Override
	public String toString() {
		return this.text;
	}

	/**
	 * Return the reason why a handshake failed.
	 * @param cause the exception that ended the handshake
	 * @param engine the engine that serves
	 * @param hello what the client offers, or {@code null} if the server has not looked
	 * at it
	 * @param server what the server has sent
	 * @param host the virtual host, or {@code null} if none was found
	 * @return the reason
	 */
	static FailureReason of(Exception cause, TlsEngine engine, @Nullable ClientHello hello, ServerFlight server,
			@Nullable TlsHost host) {
		if (cause instanceof SocketTimeoutException) {
			return TIMEOUT;
		}
		if (cause instanceof RefusedHandshakeException refused) {
			return refused.reason();
		}
		if (!(cause instanceof SSLException failure)) {
			return (cause instanceof IOException) ? CLOSED : OTHER;
		}
		// An alert of the client before the server's answer does not refuse this answer
		return switch (engine.failure(failure)) {
			case CERTIFICATE_REFUSED -> server.isAnswered() ? SERVER_CERTIFICATE_REJECTED : CLOSED;
			case ALERT -> server.isAnswered() ? ALERT : CLOSED;
			case CLOSED -> CLOSED;
			case PEER_CERTIFICATE_MISSING -> CERTIFICATE_MISSING;
			case PEER_CERTIFICATE_REFUSED -> RefusedCertificate.of(new X509Certificate[0], cause, false).reason();
			case TOO_LARGE -> TOO_LARGE;
			case OTHER ->
				(hello == null || host == null || server.isAnswered()) ? OTHER : ofOffer(server.alert(), hello, host);
		};
	}

	private static FailureReason ofOffer(int alert, ClientHello hello, TlsHost host) {
		// JSSE also sends alerts other than handshake_failure in this case
		if (alert != -1 && !Collections.disjoint(hello.protocols(), host.policy().versionNames())
				&& !hasSharedGroup(hello, host)) {
			boolean needed = hello.protocols().contains(ProtocolVersion.TLS_1_3.toString())
					|| host.sharesSuiteWithGroup(hello.requested().suiteNumbers());
			return needed ? NO_SHARED_GROUP : NO_SHARED_SUITE;
		}
		return switch (alert) {
			case ALERT_PROTOCOL_VERSION -> PROTOCOL_VERSION;
			case HANDSHAKE_FAILURE, INSUFFICIENT_SECURITY -> NO_SHARED_SUITE;
			default -> OTHER;
		};
	}

	// A client with TLS 1.2 does not have to list its groups (RFC 8422, 4)
	private static boolean hasSharedGroup(ClientHello hello, TlsHost host) {
		List<KeyExchangeGroup> groups = host.policy().groups();
		boolean unsaid = hello.groups().isEmpty() && !hello.protocols().contains(ProtocolVersion.TLS_1_3.toString());
		return groups == null || unsaid
				|| hello.groups()
					.stream()
					.anyMatch((offered) -> groups.stream().anyMatch((group) -> group.id() == offered.getId()));
	}

	private static final class Remedy {

		private static final String OFFER = "Compare the TLS settings with what the client supports";

	}

}
