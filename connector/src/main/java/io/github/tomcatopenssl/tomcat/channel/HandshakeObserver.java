// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat.channel;

import org.apache.tomcat.util.net.NioEndpoint.NioSocketWrapper;
import org.jspecify.annotations.Nullable;

/**
 * Is told what comes of the handshakes of an endpoint, by the threads that serve them.
 */
public interface HandshakeObserver {

	/**
	 * A client asks for a server name.
	 * @param connection the connection
	 * @param serverName the name, or {@code null} if it asks for none
	 * @return the hosts that the connection may then ask for, or {@code null} if the
	 * handshake ends with the alert {@code unrecognized_name}
	 */
	default @Nullable ServedHosts hosts(NioSocketWrapper connection, @Nullable String serverName) {
		return ServedHosts.ALL;
	}

	/**
	 * A handshake was completed.
	 * @param exchange how it agreed on its keys
	 * @param retried whether the server has asked for another key share before
	 * (HelloRetryRequest)
	 */
	void completed(KeyExchange exchange, boolean retried);

	/**
	 * A handshake that a client has begun has failed.
	 * @param handshake the handshake
	 */
	void failed(FailedHandshake handshake);

}
