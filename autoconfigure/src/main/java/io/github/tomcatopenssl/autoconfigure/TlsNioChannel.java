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

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;

import org.apache.tomcat.util.buf.ByteBufferUtils;
import org.apache.tomcat.util.net.NioEndpoint.NioSocketWrapper;
import org.apache.tomcat.util.net.SSLSupport;
import org.apache.tomcat.util.net.SocketBufferHandler;
import org.apache.tomcat.util.net.TLSClientHelloExtractor;
import org.jspecify.annotations.Nullable;

/**
 * The channel of a connection with TLS, whichever the engine: a handshake has a limit of
 * its own, and a first message that cannot be read gets its alert.
 */
class TlsNioChannel extends GuardedNioChannel {

	/**
	 * A fatal alert {@code no_application_protocol} (RFC 7301, 3.2).
	 */
	private static final byte[] NO_APPLICATION_PROTOCOL = { TlsRecords.ALERT, 3, 3, 0, 2, 2, 120 };

	private final TlsNioEndpoint endpoint;

	private Map<String, List<String>> requested = Map.of();

	/**
	 * When the handshake has to be complete, in the nanoseconds of the JVM.
	 */
	private long deadline;

	private boolean limited;

	TlsNioChannel(SocketBufferHandler buffer, TlsNioEndpoint endpoint) {
		super(buffer, endpoint);
		this.endpoint = endpoint;
	}

	@Override
	public void reset(@Nullable SocketChannel channel, @Nullable NioSocketWrapper wrapper) throws IOException {
		synchronized (this.input) {
			super.reset(channel, wrapper);
			this.requested = Map.of();
			this.limited = false;
		}
	}

	/**
	 * Limit the time for the handshake, unless it is complete already.
	 * @param milliseconds the time
	 */
	synchronized void limitHandshake(long milliseconds) {
		NioSocketWrapper connection = this.socketWrapper;
		if (connection != null && !this.handshakeComplete) {
			this.limited = true;
			this.deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(milliseconds);
			setTimeouts(connection, milliseconds);
		}
	}

	// Tomcat counts the time anew with each byte of the client
	private synchronized void limit(boolean complete) throws IOException {
		NioSocketWrapper connection = this.socketWrapper;
		// Another thread may have closed it
		if (!this.limited || connection == null) {
			return;
		}
		if (complete) {
			this.limited = false;
			setTimeouts(connection, this.endpoint.getConnectionTimeout());
			return;
		}
		long left = TimeUnit.NANOSECONDS.toMillis(this.deadline - System.nanoTime());
		if (left <= 0) {
			throw new SocketTimeoutException("The handshake takes too long");
		}
		setTimeouts(connection, left);
	}

	private static void setTimeouts(NioSocketWrapper connection, long milliseconds) {
		connection.setReadTimeout(milliseconds);
		connection.setWriteTimeout(milliseconds);
		connection.updateLastRead();
		connection.updateLastWrite();
	}

	@Override
	public int handshake(boolean read, boolean write) throws IOException {
		int interest;
		try {
			interest = super.handshake(read, write);
		}
		catch (RuntimeException ex) {
			// Tomcat would log it as an error of its own, with its trace
			throw new IOException(ex);
		}
		limit(interest == 0);
		return interest;
	}

	@Override
	protected int processSNI() throws IOException {
		if (this.sc.read(this.netInBuffer) == -1) {
			return -1;
		}
		ClientHello hello = ClientHello.read(this.netInBuffer);
		if (hello == null) {
			return SelectionKey.OP_READ;
		}
		if (hello.http()) {
			throw refuse(TLSClientHelloExtractor.USE_TLS_RESPONSE, "The client speaks HTTP without TLS");
		}
		if (!this.endpoint.hasProtocolOf(hello.applicationProtocols())) {
			throw refuse(NO_APPLICATION_PROTOCOL, "The client speaks no application protocol that is spoken here");
		}
		this.socketWrapper.setSniHostName(hello.serverName());
		this.requested = Map.of(SSLSupport.REQUESTED_PROTOCOL_VERSIONS_KEY, hello.protocols(),
				SSLSupport.REQUESTED_CIPHERS_KEY, hello.cipherNames());
		createSSLEngine(hello.serverName(), hello.verifiableCiphers(), hello.applicationProtocols(), hello.protocols(),
				hello.groups(), hello.signatureSchemes());
		getBufHandler().expand(this.sslEngine.getSession().getApplicationBufferSize());
		int size = this.sslEngine.getSession().getPacketBufferSize();
		this.netInBuffer = ByteBufferUtils.expand(this.netInBuffer, size);
		this.netOutBuffer = ByteBufferUtils.expand(this.netOutBuffer, size);
		empty(this.netOutBuffer);
		this.sslEngine.beginHandshake();
		this.handshakeStatus = this.sslEngine.getHandshakeStatus();
		return 0;
	}

	private IOException refuse(byte[] answer, String reason) throws IOException {
		flush(this.netOutBuffer.clear().put(answer).flip());
		empty(this.netOutBuffer);
		return new IOException(reason);
	}

	@Override
	public int read(ByteBuffer data) throws IOException {
		synchronized (this.input) {
			int read = super.read(data);
			answer();
			return read;
		}
	}

	@Override
	public long read(ByteBuffer[] data, int offset, int length) throws IOException {
		synchronized (this.input) {
			long read = super.read(data, offset, length);
			answer();
			return read;
		}
	}

	/**
	 * Send what the engine has to say to the peer. Tomcat does not do so where a task of
	 * the engine has found it, as when JSSE refuses to renegotiate.
	 * @throws IOException if it cannot be sent, or says that the connection is over
	 */
	void answer() throws IOException {
		SSLEngine engine = this.sslEngine;
		if (engine != null && this.handshakeComplete && engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP
				&& !engine.isInboundDone()) {
			handshakeWrap(true);
		}
	}

	@Override
	public @Nullable SSLSupport getSSLSupport() {
		return (this.sslEngine != null)
				? this.endpoint.getSslImplementation().getSSLSupport(this.sslEngine.getSession(), this.requested)
				: null;
	}

}
