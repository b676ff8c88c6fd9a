// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat.channel;

import java.nio.ByteBuffer;
import java.nio.channels.CompletionHandler;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import jakarta.servlet.ServletConnection;
import org.apache.tomcat.util.net.NioEndpoint;
import org.apache.tomcat.util.net.NioEndpoint.NioSocketWrapper;
import org.jspecify.annotations.Nullable;

/**
 * A TLS connection that knows what its handshake agreed on. It has a channel of its own
 * and releases it when the connection is closed, no matter who closes it or whether the
 * close succeeds.
 */
public final class TlsConnection extends NioSocketWrapper {

	private final TlsNioChannel channel;

	private final AtomicInteger unreleased;

	private volatile @Nullable String group;

	private volatile @Nullable ServedHosts servedHosts;

	/**
	 * Create a connection.
	 * @param channel the channel, which no other connection has
	 * @param endpoint the endpoint that has accepted the connection
	 * @param unreleased counts the connections whose channel is not released
	 */
	public TlsConnection(TlsNioChannel channel, NioEndpoint endpoint, AtomicInteger unreleased) {
		super(channel, endpoint);
		this.channel = channel;
		this.unreleased = unreleased;
		unreleased.incrementAndGet();
	}

	/**
	 * Return the connection that a request arrived on.
	 * @param connection the connection as the servlet API describes it
	 * @return the connection, or {@code null} if it does not use TLS
	 */
	public static @Nullable TlsConnection of(ServletConnection connection) {
		return (connection instanceof Info info) ? info.connection() : null;
	}

	@Override
	public ServletConnection getServletConnection(String protocol, String protocolConnectionId) {
		ServletConnection known = this.servletConnection;
		if (known instanceof Info) {
			return known;
		}
		Info info = new Info(super.getServletConnection(protocol, protocolConnectionId), this);
		this.servletConnection = info;
		return info;
	}

	/**
	 * Return the group of the key exchange.
	 * @return the name of the group, or {@code null} before the handshake is complete
	 */
	public @Nullable String group() {
		return this.group;
	}

	void setGroup(String group) {
		this.group = group;
	}

	/**
	 * Return the hosts that the connection may ask for.
	 * @return the hosts, or {@code null} before the client has said which one it wants
	 */
	public @Nullable ServedHosts servedHosts() {
		return this.servedHosts;
	}

	void setServedHosts(ServedHosts servedHosts) {
		this.servedHosts = servedHosts;
	}

	/**
	 * Serve the connection on the current thread.
	 * @param work serves the connection
	 */
	public void serve(Runnable work) {
		this.channel.beginService();
		try {
			work.run();
		}
		finally {
			this.channel.endService(isClosed() || getCurrentProcessor() == null);
		}
	}

	/**
	 * Close the connection when an asynchronous read fails. Tomcat's HTTP/2 does not
	 * close it if the read had begun with a part of a frame, right after another frame,
	 * and nothing else would ever close it.
	 */
	@Override
	protected <A> OperationState<A> newOperationState(boolean read, ByteBuffer[] buffers, int offset, int length,
			BlockingMode block, long timeout, TimeUnit unit, A attachment, CompletionCheck check,
			CompletionHandler<Long, ? super A> handler, Semaphore semaphore,
			VectoredIOCompletionHandler<A> completion) {
		CompletionHandler<Long, ? super A> closing = (read && handler != null) ? new ReadHandler<>(handler) : handler;
		return super.newOperationState(read, buffers, offset, length, block, timeout, unit, attachment, check, closing,
				semaphore, completion);
	}

	@Override
	protected void doClose() {
		try {
			super.doClose();
		}
		finally {
			this.channel.release(this.unreleased::decrementAndGet);
		}
	}

	/**
	 * Closes the connection after a read has failed and its handler knows it.
	 */
	private final class ReadHandler<A> implements CompletionHandler<Long, A> {

		private final CompletionHandler<Long, ? super A> handler;

		ReadHandler(CompletionHandler<Long, ? super A> handler) {
			this.handler = handler;
		}

		@Override
		public void completed(Long result, A attachment) {
			this.handler.completed(result, attachment);
		}

		@Override
		public void failed(Throwable ex, A attachment) {
			try {
				this.handler.failed(ex, attachment);
			}
			finally {
				close();
			}
		}

	}

	/**
	 * The servlet API's description of a connection, together with the connection.
	 */
	private record Info(ServletConnection known, TlsConnection connection) implements ServletConnection {

		@Override
		public String getConnectionId() {
			return this.known.getConnectionId();
		}

		@Override
		public String getProtocol() {
			return this.known.getProtocol();
		}

		@Override
		public String getProtocolConnectionId() {
			return this.known.getProtocolConnectionId();
		}

		@Override
		public boolean isSecure() {
			return this.known.isSecure();
		}

	}

}
