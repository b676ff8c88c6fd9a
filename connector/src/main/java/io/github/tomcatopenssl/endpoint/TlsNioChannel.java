// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.time.Clock;
import java.util.Collections;
import java.util.List;
import java.util.function.Function;
import java.util.function.Supplier;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;

import io.github.tomcatopenssl.TlsAlpnChallenges;
import io.github.tomcatopenssl.host.ClientTrust;
import org.apache.tomcat.util.buf.ByteBufferUtils;
import org.apache.tomcat.util.net.NioEndpoint;
import org.apache.tomcat.util.net.NioEndpoint.NioSocketWrapper;
import org.apache.tomcat.util.net.SSLImplementation;
import org.apache.tomcat.util.net.SSLSupport;
import org.apache.tomcat.util.net.SecureNioChannel;
import org.apache.tomcat.util.net.SocketBufferHandler;
import org.apache.tomcat.util.net.TLSClientHelloExtractor;
import org.apache.tomcat.util.net.jsse.JSSEImplementation;
import org.apache.tomcat.util.net.openssl.OpenSSLImplementation;
import org.jspecify.annotations.Nullable;

/**
 * What the channels of both engines share. It limits the handshake in time and in bytes,
 * answers an unreadable first message with the appropriate alert, keeps concurrent reads
 * and writes apart, and sends nothing that the engine has not wrapped.
 * <p>
 * A channel never serves a second connection: code that still uses a closed connection
 * cannot reach another one.
 */
abstract class TlsNioChannel extends SecureNioChannel {

	/**
	 * Maximum number of bytes that a client may send in its handshake. Certificate chains
	 * are far smaller: three certificates with ML-DSA-87, the largest in use, take 22 KB.
	 * OpenSSL before 3.5.9 needs several hundred MB for a chain of 100 KB
	 * (CVE-2026-35189). JSSE applies the same limit to a single message and reads the
	 * same property.
	 */
	static final int MOST_HANDSHAKE_BYTES = Integer.getInteger("jdk.tls.maxHandshakeMessageSize", 32 * 1024);

	private static final byte[] HANDSHAKE_FAILURE = TlsRecords.fatalAlert(40);

	private static final byte[] ILLEGAL_PARAMETER = TlsRecords.fatalAlert(47);

	private static final byte[] UNRECOGNIZED_NAME = TlsRecords.fatalAlert(112);

	private static final byte[] NO_APPLICATION_PROTOCOL = TlsRecords.fatalAlert(120);

	/**
	 * What the client may offer in addition to the protocols that the endpoint
	 * negotiates. Tomcat speaks both if nothing is negotiated.
	 */
	private static final List<String> HTTP_1 = List.of("http/1.1", "http/1.0");

	/**
	 * Result of a step: the handshake continues on another thread. Tomcat has no such
	 * result, and gets one that makes it call this channel again at once.
	 */
	private static final int HAND_OVER = SelectionKey.OP_CONNECT;

	/**
	 * Lock for reading.
	 */
	final Object input = new Object();

	/**
	 * Lock for writing. A thread that needs both locks takes {@link #input} first: reads
	 * and writes of a connection can run at the same time, and both write.
	 */
	final Object output = new Object();

	private final List<String> applicationProtocols;

	private final Function<String, @Nullable ChallengeEngine> challenges;

	/**
	 * Follows the handshake; {@code null} when it is complete or has failed.
	 */
	private volatile @Nullable HandshakeMonitor monitor;

	private volatile @Nullable NegotiatedTls negotiated;

	/**
	 * Set if the connection only answers an ACME challenge.
	 */
	private @Nullable ChallengeEngine challenge;

	private ProxyHeader.Rule proxyHeader = ProxyHeader.Rule.UNKNOWN;

	private Function<@Nullable String, @Nullable Supplier<@Nullable ClientTrust>> clientTrusts = (name) -> null;

