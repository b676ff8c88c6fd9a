// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

/**
 * How a completed handshake agreed on its keys.
 *
 * @param protocol the protocol version, such as {@code TLSv1.3}
 * @param group the name of the group in the TLS registry; {@code dhe-} and the number of
 * bits for a finite field of TLS 1.2; the number of a group that is not known here; or
 * {@code none}
 * @param resumed whether the handshake resumed a session
 */
public record KeyExchange(String protocol, String group, boolean resumed) {

	/**
	 * The group of a key exchange that has none: a resumed session of TLS 1.2, or RSA.
	 */
	public static final String NONE = "none";

}
