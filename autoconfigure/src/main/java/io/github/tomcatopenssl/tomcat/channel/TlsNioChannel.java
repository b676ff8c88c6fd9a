// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat.channel;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Collections;
import java.util.List;
import java.util.Map;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;

import io.github.tomcatopenssl.tomcat.buffer.TlsBuffers;
import io.github.tomcatopenssl.tomcat.ticket.OfferedTicket;
import org.apache.tomcat.util.buf.ByteBufferUtils;
import org.apache.tomcat.util.net.NioEndpoint;
import org.apache.tomcat.util.net.NioEndpoint.NioSocketWrapper;
import org.apache.tomcat.util.net.SSLSupport;
import org.apache.tomcat.util.net.SocketBufferHandler;
import org.apache.tomcat.util.net.TLSClientHelloExtractor;
import org.apache.tomcat.util.net.openssl.OpenSSLImplementation;
import org.jspecify.annotations.Nullable;

/**
 * The channel of a connection with TLS, whichever the engine: a handshake has a limit of
 * its own, and a first message that cannot be read gets its alert.
 */
public class TlsNioChannel extends GuardedNioChannel {

	private static final byte[] UNRECOGNIZED_NAME = TlsRecords.fatalAlert(112);

	private static final byte[] NO_APPLICATION_PROTOCOL = TlsRecords.fatalAlert(120);

	private final NioEndpoint endpoint;

	private final List<String> applicationProtocols;

	private final HandshakeObserver observer;

	private HandshakeMonitor monitor;

	private Map<String, List<String>> requested = Map.of();

	TlsNioChannel(SocketBufferHandler buffer, NioEndpoint endpoint, List<String> applicationProtocols,
			HandshakeObserver observer) {
		super(buffer, endpoint);
		this.endpoint = endpoint;
		this.applicationProtocols = applicationProtocols;
		this.observer = observer;
		this.monitor = new HandshakeMonitor(observer);
	}

	/**
	 * Create a channel for the engine of an endpoint.
	 * @param own its own buffers
	 * @param shared those of all connections that OpenSSL serves, unless each has its own
	 * @param endpoint the endpoint
	 * @param applicationProtocols the protocols that the endpoint negotiates
	 * @param observer is told what comes of the handshakes
	 * @return the channel
	 */
	public static TlsNioChannel create(SocketBufferHandler own, @Nullable TlsBuffers shared, NioEndpoint endpoint,
			List<String> applicationProtocols, HandshakeObserver observer) {
		return (endpoint.getSslImplementation() instanceof OpenSSLImplementation)
				? new OpenSslNioChannel(own, (shared != null) ? shared : TlsBuffers.ofConnection(), endpoint,
						applicationProtocols, observer)
				: new TlsNioChannel(own, endpoint, applicationProtocols, observer);
	}

	@Override
	public void reset(@Nullable SocketChannel channel, @Nullable NioSocketWrapper wrapper) throws IOException {
		synchronized (this.input) {
			super.reset(channel, wrapper);
			this.monitor = new HandshakeMonitor(this.observer);
			this.requested = Map.of();
		}
	}

	/**
	 * Limit the time for the handshake, unless it is complete already.
	 * @param milliseconds the time
	 */
	public void limitHandshake(long milliseconds) {
		NioSocketWrapper connection = this.socketWrapper;
		if (connection != null && !this.handshakeComplete) {
			this.monitor.limit(connection, milliseconds);
		}
	}

	@Override
	public int handshake(boolean read, boolean write) throws IOException {
		NioSocketWrapper connection = this.socketWrapper;
		try {
			int interest = super.handshake(read, write);
			this.monitor.stepped(connection, interest);
			return interest;
		}
		catch (IOException ex) {
			this.monitor.failed(connection, ex);
			throw ex;
		}
		catch (RuntimeException ex) {
			this.monitor.failed(connection, ex);
			// Tomcat would log it as an error of its own, with its trace
			throw new IOException(ex);
		}
	}

	HandshakeMonitor monitor() {
		return this.monitor;
	}

	@Override
	protected SSLEngineResult handshakeWrap(boolean write) throws IOException {
		SSLEngineResult result = super.handshakeWrap(write);
		if (result.bytesProduced() > 0) {
			this.monitor.sent(this.netOutBuffer);
		}
		return result;
	}

	@Override
	protected int processSNI() throws IOException {
		if (this.sc.read(this.netInBuffer) == -1) {
			return -1;
		}
		if (this.netInBuffer.position() > 0) {
			this.monitor.begun();
		}
		ClientHello hello = ClientHello.read(this.netInBuffer);
		if (hello == null) {
			return SelectionKey.OP_READ;
		}
		if (hello.http()) {
			throw refuse(TLSClientHelloExtractor.USE_TLS_RESPONSE, "The client speaks HTTP without TLS");
		}
		if (!isAnySpoken(hello.applicationProtocols())) {
			throw refuse(NO_APPLICATION_PROTOCOL, "The client speaks no application protocol that is spoken here");
		}
		this.monitor.hello(hello);
		this.socketWrapper.setSniHostName(hello.serverName());
		if (!this.observer.accepts(this.socketWrapper, hello.serverName())) {
			throw refuse(UNRECOGNIZED_NAME, "The client asks for a server name that is not served");
		}
		this.requested = Map.of(SSLSupport.REQUESTED_PROTOCOL_VERSIONS_KEY, hello.protocols(),
				SSLSupport.REQUESTED_CIPHERS_KEY, hello.cipherNames());
		OfferedTicket.during(this.netInBuffer, () -> createSSLEngine(hello.serverName(), hello.verifiableCiphers(),
				hello.applicationProtocols(), hello.protocols(), hello.groups(), hello.signatureSchemes()));
		getBufHandler().expand(this.sslEngine.getSession().getApplicationBufferSize());
		int size = this.sslEngine.getSession().getPacketBufferSize();
		this.netInBuffer = ByteBufferUtils.expand(this.netInBuffer, size);
		this.netOutBuffer = ByteBufferUtils.expand(this.netOutBuffer, size);
		empty(this.netOutBuffer);
		this.sslEngine.beginHandshake();
		this.handshakeStatus = this.sslEngine.getHandshakeStatus();
		return 0;
	}

	// An empty protocol is one that the engine has an alert for
	private boolean isAnySpoken(List<String> offered) {
		return offered.isEmpty() || this.applicationProtocols.isEmpty() || offered.contains("http/1.1")
				|| offered.contains("") || !Collections.disjoint(this.applicationProtocols, offered);
	}

	private IOException refuse(byte[] answer, String reason) throws IOException {
		this.monitor.refused(true);
		this.netOutBuffer.clear().put(answer).flip();
		this.monitor.sent(this.netOutBuffer);
		flush(this.netOutBuffer);
		empty(this.netOutBuffer);
		// Unread bytes would reset the connection before the answer is read
		this.sc.read(this.netInBuffer.clear());
		return new IOException(reason);
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
	public void close() throws IOException {
		NioSocketWrapper connection = this.socketWrapper;
		if (connection != null) {
			this.monitor.closed(connection);
		}
		super.close();
	}

	@Override
	public @Nullable SSLSupport getSSLSupport() {
		return (this.sslEngine != null)
				? this.endpoint.getSslImplementation().getSSLSupport(this.sslEngine.getSession(), this.requested)
				: null;
	}

}
