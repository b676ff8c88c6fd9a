/*
 * Copyright 2026-present the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.github.tomcatopenssl.autoconfigure;

import java.nio.channels.SocketChannel;
import java.time.Duration;

import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.NioEndpoint;
import org.apache.tomcat.util.net.SocketBufferHandler;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.apache.tomcat.util.net.openssl.OpenSSLImplementation;
import org.jspecify.annotations.Nullable;

/**
 * Tomcat's default endpoint, with two differences where it serves TLS: its channels
 * ({@link TlsNioChannel}, {@link OpenSslNioChannel}), and the check of SNI against the
 * host of a request, which withstands a reload. Tomcat looks the two up one after the
 * other and compares the configurations: one that is replaced in between is not the same
 * as itself, and the request would fail with status 400.
 */
class TlsNioEndpoint extends NioEndpoint {

	private long handshakeTimeout = TomcatOpenSslProperties.DEFAULT_HANDSHAKE_TIMEOUT.toMillis();

	void setHandshakeTimeout(Duration handshakeTimeout) {
		this.handshakeTimeout = handshakeTimeout.toMillis();
	}

	@Override
	public boolean checkSni(@Nullable String sniHostName, @Nullable String protocolHostName) {
		return super.checkSni(sniHostName, protocolHostName) || super.checkSni(sniHostName, protocolHostName);
	}

	@Override
	protected NioChannel createChannel(SocketBufferHandler buffer) {
		if (!isSSLEnabled()) {
			return super.createChannel(buffer);
		}
		return (getSslImplementation() instanceof OpenSSLImplementation) ? new OpenSslNioChannel(buffer, this)
				: new TlsNioChannel(buffer, this);
	}

	@Override
	protected boolean setSocketOptions(SocketChannel socket) {
		boolean accepted = super.setSocketOptions(socket);
		SocketWrapperBase<NioChannel> connection = this.connections.get(socket);
		if (connection != null && connection.getSocket() instanceof TlsNioChannel channel) {
			long other = getConnectionTimeout();
			channel.limitHandshake((other > 0) ? Math.min(other, this.handshakeTimeout) : this.handshakeTimeout);
		}
		return accepted;
	}

}
