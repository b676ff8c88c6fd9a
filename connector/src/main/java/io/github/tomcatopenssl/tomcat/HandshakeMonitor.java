// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat;

import java.io.EOFException;
import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import javax.net.ssl.SSLException;

import org.apache.tomcat.util.net.NioEndpoint.NioSocketWrapper;
import org.jspecify.annotations.Nullable;

/**
 * Follows the handshake of a connection, limits its time, and reports its outcome once.
 */
final class HandshakeMonitor {

	/**
	 * How far ahead of the deadline Tomcat may end a handshake, in nanoseconds.
	 */
	private static final long TOLERANCE = TimeUnit.MILLISECONDS.toNanos(100);

	private final Handshakes handshakes;

	/**
	 * Set if unknown server names are rejected.
	 */
	private final @Nullable ServerNames serverNames;

	private final ServerFlight flight = new ServerFlight();

	private final ClientFlight client = new ClientFlight();

	private @Nullable ClientHello hello;

	private boolean begun;

	private boolean ended;

	private boolean refused;

	private boolean tooLarge;

	private @Nullable RefusedCertificate certificate;

	/**
	 * Time by which the handshake must be complete, as {@link System#nanoTime()} counts
	 * it.
	 */
	private long deadline;

	private boolean limited;

	private long connectionTimeout;

	private volatile @Nullable String group;

	private volatile @Nullable Predicate<@Nullable String> servedHosts;

	HandshakeMonitor(Handshakes handshakes, @Nullable ServerNames serverNames) {
		this.handshakes = handshakes;
		this.serverNames = serverNames;
	}

	/**
	 * Limit the time for the handshake.
	 * @param connection the connection
	 * @param milliseconds the maximum time in milliseconds
	 */
	synchronized void limit(NioSocketWrapper connection, long milliseconds) {
		if (!this.ended) {
			this.limited = true;
			this.connectionTimeout = connection.getReadTimeout();
			this.deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(milliseconds);
			setTimeouts(connection, milliseconds);
		}
	}

	// Tomcat restarts its timeout with each byte that the client sends
	private synchronized void limit(NioSocketWrapper connection) throws IOException {
		if (!this.limited) {
			return;
		}
		long left = TimeUnit.NANOSECONDS.toMillis(this.deadline - System.nanoTime());
		if (left <= 0) {
			throw new SocketTimeoutException("The handshake took too long");
		}
		setTimeouts(connection, left);
	}

	private synchronized void unlimit(NioSocketWrapper connection) {
		if (this.limited) {
			this.limited = false;
			setTimeouts(connection, this.connectionTimeout);
		}
	}

	private static void setTimeouts(NioSocketWrapper connection, long milliseconds) {
		connection.setReadTimeout(milliseconds);
		connection.setWriteTimeout(milliseconds);
		connection.updateLastRead();
		connection.updateLastWrite();
	}

	/**
	 * Return the group of the key exchange.
	 * @return the name of the group, or {@code null} before the handshake is complete
	 */
	@Nullable String group() {
		return this.group;
	}

	/**
	 * Return the hosts that the connection may ask for.
	 * @return the hosts, or {@code null} before the client has said which one it wants
	 */
	@Nullable Predicate<@Nullable String> servedHosts() {
		return this.servedHosts;
	}

	void begun() {
		if (!this.begun) {
			this.begun = true;
			this.handshakes.started();
		}
	}

	/**
	 * Count the handshake as none: the connection serves no request.
	 */
	void ignore() {
		this.begun = false;
		this.handshakes.ignored();
	}

	boolean accepts(NioSocketWrapper connection, ClientHello hello) {
		this.hello = hello;
		if (this.serverNames == null) {
			return true;
		}
		this.servedHosts = this.serverNames.hosts(connection, hello.serverName());
		return this.servedHosts != null;
	}

	/**
	 * Record that the client has sent more than a handshake may contain.
	 */
	void tooLarge() {
		this.tooLarge = true;
	}

	/**
	 * Inspect what is received.
	 * @param in the received bytes, ready to be written to
	 * @param inspected the number of those that were inspected before
	 */
	void received(ByteBuffer in, int inspected) {
		if (!this.ended) {
			this.client.received(in.duplicate().flip().position(inspected), this.flight.isAnswered());
		}
	}

	/**
	 * Inspect what is sent.
	 * @param out the bytes, from index 0 to the limit of the buffer
	 */
	void sent(ByteBuffer out) {
		if (!this.ended) {
			this.flight.sent(out);
		}
	}

	/**
	 * Record that the handshake was refused.
	 * @param answers whether the server has an answer for the client; if not, the client
	 * has ended the handshake
	 */
	void refused(boolean answers) {
		this.refused = answers;
	}

	/**
	 * Record that a certificate of the client was refused.
	 * @param certificate the certificate
	 */
	void refused(RefusedCertificate certificate) {
		this.certificate = certificate;
	}

	/**
	 * Process the result of a step.
	 * @param connection the connection
	 * @param interest what Tomcat's channel returns: 0 if the handshake is complete, -1
	 * if the client has closed the connection
	 * @throws IOException if the handshake takes too long
	 */
	void stepped(NioSocketWrapper connection, int interest) throws IOException {
		if (interest > 0) {
			limit(connection);
		}
		else if (interest == -1) {
			failed(connection, new EOFException("The client closed the connection during the handshake"));
		}
		else if (!this.ended) {
			this.ended = true;
			unlimit(connection);
			KeyExchange exchange = this.flight.keyExchange();
			this.group = exchange.group();
			this.handshakes.completed(exchange, this.flight.isRetried());
		}
	}

	void failed(NioSocketWrapper connection, Exception cause) {
		if (this.begun && !this.ended) {
			this.ended = true;
			this.handshakes.failed(new FailedHandshake(connection, this.hello, this.flight.isAnswered(),
					this.flight.alert(), this.refused || cause instanceof SSLException, this.client, this.tooLarge,
					this.certificate, cause));
		}
		this.ended = true;
	}

	/**
	 * Record that the connection is closed.
	 * @param connection the connection
	 */
	void closed(NioSocketWrapper connection) {
		if (this.limited && this.deadline - System.nanoTime() < TOLERANCE) {
			failed(connection, new SocketTimeoutException("The handshake took too long"));
		}
		this.ended = true;
	}

}
