// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat.channel;

/**
 * How a handshake that was completed agreed on its keys.
 *
 * @param protocol the version, such as {@code TLSv1.3}
 * @param group the group in the name of the TLS registry, {@code dhe-} and the bits of a
 * finite field of TLS 1.2, the number of a group that is not known here, or {@code none}
 * @param resumed whether it resumed a session
 */
public record KeyExchange(String protocol, String group, boolean resumed) {

	/**
	 * The group of an exchange without one: a session of TLS 1.2 that was resumed, or
	 * RSA.
	 */
	public static final String NONE = "none";

}
