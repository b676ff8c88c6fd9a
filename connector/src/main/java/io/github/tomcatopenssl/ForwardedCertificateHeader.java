// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl;

/**
 * The header in which a proxy forwards the certificate of its client.
 */
public enum ForwardedCertificateHeader {

	/**
	 * {@code Client-Cert} and {@code Client-Cert-Chain} (RFC 9440).
	 */
	CLIENT_CERT,

	/**
	 * {@code X-Forwarded-Client-Cert}, as Envoy sends it.
	 */
	X_FORWARDED_CLIENT_CERT,

	/**
	 * The header of the PROXY protocol, version 2 ({@code PP2_SUBTYPE_SSL_CLIENT_CERT}).
	 */
	PROXY_PROTOCOL

}
