// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat.channel;

import org.apache.tomcat.util.net.NioEndpoint.NioSocketWrapper;
import org.jspecify.annotations.Nullable;

/**
 * Is told the outcome of each handshake of an endpoint, on the thread that serves it.
 */
public interface HandshakeObserver {

	/**
	 * Return the hosts that a connection may ask for, after the client has sent its
	 * server name.
	 * @param connection the connection
	 * @param serverName the server name, or {@code null} if the client has sent none
	 * @return the hosts, or {@code null} to end the handshake with the alert
	 * {@code unrecognized_name}
	 */
	default @Nullable ServedHosts hosts(NioSocketWrapper connection, @Nullable String serverName) {
		return ServedHosts.ALL;
	}

	/**
	 * Called when a handshake is complete.
	 * @param exchange how it agreed on its keys
	 * @param retried whether the server has asked for another key share
	 * (HelloRetryRequest)
	 */
	void completed(KeyExchange exchange, boolean retried);

	/**
	 * Called when a handshake that a client has started fails.
	 * @param handshake the handshake
	 */
	void failed(FailedHandshake handshake);

}
