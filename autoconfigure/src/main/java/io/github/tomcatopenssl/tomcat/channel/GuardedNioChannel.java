// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat.channel;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;

import io.github.tomcatopenssl.tomcat.buffer.LentBufferHandler;
import org.apache.tomcat.util.net.NioEndpoint;
import org.apache.tomcat.util.net.NioEndpoint.NioSocketWrapper;
import org.apache.tomcat.util.net.SecureNioChannel;
import org.apache.tomcat.util.net.SocketBufferHandler;
import org.jspecify.annotations.Nullable;

/**
 * Tomcat's channel for TLS with its buffers kept apart: those who read, write and close a
 * connection at the same time do not get into each other's way, nothing is sent that the
 * engine has not wrapped, and what the next connection sends comes from buffers that hold
 * nothing of the one before.
 */
class GuardedNioChannel extends SecureNioChannel {

	/**
	 * Held to read, so that the channel of a connection that another thread closes does
	 * not go to the next connection before.
	 */
	final Object input = new Object();

	/**
	 * Held to write, inside of {@link #input} where both are: reads and writes of a
	 * connection can run at the same time, and both write.
	 */
	final Object output = new Object();

	GuardedNioChannel(SocketBufferHandler buffer, NioEndpoint endpoint) {
		super(buffer, endpoint);
	}

	@Override
	public void reset(@Nullable SocketChannel channel, @Nullable NioSocketWrapper wrapper) throws IOException {
		synchronized (this.input) {
			synchronized (this.output) {
				super.reset(channel, wrapper);
				this.netInBuffer.clear();
				empty(this.netOutBuffer);
				if (channel == null) {
					// Those that are sent
					LentBufferHandler.erase(this.netOutBuffer.duplicate().clear());
					eraseWritten();
				}
			}
		}
	}

	@Override
	public int read(ByteBuffer data) throws IOException {
		return (int) read(new ByteBuffer[] { data }, 0, 1);
	}

	@Override
	public long read(ByteBuffer[] data, int offset, int length) throws IOException {
		synchronized (this.input) {
			return super.read(data, offset, length);
		}
	}

	@Override
	protected SSLEngineResult handshakeWrap(boolean write) throws IOException {
		synchronized (this.output) {
			if (this.handshakeComplete && !flush(this.netOutBuffer)) {
				// The next write has it wrapped
				return new SSLEngineResult(Status.OK, HandshakeStatus.NEED_WRAP, 0, 0);
			}
			return wrapped(() -> super.handshakeWrap(write));
		}
	}

	@Override
	public int write(ByteBuffer data) throws IOException {
		return (int) write(new ByteBuffer[] { data }, 0, 1);
	}

	@Override
	public long write(ByteBuffer[] data, int offset, int length) throws IOException {
		synchronized (this.output) {
			return wrapped(() -> super.write(data, offset, length));
		}
	}

	// Tomcat leaves the whole buffer open where the engine fails, and sends it as it is
	// when it closes the connection
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

	@Override
	public int getOutboundRemaining() {
		synchronized (this.output) {
			return super.getOutboundRemaining();
		}
	}

	@Override
	public boolean flushOutbound() throws IOException {
		synchronized (this.output) {
			return super.flushOutbound();
		}
	}

	@Override
	public void close() throws IOException {
		synchronized (this.output) {
			super.close();
		}
	}

	static void empty(ByteBuffer buffer) {
		buffer.position(0).limit(0);
	}

	private void eraseWritten() {
		if (getBufHandler() instanceof LentBufferHandler handler) {
			handler.erase();
		}
		else {
			LentBufferHandler.erase(getBufHandler().getWriteBuffer().duplicate().clear());
		}
	}

	private interface IOCallable<T> {

		T call() throws IOException;

	}

}