	/**
	 * What the virtual host verifies its clients against; {@code null} if it does not
	 * verify them.
	 */
	private @Nullable Supplier<@Nullable ClientTrust> clientTrust;

	/**
	 * What the virtual host trusted before the context was chosen.
	 */
	private @Nullable ClientTrust trustAtHello;

	private volatile Verification verification = Verification.NONE;

	private volatile @Nullable VerifiedClient client;

	/**
	 * Number of bytes from the client that the handshake has consumed so far.
	 */
	private int handshakeBytes;

	private final Object life = new Object();

	private Phase phase = Phase.OPEN;

	/**
	 * Runs after the channel is released, if a handshake in progress delays the release.
	 */
	private @Nullable Runnable afterRelease;

	TlsNioChannel(SocketBufferHandler buffer, NioEndpoint endpoint, List<String> applicationProtocols,
			HandshakeMonitor monitor, Function<String, @Nullable ChallengeEngine> challenges) {
		super(buffer, endpoint);
		this.applicationProtocols = applicationProtocols;
		this.challenges = challenges;
		this.monitor = monitor;
	}

	/**
	 * Create a channel for the engine of an endpoint.
	 * @param buffers the buffers that all connections with OpenSSL share
	 * @param endpoint the endpoint
	 * @param applicationProtocols the protocols that the endpoint negotiates
	 * @param monitor follows the handshake
	 * @param challenges finds the answer to the open ACME challenge for a server name
	 * @return the channel
	 * @throws IOException if there is no channel for the engine
	 */
	static TlsNioChannel create(TlsBuffers buffers, NioEndpoint endpoint, List<String> applicationProtocols,
			HandshakeMonitor monitor, Function<String, @Nullable ChallengeEngine> challenges) throws IOException {
		SSLImplementation engine = endpoint.getSslImplementation();
		if (engine instanceof OpenSSLImplementation) {
			return new OpenSslNioChannel(buffers, endpoint, applicationProtocols, monitor, challenges);
		}
		if (engine instanceof JSSEImplementation) {
			return new JsseNioChannel(endpoint, applicationProtocols, monitor, challenges);
		}
		throw new IOException("There is no channel for the engine of " + engine.getClass().getName());
	}

	/**
	 * Attach the channel to its connection. Tomcat also calls this method with
	 * {@code null} to prepare a channel for reuse, which does nothing here.
	 */
	@Override
	public void reset(@Nullable SocketChannel channel, @Nullable NioSocketWrapper wrapper) throws IOException {
		if (channel != null) {
			super.reset(channel, wrapper);
		}
	}

	/**
	 * Do nothing. Another thread may still use the buffers, so they are left to the
	 * garbage collector.
	 */
	@Override
	public void free() {
	}

	/**
	 * Limit the time for the handshake.
	 * @param milliseconds the maximum time in milliseconds
	 */
	void limitHandshake(long milliseconds) {
		monitor().limit(this.socketWrapper, milliseconds);
	}

	/**
	 * Set what the connection may begin with.
	 * @param rule the rule
	 */
	void setProxyHeaderRule(ProxyHeader.Rule rule) {
		this.proxyHeader = rule;
	}

	/**
	 * Set what clients are verified against.
	 * @param clientTrusts finds it for a server name, or returns {@code null} if the
	 * virtual host does not verify clients
	 */
	void setClientTrusts(Function<@Nullable String, @Nullable Supplier<@Nullable ClientTrust>> clientTrusts) {
		this.clientTrusts = clientTrusts;
	}

	/**
	 * Return whether the client may be verified in the next step of the handshake.
	 * @return whether the step must be taken on a thread that may block
	 */
	boolean isVerifying() {
		return this.verification == Verification.VERIFYING;
	}

	/**
	 * Return the verified client of the connection.
	 * @return the client, or {@code null} if no client was verified
	 */
	@Nullable VerifiedClient client() {
		return this.client;
	}

