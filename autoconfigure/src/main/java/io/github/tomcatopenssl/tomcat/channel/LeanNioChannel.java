// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat.channel;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import java.util.List;

import io.github.tomcatopenssl.tomcat.buffer.LentBufferHandler;
import io.github.tomcatopenssl.tomcat.buffer.RecordBuffers;
import io.github.tomcatopenssl.tomcat.buffer.TlsBuffers;
import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.NioEndpoint;
import org.apache.tomcat.util.net.NioEndpoint.NioSocketWrapper;
import org.apache.tomcat.util.net.SocketBufferHandler;
import org.apache.tomcat.util.net.SocketEvent;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.jspecify.annotations.Nullable;

/**
 * A channel that has buffers while it works, and keeps what is left over: a part of a
 * record, or what the socket did not take. Between the calls, both buffers are ready to
 * be read.
 */
public class LeanNioChannel extends TlsNioChannel {

	private final TlsBuffers buffers;

	LeanNioChannel(SocketBufferHandler own, TlsBuffers buffers, NioEndpoint endpoint, List<String> applicationProtocols,
			HandshakeObserver observer) {
		super((buffers.application() != null) ? new LentBufferHandler(buffers.application()) : own, endpoint,
				applicationProtocols, observer);
		this.buffers = buffers;
		this.netInBuffer = RecordBuffers.NONE;
		this.netOutBuffer = RecordBuffers.NONE;
	}

	@Override
	public void reset(@Nullable SocketChannel channel, @Nullable NioSocketWrapper wrapper) throws IOException {
		synchronized (this.input) {
			super.reset(channel, wrapper);
			this.netInBuffer = RecordBuffers.NONE;
			this.netOutBuffer = RecordBuffers.NONE;
		}
	}

	@Override
	public void free() {
		getBufHandler().free();
	}

	@Override
	public int handshake(boolean read, boolean write) throws IOException {
		synchronized (this.input) {
			synchronized (this.output) {
				lendInput();
				lendOutput();
				try {
					return super.handshake(read, write);
				}
				catch (OutOfMemoryError ex) {
					// Of the engine's direct buffer. Tomcat would leave the connection
					// open for good
					IllegalStateException failure = new IllegalStateException("No memory for a connection", ex);
					monitor().failed(this.socketWrapper, failure);
					throw new IOException(failure);
				}
				finally {
					this.netInBuffer.flip();
					giveBackInput();
					giveBackOutput();
				}
			}
		}
	}

	/**
	 * Have a buffer for what is received, ready to be written to.
	 */
	void lendInput() {
		this.netInBuffer = this.buffers.received().lend(this.netInBuffer);
	}

	/**
	 * Read what the socket has, after which the buffer is ready to be read.
	 * @return whether the client sends nothing any more
	 * @throws IOException if the socket cannot be read
	 */
	boolean receive() throws IOException {
		try {
			return this.sc.read(this.netInBuffer) == -1;
		}
		finally {
			this.netInBuffer.flip();
		}
	}

	void giveBackInput() {
		this.netInBuffer = this.buffers.received().takeBack(this.netInBuffer);
	}

	/**
	 * Have a buffer for what is sent, ready to be read.
	 */
	void lendOutput() {
		this.netOutBuffer = this.buffers.sent().lend(this.netOutBuffer).flip();
	}

	void giveBackOutput() {
		this.netOutBuffer = this.buffers.sent().takeBack(this.netOutBuffer);
	}

	/**
	 * Give the buffers of requests and responses back, if a connection waits for the next
	 * request.
	 * @param connection the connection, after it was served
	 * @param event what it was served for
	 */
	public static void giveBackBuffers(SocketWrapperBase<NioChannel> connection, SocketEvent event) {
		// Without a processor there is no request, but one that a late timeout took it
		// from
		if (connection.getCurrentProcessor() == null && event != SocketEvent.TIMEOUT
				&& connection.getSocket() instanceof LeanNioChannel channel) {
			channel.giveBackBuffers(connection);
		}
	}

	private void giveBackBuffers(SocketWrapperBase<NioChannel> connection) {
		synchronized (this.input) {
			synchronized (this.output) {
				// If not, it is closed, and the next one may be at work already
				if (this.socketWrapper == connection && getBufHandler() instanceof LentBufferHandler handler) {
					handler.giveBack();
				}
			}
		}
	}

	@Override
	public void close() throws IOException {
		synchronized (this.output) {
			lendOutput();
			try {
				super.close();
			}
			finally {
				// Nothing is sent any more
				empty(this.netOutBuffer);
				giveBackOutput();
			}
		}
	}

	// Tomcat uses a channel that fails to close no more
	@Override
	public void close(boolean force) throws IOException {
		boolean closed = false;
		try {
			super.close(force);
			closed = true;
		}
		finally {
			if (!closed && getBufHandler() instanceof LentBufferHandler handler) {
				handler.dropLarge();
			}
		}
	}

}
