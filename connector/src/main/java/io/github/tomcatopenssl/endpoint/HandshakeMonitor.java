// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Predicate;

import io.github.tomcatopenssl.host.ServerNames;
import org.apache.tomcat.util.net.NioEndpoint.NioSocketWrapper;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.jspecify.annotations.Nullable;

/**
 * Follows the handshake of a connection, limits its time, and reports its outcome once.
 * It is dropped when the handshake is complete or has failed. One thread at a time uses
 * it: the one in the handshake, or the one that ends the connection while none is (see
 * {@link TlsNioChannel#release}).
 */
final class HandshakeMonitor {

	/**
	 * How far ahead of the deadline Tomcat may end a handshake, in nanoseconds.
	 */
	private static final long TOLERANCE = TimeUnit.MILLISECONDS.toNanos(100);

	private final HandshakeCounters counters;

	private final FailureReport report;

	/**
	 * Finds the virtual host for a server name.
	 */
	private final Function<@Nullable String, SSLHostConfig> hosts;

	/**
	 * Set if unknown server names are rejected.
	 */
	private final @Nullable ServerNames serverNames;

	private final ServerFlight server = new ServerFlight();

	private final ClientFlight client = new ClientFlight();

	private @Nullable ClientHello hello;

	private boolean begun;

	private boolean ended;

	private boolean tooLarge;

	private @Nullable RefusedCertificate certificate;

	/**
	 * Time by which the handshake must be complete, as {@link System#nanoTime()} counts
	 * it.
	 */
	private long deadline;

	private boolean limited;

	private long connectionTimeout;

	private String host = "";

	private @Nullable Predicate<String> servedHosts;

	HandshakeMonitor(HandshakeCounters counters, FailureReport report, Function<@Nullable String, SSLHostConfig> hosts,
			@Nullable ServerNames serverNames) {
		this.counters = counters;
		this.report = report;
		this.hosts = hosts;
		this.serverNames = serverNames;
	}

	/**
	 * Limit the time for the handshake.
	 * @param connection the connection
	 * @param milliseconds the maximum time in milliseconds
	 */
	void limit(NioSocketWrapper connection, long milliseconds) {
		if (!this.ended) {
			this.limited = true;
			this.connectionTimeout = connection.getReadTimeout();
			this.deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(milliseconds);
			setTimeouts(connection, milliseconds);
		}
	}

	// Tomcat restarts its timeout with each byte that the client sends
	private void limit(NioSocketWrapper connection) throws IOException {
		if (!this.limited) {
			return;
		}
		long left = TimeUnit.NANOSECONDS.toMillis(this.deadline - System.nanoTime());
		if (left <= 0) {
			throw new SocketTimeoutException("The handshake took too long");
		}
		setTimeouts(connection, left);
	}

	private void unlimit(NioSocketWrapper connection) {
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

	void begun() {
		if (!this.begun) {
			this.begun = true;
			this.counters.started();
		}
	}

	/**
	 * Count the handshake as none: the connection serves no request.
	 */
	void ignore() {
		this.begun = false;
		this.counters.ignored();
	}

	boolean accepts(NioSocketWrapper connection, ClientHello hello) {
		this.hello = hello;
		this.host = this.hosts.apply(hello.serverName()).getHostName();
		if (this.serverNames == null) {
			return true;
		}
		this.servedHosts = this.serverNames.hosts(hello.serverName(), this.host,
				() -> (connection instanceof TlsConnection accepted) ? accepted.clientAddress() : null);
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
			this.client.received(in.duplicate().flip().position(inspected), this.server.isAnswered());
		}
	}

	/**
	 * Inspect what is sent.
	 * @param out the bytes, from index 0 to the limit of the buffer
	 */
	void sent(ByteBuffer out) {
		if (!this.ended) {
			this.server.sent(out);
		}
	}

	/**
	 * Record that a certificate of the client was refused.
	 * @param certificate the certificate
	 */
	void refused(RefusedCertificate certificate) {
		this.certificate = certificate;
	}

	/**
	 * Return whether the handshake has resumed a session.
	 * @return whether it has, once it is complete
	 */
	boolean isResumed() {
		return this.server.keyExchange().resumed();
	}

	/**
	 * Process the result of a step.
	 * @param connection the connection
	 * @param interest what the handshake waits for, or 0 if it is complete
	 * @return what was negotiated, or {@code null} if the handshake is not complete
	 * @throws IOException if the handshake takes too long
	 */
	@Nullable NegotiatedTls stepped(NioSocketWrapper connection, int interest) throws IOException {
		ClientHello hello = this.hello;
		if (interest != 0 || hello == null) {
			limit(connection);
			return null;
		}
		this.ended = true;
		unlimit(connection);
		KeyExchange exchange = this.server.keyExchange();
		this.counters.completed(exchange, this.server.cipherSuite(), this.server.isRetried());
		return new NegotiatedTls(exchange.group(), hello.requested(), this.host, this.servedHosts);
	}

	void failed(NioSocketWrapper connection, Exception cause) {
		boolean reported = !this.begun || this.ended;
		this.ended = true;
		if (!reported) {
			FailureReason reason = reason(cause);
			this.counters.failed(reason);
			this.report.add(new FailedHandshake(connection, reason, this.certificate, this.server.alert(), cause));
		}
	}

	private FailureReason reason(Exception cause) {
		if (this.tooLarge) {
			return FailureReason.TOO_LARGE;
		}
		if (this.certificate != null) {
			return this.certificate.reason();
		}
		ClientHello hello = this.hello;
		return FailureReason.of(cause, hello, this.server, this.client,
				this.hosts.apply((hello != null) ? hello.serverName() : null));
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