	// The thread that has verified the client serves no request
	@Override
	public boolean isHandshakeComplete() {
		return super.isHandshakeComplete() && this.verification == Verification.NONE;
	}

	@Override
	public int handshake(boolean read, boolean write) throws IOException {
		if (this.handshakeComplete) {
			this.verification = Verification.NONE;
			return 0;
		}
		synchronized (this.life) {
			if (this.phase == Phase.ENDED) {
				throw new ClosedChannelException();
			}
			this.phase = Phase.IN_HANDSHAKE;
		}
		try {
			return proceed(read, write);
		}
		finally {
			leaveHandshake();
		}
	}

	private int proceed(boolean read, boolean write) throws IOException {
		try {
			int interest = ClientCertificates.during(this::refused, () -> step(read, write));
			if (interest == 0) {
				this.handshakeBytes = 0;
				// A challenge is answered, and there is nothing to serve
				interest = (this.challenge != null) ? -1 : 0;
			}
			if (interest == -1) {
				failed(new EOFException("The client closed the connection during the handshake"));
			}
			else {
				if (interest == 0) {
					rememberClient();
				}
				stepped(interest);
				if (interest == 0 && this.verification == Verification.VERIFYING) {
					this.verification = Verification.COMPLETE;
					interest = HAND_OVER;
				}
			}
			return (interest == HAND_OVER) ? SelectionKey.OP_WRITE : interest;
		}
		catch (IOException ex) {
			failed(ex);
			throw ex;
		}
		catch (RuntimeException ex) {
			failed(ex);
			// Tomcat would log it as an error of its own, with a stack trace
			throw new IOException(ex);
		}
		catch (OutOfMemoryError ex) {
			IOException failure = noMemory(ex);
			failed(new IllegalStateException(failure));
			throw failure;
		}
	}

	private void rememberClient() throws IOException {
		HandshakeMonitor monitor = this.monitor;
		if (this.clientTrust != null && this.trustAtHello != null && monitor != null) {
			this.client = VerifiedClient.of(this.sslEngine.getSession(), monitor.isResumed(), this.trustAtHello,
					this.clientTrust, Clock.systemUTC());
		}
	}

	private void refused(RefusedCertificate certificate) {
		HandshakeMonitor monitor = this.monitor;
		if (monitor != null) {
			monitor.refused(certificate);
		}
	}

	private void stepped(int interest) throws IOException {
		HandshakeMonitor monitor = this.monitor;
		if (monitor != null) {
			NegotiatedTls negotiated = monitor.stepped(this.socketWrapper, interest);
			if (negotiated != null) {
				this.negotiated = negotiated;
				this.monitor = null;
			}
		}
	}

	private void failed(Exception cause) {
		HandshakeMonitor monitor = this.monitor;
		if (monitor != null) {
			monitor.failed(this.socketWrapper, cause);
			this.monitor = null;
		}
	}

	/**
	 * Take the handshake as far as possible.
	 * @param read whether the socket is readable
	 * @param write whether the socket is writable
	 * @return what {@link #handshake} returns
	 * @throws IOException if the handshake fails
	 */
	int step(boolean read, boolean write) throws IOException {
		return super.handshake(read, write);
	}

	private void leaveHandshake() {
		Runnable afterRelease;
		synchronized (this.life) {
			this.phase = (this.phase == Phase.ENDING) ? Phase.ENDED : Phase.OPEN;
			afterRelease = this.afterRelease;
		}
		if (afterRelease != null) {
			release(afterRelease);
		}
	}

	/**
	 * Return what the handshake has agreed on.
	 * @return what was negotiated, or {@code null} if the handshake is not complete
	 */
	final @Nullable NegotiatedTls negotiated() {
		return this.negotiated;
	}

