// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import org.jspecify.annotations.Nullable;

/**
 * The open ACME challenges of type TLS-ALPN-01 (RFC 8737). A connector answers a client
 * that offers the application protocol {@value #APPLICATION_PROTOCOL} and nothing else
 * with the certificate of the challenge for its server name, and then closes the
 * connection. No request is served on such a connection. If no challenge is open for the
 * name, the client is refused.
 */
@FunctionalInterface
public interface TlsAlpnChallenges {

	/**
	 * The application protocol of the challenges.
	 */
	String APPLICATION_PROTOCOL = "acme-tls/1";

	/**
	 * No challenge is ever open.
	 */
	TlsAlpnChallenges NONE = (serverName) -> null;

	/**
	 * Find the open challenge for a server name. Strangers choose the name, and each
	 * handshake for {@value #APPLICATION_PROTOCOL} calls this method.
	 * @param serverName the server name that a client asks for, in lower case and ASCII
	 * @return the key of the challenge with its certificate, or {@code null} if no
	 * challenge is open for the name
	 */
	@Nullable HostKey find(String serverName);

}
