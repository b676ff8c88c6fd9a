// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.nio.channels.SocketChannel;

import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.NioEndpoint.NioSocketWrapper;
import org.apache.tomcat.util.net.SocketBufferHandler;
import org.apache.tomcat.util.net.SocketEvent;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of connections that {@link TlsNioEndpoint} refuses, without a server.
 */
class RefusedConnectionTests {

	// A version of Tomcat that accepts connections in another way would have OpenSSL
	// behind its own channel
	@ParameterizedTest
	@EnumSource(names = { "OPEN_READ", "OPEN_WRITE" })
	void whenConnectionDidNotComeThroughOurChannelThenItIsClosed(SocketEvent event) throws Exception {
		TlsNioEndpoint endpoint = new TlsNioEndpoint();
		endpoint.setSSLEnabled(true);
		try (SocketChannel socket = SocketChannel.open()) {
			NioChannel channel = new NioChannel(new SocketBufferHandler(1, 1, false));
			NioSocketWrapper connection = new NioSocketWrapper(channel, endpoint);
			channel.reset(socket, connection);
			endpoint.createSocketProcessor(connection, event).run();
			assertThat(connection.isClosed()).isTrue();
			assertThat(socket.isOpen()).isFalse();
		}
	}

	@Test
	void whenServerIsNotStartedThenConnectionIsRefused() throws Exception {
		TlsNioEndpoint endpoint = new TlsNioEndpoint();
		endpoint.setSSLEnabled(true);
		try (SocketChannel socket = SocketChannel.open()) {
			assertThat(endpoint.setSocketOptions(socket)).isFalse();
			assertThat(socket.isOpen()).isFalse();
		}
	}

}