	/**
	 * Inspect what is sent.
	 * @param out the bytes, from index 0 to the limit of the buffer
	 */
	final void sent(ByteBuffer out) {
		HandshakeMonitor monitor = this.monitor;
		if (monitor != null) {
			monitor.sent(out);
		}
	}

	private HandshakeMonitor monitor() {
		HandshakeMonitor monitor = this.monitor;
		if (monitor == null) {
			throw new IllegalStateException("The handshake is over");
		}
		return monitor;
	}

	@Override
	protected int processSNI() throws IOException {
		if (this.verification == Verification.VERIFYING) {
			return 0;
		}
		HandshakeMonitor monitor = monitor();
		if (this.sc.read(this.netInBuffer) == -1) {
			return -1;
		}
		if (!passProxyHeader(monitor)) {
			return SelectionKey.OP_READ;
		}
		ClientHello hello = ClientHello.read(this.netInBuffer);
		if (hello == null) {
			return SelectionKey.OP_READ;
		}
		if (hello.kind() == ClientHello.Kind.HTTP) {
			throw refuse(TLSClientHelloExtractor.USE_TLS_RESPONSE, FailureReason.OTHER,
					"The client sent HTTP without TLS");
		}
		if (hello.kind() == ClientHello.Kind.EXCESSIVE) {
			throw refuse(HANDSHAKE_FAILURE, FailureReason.TOO_LARGE, "The client offers more than any client in use");
		}
		if (hello.kind() == ClientHello.Kind.MALFORMED_NAME) {
			throw refuse(ILLEGAL_PARAMETER, FailureReason.OTHER, "The server name is not ASCII");
		}
		this.challenge = findChallenge(hello);
		if (this.challenge != null) {
			monitor.ignore();
			begin(this.challenge.engine());
			return 0;
		}
		if (!isAnySpoken(hello)) {
			throw refuse(NO_APPLICATION_PROTOCOL, FailureReason.OTHER,
					"The client offers no application protocol that this connector supports");
		}
		this.socketWrapper.setSniHostName(hello.serverName());
		if (!monitor.accepts(this.socketWrapper, hello)) {
			throw refuse(UNRECOGNIZED_NAME, FailureReason.UNKNOWN_SERVER_NAME,
					"The client asks for a server name that is not served");
		}
		monitor.received(this.netInBuffer, 0);
		Supplier<@Nullable ClientTrust> clientTrust = this.clientTrusts.apply(hello.serverName());
		if (clientTrust != null) {
			this.clientTrust = clientTrust;
			this.trustAtHello = clientTrust.get();
			if (this.trustAtHello == null) {
				throw new IOException("The virtual host is not ready to verify clients");
			}
		}
		createSSLEngine(hello.serverName(), hello.verifiableCiphers(), hello.applicationProtocols(), hello.protocols(),
				hello.groups(), hello.signatureSchemes());
		begin(this.sslEngine);
		if (clientTrust != null) {
			// A client may have sent its certificate already
			this.verification = Verification.VERIFYING;
			return HAND_OVER;
		}
		return 0;
	}

	private void begin(SSLEngine engine) throws IOException {
		this.sslEngine = engine;
		getBufHandler().expand(this.sslEngine.getSession().getApplicationBufferSize());
		int size = this.sslEngine.getSession().getPacketBufferSize();
		this.netInBuffer = ByteBufferUtils.expand(this.netInBuffer, size);
		this.netOutBuffer = ByteBufferUtils.expand(this.netOutBuffer, size);
		empty(this.netOutBuffer);
		this.sslEngine.beginHandshake();
		this.handshakeStatus = this.sslEngine.getHandshakeStatus();
	}

