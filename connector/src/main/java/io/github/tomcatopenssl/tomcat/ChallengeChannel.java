// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat;

import java.io.IOException;
import java.nio.ByteBuffer;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;

import io.github.tomcatopenssl.TlsAlpnChallenges;
import org.apache.tomcat.util.buf.ByteBufferUtils;
import org.apache.tomcat.util.net.NioEndpoint;
import org.apache.tomcat.util.net.SecureNioChannel;
import org.apache.tomcat.util.net.SocketBufferHandler;

/**
 * Answers an ACME challenge on a connection that serves nothing else: the handshake is
 * the whole answer. JSSE makes it, whichever engine serves the connector.
 */
class ChallengeChannel extends SecureNioChannel {

	private final SSLContext context;

	private final ByteBuffer received;

	/**
	 * Create a new instance.
	 * @param endpoint the endpoint
	 * @param context has the certificate of the challenge
	 * @param received what the client has sent, ready to be read
	 */
	ChallengeChannel(NioEndpoint endpoint, SSLContext context, ByteBuffer received) {
		super(new SocketBufferHandler(0, 0, false), endpoint);
		this.context = context;
		this.received = ByteBuffer.allocate(received.remaining()).put(received).flip();
	}

	/**
	 * Take the handshake as far as possible.
	 * @param read whether the socket is readable
	 * @param write whether the socket is writable
	 * @return what the handshake waits for, or -1 if the connection is over
	 * @throws IOException if the handshake fails
	 */
	int answer(boolean read, boolean write) throws IOException {
		int interest = handshake(read, write);
		if (interest == 0) {
			close();
		}
		return (interest != 0) ? interest : -1;
	}

	@Override
	protected int processSNI() throws IOException {
		this.sslEngine = this.context.createSSLEngine();
		this.sslEngine.setUseClientMode(false);
		SSLParameters parameters = this.sslEngine.getSSLParameters();
		parameters.setApplicationProtocols(new String[] { TlsAlpnChallenges.APPLICATION_PROTOCOL });
		this.sslEngine.setSSLParameters(parameters);
		getBufHandler().expand(this.sslEngine.getSession().getApplicationBufferSize());
		int size = Math.max(this.sslEngine.getSession().getPacketBufferSize(), this.received.remaining());
		this.netInBuffer = ByteBufferUtils.expand(this.netInBuffer, size).put(this.received);
		this.netOutBuffer = ByteBufferUtils.expand(this.netOutBuffer, size);
		TlsNioChannel.empty(this.netOutBuffer);
		this.sslEngine.beginHandshake();
		this.handshakeStatus = this.sslEngine.getHandshakeStatus();
		return 0;
	}

}
