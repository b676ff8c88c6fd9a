// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.function.Function;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;

import org.apache.tomcat.util.net.NioEndpoint;
import org.apache.tomcat.util.net.SocketBufferHandler;
import org.apache.tomcat.util.net.SocketProperties;
import org.jspecify.annotations.Nullable;

/**
 * The channel of a connection that JSSE serves. Tomcat's channel does the work.
 */
class JsseNioChannel extends TlsNioChannel {

	JsseNioChannel(NioEndpoint endpoint, List<String> applicationProtocols, HandshakeMonitor monitor,
			Function<String, @Nullable ChallengeEngine> challenges) {
		super(buffers(endpoint.getSocketProperties()), endpoint, applicationProtocols, monitor, challenges);
	}

	private static SocketBufferHandler buffers(SocketProperties properties) {
		return new SocketBufferHandler(properties.getAppReadBufSize(), properties.getAppWriteBufSize(),
				properties.getDirectBuffer());
	}

	@Override
	protected SSLEngineResult handshakeWrap(boolean write) throws IOException {
		synchronized (this.output) {
			if (this.handshakeComplete && !flush(this.netOutBuffer)) {
				// The next write wraps the message
				return new SSLEngineResult(Status.OK, HandshakeStatus.NEED_WRAP, 0, 0);
			}
			SSLEngineResult result = wrapped(() -> super.handshakeWrap(write));
			if (result.bytesProduced() > 0) {
				sent(this.netOutBuffer);
			}
			return result;
		}
	}

	@Override
	public int read(ByteBuffer data) throws IOException {
		return reading(() -> {
			int read = super.read(data);
			answer();
			return read;
		});
	}

	@Override
	public long read(ByteBuffer[] data, int offset, int length) throws IOException {
		return reading(() -> {
			long read = super.read(data, offset, length);
			answer();
			return read;
		});
	}

	// Tomcat does not send a message that a delegated task of the engine produces, such
	// as the refusal to renegotiate
	private void answer() throws IOException {
		SSLEngine engine = this.sslEngine;
		if (engine != null && this.handshakeComplete && engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP
				&& !engine.isInboundDone()) {
			handshakeWrap(true);
		}
	}

	@Override
	public int write(ByteBuffer data) throws IOException {
		return writing(() -> wrapped(() -> super.write(data)));
	}

	@Override
	public long write(ByteBuffer[] data, int offset, int length) throws IOException {
		return writing(() -> wrapped(() -> super.write(data, offset, length)));
	}

	// If the engine fails, Tomcat leaves the limit of the buffer at its capacity. When
	// it closes the connection, it would send the whole buffer, whatever it contains
	private <T> T wrapped(IOCallable<T> action) throws IOException {
		boolean done = false;
		try {
			T result = action.call();
			done = true;
			return result;
		}
		finally {
			if (!done && this.netOutBuffer.limit() == this.netOutBuffer.capacity()) {
				empty(this.netOutBuffer);
			}
		}
	}

}