	private boolean passProxyHeader(HandshakeMonitor monitor) throws IOException {
		try {
			if (this.proxyHeader == ProxyHeader.Rule.REQUIRED) {
				ProxyHeader header = ProxyHeader.read(this.netInBuffer);
				if (header == null) {
					return false;
				}
				((TlsConnection) this.socketWrapper).setProxyHeader(header);
				this.proxyHeader = ProxyHeader.Rule.REFUSED;
			}
			if (this.proxyHeader == ProxyHeader.Rule.REFUSED && ProxyHeader.begins(this.netInBuffer)) {
				throw new RefusedHandshakeException(FailureReason.PROXY_HEADER_REFUSED,
						"The connection begins with a header of the PROXY protocol, but does not come from a trusted proxy, or the header is the second one");
			}
			return true;
		}
		finally {
			// A health check of the proxy ends after its header
			if (this.netInBuffer.position() > 0) {
				monitor.begun();
			}
		}
	}

	// A connection that answers a challenge offers nothing else (RFC 8737, 3)
	private @Nullable ChallengeEngine findChallenge(ClientHello hello) {
		return (hello.serverName() != null
				&& hello.applicationProtocols().equals(List.of(TlsAlpnChallenges.APPLICATION_PROTOCOL)))
						? this.challenges.apply(hello.serverName()) : null;
	}

	// The engine has an alert for an empty protocol name
	private boolean isAnySpoken(ClientHello hello) {
		List<String> offered = hello.applicationProtocols();
		return offered.isEmpty() || offered.contains("") || !Collections.disjoint(HTTP_1, offered)
				|| !Collections.disjoint(this.applicationProtocols, offered);
	}

	private IOException refuse(byte[] answer, FailureReason reason, String message) throws IOException {
		this.netOutBuffer.clear().put(answer).flip();
		sent(this.netOutBuffer);
		flush(this.netOutBuffer);
		empty(this.netOutBuffer);
		// If unread bytes were left, the close would reset the connection before the
		// client has read the answer
		this.sc.read(this.netInBuffer.clear());
		this.netInBuffer.clear();
		return new RefusedHandshakeException(reason, message);
	}

	@Override
	protected SSLEngineResult handshakeUnwrap(boolean read) throws IOException {
		int before = this.netInBuffer.position();
		int received = read ? this.sc.read(this.netInBuffer) : 0;
		HandshakeMonitor monitor = this.monitor;
		if (monitor != null) {
			monitor.received(this.netInBuffer, before);
		}
		if (received == -1) {
			throw new EOFException("The client closed the connection during the handshake");
		}
		SSLEngineResult result = unwrapCounted();
		if (this.handshakeBytes > MOST_HANDSHAKE_BYTES && this.handshakeStatus == HandshakeStatus.NEED_UNWRAP) {
			if (monitor != null) {
				monitor.tooLarge();
			}
			// The engine answers this record with an alert
			this.netInBuffer.clear().put(TlsRecords.TOO_LONG);
			result = unwrapCounted();
		}
		return result;
	}

	private SSLEngineResult unwrapCounted() throws IOException {
		int before = this.netInBuffer.position();
		SSLEngineResult result = unwrapHandshake();
		this.handshakeBytes += before - this.netInBuffer.position();
		return result;
	}

	/**
	 * Unwrap what was received of the handshake.
	 * @return the result of the engine
	 * @throws IOException if the engine fails
	 */
	SSLEngineResult unwrapHandshake() throws IOException {
		return super.handshakeUnwrap(false);
	}

	/**
	 * Read while no other thread does.
	 * @param action reads
	 * @param <T> the type of the number of bytes
	 * @return what the action returns
	 * @throws IOException if the action fails
	 */
	final <T> T reading(IOCallable<T> action) throws IOException {
		synchronized (this.input) {
			try {
				return action.call();
			}
			catch (OutOfMemoryError ex) {
				throw noMemory(ex);
			}
		}
	}

	/**
	 * Write while no other thread does.
	 * @param action writes
	 * @param <T> the type of the number of bytes
	 * @return what the action returns
	 * @throws IOException if the action fails
	 */
	final <T> T writing(IOCallable<T> action) throws IOException {
		synchronized (this.output) {
			try {
				return action.call();
			}
			catch (OutOfMemoryError ex) {
				throw noMemory(ex);
			}
		}
	}

