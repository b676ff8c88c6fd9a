// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.security.cert.CertificateException;
import java.util.Collections;
import java.util.List;

import javax.net.ssl.SSLException;

import io.github.tomcatopenssl.host.TlsHost;
import io.github.tomcatopenssl.host.TlsPolicy;
import org.apache.tomcat.util.net.openssl.ciphers.Group;
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
	 * The client has refused the server's certificate with an unencrypted alert.
	 */
	SERVER_CERTIFICATE_REJECTED("server certificate rejected", Remedy.SERVER_CERTIFICATE),

	/**
	 * The client has ended the handshake with another alert, or with one of TLS 1.3,
	 * which is encrypted. Most clients send it because they do not trust the server's
	 * certificate.
	 */
	ALERT("alert from the client", Remedy.SERVER_CERTIFICATE),

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
	 * A proxy has forwarded something else than one client certificate, in the form that
	 * its header has.
	 */
	FORWARDED_CERTIFICATE_INVALID("forwarded certificate invalid",
			"Have the proxy send the header once, in its standard form, in place of any that its client has sent"),

	/**
	 * A request is for a host that its connection was not made for.
	 */
	MISDIRECTED("not for the host of the connection",
			"Have the client send the host name that it has connected to, or make another connection"),

	/**
	 * A header says that a proxy has received the request for a host that the connection
	 * was not made for, or for something that is not a host.
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

	private static final int BAD_CERTIFICATE = 42;

	private static final int UNSUPPORTED_CERTIFICATE = 43;

	private static final int REVOKED = 44;

	private static final int EXPIRED = 45;

	private static final int CERTIFICATE_UNKNOWN = 46;

	private static final int UNKNOWN_CA = 48;

	private static final int ALERT_PROTOCOL_VERSION = 70;

	private static final int INSUFFICIENT_SECURITY = 71;

	private final String text;

	private final @Nullable String remedy;

	FailureReason(String text, @Nullable String remedy) {
		this.text = text;
		this.remedy = remedy;
	}

	/**
	 * Return what an operator can do about it.
	 * @return the remedy, or {@code null} if nothing can be done at the server or at an
	 * honest client
	 */
	@Nullable String remedy() {
		return this.remedy;
	}

	@Override
	public String toString() {
		return this.text;
	}

	/**
	 * Find out why a handshake failed.
	 * @param cause the exception that ended the handshake
	 * @param hello what the client offers, or {@code null} if the server has not looked
	 * at it
	 * @param server what the server has sent
	 * @param client what the client has sent
	 * @param host the virtual host, or {@code null} if none was found
	 * @return the reason
	 */
	static FailureReason of(Exception cause, @Nullable ClientHello hello, ServerFlight server, ClientFlight client,
			@Nullable TlsHost host) {
		if (cause instanceof SocketTimeoutException) {
			return TIMEOUT;
		}
		if (cause instanceof RefusedHandshakeException refused && refused.reason() != null) {
			return refused.reason();
		}
		// JSSE applies the limit to a single message, before it is complete
		if (client.certificateLength() > Handshake.MOST_BYTES) {
			return TOO_LARGE;
		}
		if (hello == null || host == null || cause instanceof RuntimeException) {
			return (cause instanceof IOException && !isRefused(cause)) ? CLOSED : OTHER;
		}
		boolean alerted = client.alert() != -1 || client.isEncryptedAlert();
		// JSSE also throws an exception at an alert of the client
		if (!isRefused(cause) || alerted && cause instanceof SSLException && server.alert() == -1) {
			return (alerted && server.isAnswered()) ? ofAlert(client.alert()) : CLOSED;
		}
		return server.isAnswered() ? ofCertificate(cause, server.alert(), client, host)
				: ofOffer(server.alert(), hello, host);
	}

	private static boolean isRefused(Exception cause) {
		return cause instanceof RefusedHandshakeException || cause instanceof SSLException;
	}

	private static FailureReason ofAlert(int alert) {
		return switch (alert) {
			case BAD_CERTIFICATE, UNSUPPORTED_CERTIFICATE, REVOKED, EXPIRED, CERTIFICATE_UNKNOWN, UNKNOWN_CA ->
				SERVER_CERTIFICATE_REJECTED;
			default -> ALERT;
		};
	}

	private static FailureReason ofOffer(int alert, ClientHello hello, TlsHost host) {
		// JSSE also sends alerts other than handshake_failure in this case
		if (alert != -1 && !Collections.disjoint(hello.protocols(), host.policy().protocols())
				&& !hasSharedGroup(hello, host)) {
			boolean needed = hello.protocols().contains(TlsPolicy.TLS_1_3)
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
		List<String> groups = host.policy().groups();
		boolean unsaid = hello.groups().isEmpty() && !hello.protocols().contains(TlsPolicy.TLS_1_3);
		return groups == null || unsaid || hello.groups().stream().map(Group::toString).anyMatch(groups::contains);
	}

	// A trust manager names its reason itself. OpenSSL has none if its CAs are set with
	// 'caCertificateFile', and its alert is encrypted in TLS 1.3
	private static FailureReason ofCertificate(Exception cause, int alert, ClientFlight client, TlsHost host) {
		if (host.clients().isRequired() && client.isWithoutCertificate()) {
			return CERTIFICATE_MISSING;
		}
		if (!host.clients().isActive()) {
			return OTHER;
		}
		return switch (alert) {
			case REVOKED -> CERTIFICATE_REVOKED;
			case EXPIRED -> CERTIFICATE_EXPIRED;
			case UNKNOWN_CA -> CERTIFICATE_ISSUER_UNKNOWN;
			case BAD_CERTIFICATE, UNSUPPORTED_CERTIFICATE, CERTIFICATE_UNKNOWN -> CERTIFICATE_REJECTED;
			default -> isRejected(cause) ? CERTIFICATE_REJECTED : OTHER;
		};
	}

	private static boolean isRejected(Throwable thrown) {
		return thrown instanceof CertificateException || thrown.getCause() != null && isRejected(thrown.getCause());
	}

	private static final class Remedy {

		private static final String OFFER = "Compare the TLS settings with what the client supports";

		private static final String SERVER_CERTIFICATE = "The client may not trust the server's certificate: check that its file contains the intermediate certificates, or let the client trust its CA";

	}

}
