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

	/**
	 * Maximum number of records that are read while messages of the engine wait to be
	 * sent. They may all be KeyUpdates, for each of which JSSE keeps a cipher until it
	 * has sent the answer. Java's client sends several hundred before it reads the first
	 * answer.
	 */
	private static final int MOST_WAITING = 1024;

	private int waiting;

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
			if (this.handshakeComplete) {
				return wrapMessage();
			}
			SSLEngineResult result = wrapped(() -> super.handshakeWrap(write));
			if (result.bytesProduced() > 0) {
				sent(this.netOutBuffer);
			}
			return result;
		}
	}

	// Tomcat passes the buffer that another thread may fill at the same time
	private SSLEngineResult wrapMessage() throws IOException {
		if (!flush(this.netOutBuffer)) {
			if (++this.waiting > MOST_WAITING) {
				throw new IOException("The client does not read what it makes the server send");
			}
			// The next write wraps the message
			return new SSLEngineResult(Status.OK, HandshakeStatus.NEED_WRAP, 0, 0);
		}
		SSLEngineResult result = wrapped(() -> {
			this.netOutBuffer.clear();
			return this.sslEngine.wrap(getEmptyBuf(), this.netOutBuffer);
		});
		this.netOutBuffer.flip();
		flush(this.netOutBuffer);
		return result;
	}

	/**
	 * Return 0 to Tomcat while it reads. It has a message of the engine wrapped if
	 * nothing waits to be sent, and otherwise ends the connection at the second message.
	 */
	@Override
	public int getOutboundRemaining() {
		return Thread.holdsLock(this.input) ? 0 : super.getOutboundRemaining();
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
			if (this.waiting > 0 && this.sslEngine.getHandshakeStatus() != HandshakeStatus.NEED_WRAP) {
				this.waiting = 0;
			}
			return result;
		}
		finally {
			if (!done && this.netOutBuffer.limit() == this.netOutBuffer.capacity()) {
				empty(this.netOutBuffer);
			}
		}
	}

}