	/**
	 * Return whether what the client sent last was no progress.
	 * @return whether it is no reason to keep the connection open for another timeout
	 */
	boolean isStalled() {
		return false;
	}

	// Tomcat closes a connection after an exception, but leaves it open after an error
	private static IOException noMemory(OutOfMemoryError ex) {
		return new IOException("Not enough memory for the connection: " + ex.getMessage(), ex);
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

	/**
	 * Send {@code close_notify} to the client, unless a handshake is in progress. A
	 * handshake can block for a long time, for example while it waits for an OCSP
	 * responder, and the thread that closes the connection does not wait for it.
	 */
	@Override
	public void close() throws IOException {
		synchronized (this.life) {
			if (this.phase == Phase.ENDING || this.phase == Phase.ENDED) {
				return;
			}
			if (this.phase == Phase.IN_HANDSHAKE) {
				this.phase = Phase.ENDING;
				this.closing = true;
				return;
			}
			this.phase = Phase.ENDED;
		}
		synchronized (this.output) {
			sendCloseNotify();
		}
	}

	/**
	 * Send {@code close_notify}, as far as the socket accepts it.
	 * @throws IOException if it cannot be sent
	 */
	void sendCloseNotify() throws IOException {
		super.close();
	}

	/**
	 * Release the resources of the channel after the connection was closed: immediately,
	 * or when the handshake in progress returns.
	 * @param afterwards runs after the release
	 */
	final void release(Runnable afterwards) {
		synchronized (this.life) {
			this.closing = true;
			if (this.phase == Phase.IN_HANDSHAKE || this.phase == Phase.ENDING) {
				this.phase = Phase.ENDING;
				this.afterRelease = afterwards;
				return;
			}
			this.phase = Phase.ENDED;
		}
		try {
			HandshakeMonitor monitor = this.monitor;
			if (monitor != null) {
				monitor.closed(this.socketWrapper);
			}
		}
		finally {
			try {
				releaseEngine();
				if (this.challenge != null) {
					this.challenge.release();
				}
			}
			finally {
				afterwards.run();
			}
		}
	}

	/**
	 * Release what the engine holds.
	 */
	void releaseEngine() {
	}

	/**
	 * Start to serve the connection on the current thread.
	 */
	void beginService() {
	}

	/**
	 * Stop serving the connection on the current thread.
	 * @param idle whether the connection has no request in progress
	 */
	void endService(boolean idle) {
	}

	@Override
	public @Nullable SSLSupport getSSLSupport() {
		NegotiatedTls negotiated = this.negotiated;
		return (this.sslEngine != null && negotiated != null)
				? new ConnectionSupport(this.sslEngine.getSession(), negotiated.requested()) : null;
	}

	static void empty(ByteBuffer buffer) {
		buffer.position(0).limit(0);
	}

	/**
	 * The phase of a connection.
	 */
	private enum Phase {

		/**
		 * No thread is in the handshake.
		 */
		OPEN,

		/**
		 * A thread takes a step of the handshake.
		 */
		IN_HANDSHAKE,

		/**
		 * The connection is closed, and ends when the step returns.
		 */
		ENDING,

		/**
		 * The connection is closed.
		 */
		ENDED

	}

	/**
	 * How far the verification of a client is.
	 */
	private enum Verification {

		/**
		 * It is over, or none is to be expected.
		 */
		NONE,

		/**
		 * The next step may contain it.
		 */
		VERIFYING,

		/**
		 * The handshake is complete, but the thread that has verified the client still
		 * has the connection.
		 */
		COMPLETE

	}

	/**
	 * Reads or writes.
	 *
	 * @param <T> what it returns
	 */
	interface IOCallable<T> {

		T call() throws IOException;

	}

}
