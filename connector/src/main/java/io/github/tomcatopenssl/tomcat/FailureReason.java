// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat;

import java.net.SocketTimeoutException;
import java.security.cert.CertificateException;
import java.util.Collections;
import java.util.Set;

import javax.net.ssl.SSLException;

import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfig.CertificateVerification;
import org.apache.tomcat.util.net.openssl.ciphers.Group;

/**
 * The reason why a handshake failed. Alerts that are named here by their number are those
 * of RFC 8446, 6.2.
 */
enum FailureReason {

	/**
	 * The client offers none of the groups.
	 */
	NO_SHARED_GROUP("no shared group", true),

	/**
	 * The client offers none of the cipher suites, or none that fits the certificate.
	 */
	NO_SHARED_SUITE("no shared suite", true),

	/**
	 * The client offers none of the protocol versions.
	 */
	PROTOCOL_VERSION("protocol version", true),

	/**
	 * The client asks for a server name that is not served.
	 */
	UNKNOWN_SERVER_NAME("unknown server name", true),

	/**
	 * The client sends no certificate, but one is required.
	 */
	CERTIFICATE_MISSING("client certificate missing", true),

	/**
	 * No valid chain leads from the client's certificate to a trusted CA.
	 */
	CERTIFICATE_ISSUER_UNKNOWN("client certificate issuer unknown", true),

	/**
	 * A certificate of the client's chain has expired.
	 */
	CERTIFICATE_EXPIRED("client certificate expired", true),

	/**
	 * A certificate of the client's chain is not valid yet.
	 */
	CERTIFICATE_NOT_YET_VALID("client certificate not yet valid", true),

	/**
	 * A certificate of the client's chain is revoked.
	 */
	CERTIFICATE_REVOKED("client certificate revoked", true),

	/**
	 * It is not known whether a certificate of the client's chain is revoked: there is no
	 * valid revocation list of its issuer, or the OCSP responder does not answer.
	 */
	CERTIFICATE_REVOCATION_UNKNOWN("client certificate revocation unknown", true),

	/**
	 * The client's certificate is not for clients: its extended key usage does not
	 * contain clientAuth.
	 */
	CERTIFICATE_WITHOUT_CLIENT_AUTH("client certificate without clientAuth", true),

	/**
	 * The client's certificate is not accepted for another reason, such as a weak
	 * algorithm.
	 */
	CERTIFICATE_REJECTED("client certificate rejected", true),

	/**
	 * The client has closed the connection or sent an alert, for example because it does
	 * not trust the server's certificate.
	 */
	CLOSED("closed by the client", false),

	/**
	 * The client has sent more than a handshake may contain, for example a certificate
	 * chain of 40 KB.
	 */
	TOO_LARGE("too large", true),

	/**
	 * The client has taken too long.
	 */
	TIMEOUT("timeout", false),

	/**
	 * Anything else, such as bytes that are not TLS.
	 */
	OTHER("other", false);

	private static final int HANDSHAKE_FAILURE = 40;

	private static final int BAD_CERTIFICATE = 42;

	private static final int UNSUPPORTED_CERTIFICATE = 43;

	private static final int REVOKED = 44;

	private static final int EXPIRED = 45;

	private static final int CERTIFICATE_UNKNOWN = 46;

	private static final int UNKNOWN_CA = 48;

	private static final int ALERT_PROTOCOL_VERSION = 70;

	private static final int INSUFFICIENT_SECURITY = 71;

	private static final int UNRECOGNIZED_NAME = 112;

	private final String text;

	private final boolean ofSettings;

	FailureReason(String text, boolean ofSettings) {
		this.text = text;
		this.ofSettings = ofSettings;
	}

	/**
	 * Return whether the settings of the server lock the client out.
	 * @return whether an operator can change it
	 */
	boolean isOfSettings() {
		return this.ofSettings;
	}

	@Override
	public String toString() {
		return this.text;
	}

	static FailureReason of(FailedHandshake handshake, SSLHostConfig host) {
		ClientFlight client = handshake.client();
		if (handshake.cause() instanceof SocketTimeoutException) {
			return TIMEOUT;
		}
		// JSSE applies the limit to a single message, before it is complete
		if (handshake.tooLarge() || client.certificateLength() > TlsNioChannel.MOST_HANDSHAKE_BYTES) {
			return TOO_LARGE;
		}
		if (handshake.certificate() != null) {
			return handshake.certificate().reason();
		}
		if (handshake.cause() instanceof RuntimeException) {
			return OTHER;
		}
		if (!handshake.refused() || isAlerted(handshake)) {
			return CLOSED;
		}
		ClientHello hello = handshake.hello();
		if (hello == null) {
			return OTHER;
		}
		return handshake.answered() ? ofCertificate(handshake, host) : ofOffer(handshake.alert(), hello, host);
	}

	// JSSE also throws an exception at an alert of the client
	private static boolean isAlerted(FailedHandshake handshake) {
		ClientFlight client = handshake.client();
		return handshake.cause() instanceof SSLException && handshake.alert() == -1
				&& (client.alert() != -1 || client.isEncryptedAlert());
	}

	private static FailureReason ofOffer(int alert, ClientHello hello, SSLHostConfig host) {
		if (alert == UNRECOGNIZED_NAME) {
			return UNKNOWN_SERVER_NAME;
		}
		// JSSE also sends alerts other than handshake_failure in this case
		if (alert != -1 && !Collections.disjoint(hello.protocols(), host.getProtocols())
				&& !hasSharedGroup(hello, host)) {
			return NO_SHARED_GROUP;
		}
		return switch (alert) {
			case ALERT_PROTOCOL_VERSION -> PROTOCOL_VERSION;
			case HANDSHAKE_FAILURE, INSUFFICIENT_SECURITY -> NO_SHARED_SUITE;
			default -> OTHER;
		};
	}

	// A client with TLS 1.2 does not have to list its groups (RFC 8422, 4)
	private static boolean hasSharedGroup(ClientHello hello, SSLHostConfig host) {
		Set<Group> groups = host.getGroupList();
		boolean unsaid = hello.groups().isEmpty() && !hello.protocols().contains("TLSv1.3");
		return groups == null || unsaid || !Collections.disjoint(groups, hello.groups());
	}

	// A trust manager names its reason itself. OpenSSL has none if its CAs are set with
	// 'caCertificateFile', and its alert is encrypted in TLS 1.3
	private static FailureReason ofCertificate(FailedHandshake handshake, SSLHostConfig host) {
		if (host.getCertificateVerification() == CertificateVerification.REQUIRED
				&& handshake.client().isWithoutCertificate()) {
			return CERTIFICATE_MISSING;
		}
		if (host.getCertificateVerification() == CertificateVerification.NONE) {
			return OTHER;
		}
		return switch (handshake.alert()) {
			case REVOKED -> CERTIFICATE_REVOKED;
			case EXPIRED -> CERTIFICATE_EXPIRED;
			case UNKNOWN_CA -> CERTIFICATE_ISSUER_UNKNOWN;
			case BAD_CERTIFICATE, UNSUPPORTED_CERTIFICATE, CERTIFICATE_UNKNOWN -> CERTIFICATE_REJECTED;
			default -> isRejected(handshake.cause()) ? CERTIFICATE_REJECTED : OTHER;
		};
	}

	private static boolean isRejected(Throwable thrown) {
		return thrown instanceof CertificateException || thrown.getCause() != null && isRejected(thrown.getCause());
	}

}
