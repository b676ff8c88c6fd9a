// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.engine;

import java.util.Map;

/**
 * Why a handshake failed, as far as the engine knows.
 */
public enum HandshakeFailure {

	/**
	 * The peer has refused the certificate with an alert.
	 */
	CERTIFICATE_REFUSED,

	/**
	 * The peer has sent another alert.
	 */
	ALERT,

	/**
	 * The peer has sent {@code close_notify}.
	 */
	CLOSED,

	/**
	 * The peer has sent no certificate, but one is required.
	 */
	PEER_CERTIFICATE_MISSING,

	/**
	 * The certificate of the peer is not accepted.
	 */
	PEER_CERTIFICATE_REFUSED,

	/**
	 * A message of the peer is too large.
	 */
	TOO_LARGE,

	/**
	 * Anything else.
	 */
	OTHER;

	/**
	 * The alerts by which a peer refuses a certificate (RFC 8446, 6.2).
	 */
	private static final Map<String, Integer> CERTIFICATE_ALERTS = Map.of("bad_certificate", 42,
			"unsupported_certificate", 43, "certificate_revoked", 44, "certificate_expired", 45, "certificate_unknown",
			46, "unknown_ca", 48);

	static HandshakeFailure ofAlert(int number) {
		return (number == 0) ? CLOSED : CERTIFICATE_ALERTS.containsValue(number) ? CERTIFICATE_REFUSED : ALERT;
	}

	static HandshakeFailure ofAlert(String name) {
		return CERTIFICATE_ALERTS.containsKey(name) ? CERTIFICATE_REFUSED : ALERT;
	}

}
