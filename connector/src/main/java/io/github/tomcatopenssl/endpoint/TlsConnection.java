// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.CompletionHandler;
import java.nio.channels.Selector;
import java.util.Objects;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;

import io.github.tomcatopenssl.internal.engine.TlsSession;
import io.github.tomcatopenssl.internal.host.HostNames;
import jakarta.servlet.ServletConnection;
import org.apache.coyote.Processor;
import org.apache.tomcat.util.net.NioEndpoint.NioSocketWrapper;
import org.apache.tomcat.util.net.SSLSupport;
import org.apache.tomcat.util.net.SendfileDataBase;
import org.apache.tomcat.util.net.SendfileState;
import org.apache.tomcat.util.net.SocketEvent;
import org.jspecify.annotations.Nullable;

/**
 * A TLS connection that knows what its handshake agreed on. It has a channel of its own
 * and releases it when the connection is closed, no matter who closes it or whether the
 * close succeeds.
 */
final class TlsConnection extends NioSocketWrapper
		implements Handshake.Connection, RequestGate.Caller, VerificationThreads.Waiting {

	private static final String HTTP_2 = "h2";

	/**
	 * How long to wait for a thread that works with a failed connection, in seconds.
	 */
	private static final int LOCK_SECONDS = 1;

	/**
	 * How long requests are served at most after GOAWAY was sent, in nanoseconds.
	 */
	private static final long MOST_DRAIN = TimeUnit.SECONDS.toNanos(5);

	private final TlsChannel channel;

	private final TlsNioEndpoint endpoint;

	private final SocketAddress peer;

	private final AtomicBoolean failed = new AtomicBoolean();

	/**
	 * Whether the poller knows the connection.
	 */
	private volatile boolean registered;

	private @Nullable ProxyHeader proxyHeader;

	/**
	 * Whether the client was told that the connection ends.
	 */
	private final AtomicBoolean ending = new AtomicBoolean();

	/**
	 * Whether an upgraded connection was told to end. The request that has upgraded it
	 * may have been the last one.
	 */
	private final AtomicBoolean stopped = new AtomicBoolean();

	/**
	 * Whether a request has upgraded the connection, to a WebSocket for example.
	 */
	private volatile boolean afterUpgrade;

	/**
	 * Whether the upgraded connection was busy when it was to end.
	 */
	private final AtomicBoolean busy = new AtomicBoolean();

	/**
	 * When GOAWAY was first sent, as {@link System#nanoTime()} counts it.
	 */
	private final AtomicReference<@Nullable Long> goAwayTime = new AtomicReference<>();

	/**
	 * Create a connection.
	 * @param channel the channel, which no other connection has
	 * @param endpoint the endpoint that has accepted the connection
	 * @param peer the address of the other side
	 */
	TlsConnection(TlsChannel channel, TlsNioEndpoint endpoint, SocketAddress peer) {
		super(channel, endpoint);
		this.channel = channel;
		this.endpoint = endpoint;
		this.peer = peer;
	}

	/**
	 * Return the connection that a request arrived on.
	 * @param connection the connection as the servlet API describes it
	 * @return the connection, or {@code null} if it does not use TLS
	 */
	static @Nullable TlsConnection of(ServletConnection connection) {
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
	 * Start the timeout for reading again, unless the client has sent only records
	 * without data. Tomcat counts each read as activity.
	 */
	@Override
	public void updateLastRead() {
		if (!this.channel.isStalled()) {
			super.updateLastRead();
		}
	}

	/**
	 * Let the poller wait for bytes of the client.
	 */
	@Override
	public void registerReadInterest() {
		if (!this.registered) {
			registerWithPoller();
		}
		super.registerReadInterest();
	}

	/**
	 * Let the poller wait until the socket accepts bytes.
	 */
	@Override
	public void registerWriteInterest() {
		if (!this.registered) {
			registerWithPoller();
		}
		super.registerWriteInterest();
	}

	// The poller closes a connection that it does not know. Two threads can be the first:
	// one that reads and one that writes
	private synchronized void registerWithPoller() {
		try {
			if (!this.registered) {
				register(getPoller().getSelector(), 0);
				this.registered = true;
			}
		}
		catch (ClosedChannelException | ClosedSelectorException ex) {
			// It is closed, or will be
		}
	}

	/**
	 * Complete a read of HTTP/2 on a thread of its own only when the thread that began it
	 * no longer serves the connection. Otherwise, that thread would begin the next read
	 * before the first one has put back the bytes that follow the preface, and the
	 * request in them would never be answered.
	 */
	@Override
	protected <A> OperationState<A> newOperationState(boolean read, ByteBuffer[] buffers, int offset, int length,
			BlockingMode block, long timeout, TimeUnit unit, @Nullable A attachment, CompletionCheck check,
			CompletionHandler<Long, ? super A> handler, Semaphore semaphore,
			VectoredIOCompletionHandler<A> completion) {
		return super.newOperationState(read, buffers, offset, length, block, timeout, unit, attachment, check, handler,
				semaphore, read ? new LaterCompletion<>() : completion);
	}

	/**
	 * Return what the handshake has agreed on.
	 * @return what was negotiated, or {@code null} if the handshake is not complete
	 */
	@Nullable NegotiatedTls negotiated() {
		return this.channel.negotiated();
	}

	/**
	 * Return the authority of a request that names none.
	 * @return the server name that the client has sent, or the address that it has
	 * connected to
	 */
	String authority() {
		String serverName = requestedName();
		if (serverName != null && !HostNames.isAddress(serverName)) {
			return serverName;
		}
		String address = String.valueOf(localAddress());
		return address.contains(":") ? "[" + address + "]" : address;
	}

	/**
	 * Return the server name that the client has asked for.
	 * @return its canonical form, or {@code null} if the client has sent none, or
	 * something that is no name
	 */
	@Nullable String requestedName() {
		String serverName = getSniHostName();
		return (serverName != null && !serverName.isEmpty()) ? serverName : null;
	}

	// The name of an interface is no part of a host (RFC 6874, 4)
	private @Nullable String localAddress() {
		String address = getLocalAddr();
		return (address != null) ? address.replaceFirst("%.*", "") : null;
	}

	@Override
	public @Nullable String serverAddress() {
		String address = localAddress();
		return (address != null) ? HostNames.canonical(address) : null;
	}

	/**
	 * Wait for the socket with a selector.
	 * @param selector the selector
	 * @param operations what to wait for
	 * @throws ClosedChannelException if the connection is closed
	 */
	void register(Selector selector, int operations) throws ClosedChannelException {
		this.channel.getIOChannel().register(selector, operations, this);
	}

	/**
	 * Take the handshake as far as possible.
	 * @return what comes next
	 * @throws IOException if the handshake fails
	 */
	Handshake.Next takeHandshakeStep() throws IOException {
		return this.channel.takeHandshakeStep();
	}

	@Override
	public boolean isOverdue() {
		Handshake handshake = this.channel.handshake();
		return handshake != null && handshake.isOverdue();
	}

	/**
	 * Return whether a client may be verified in the next step of the handshake.
	 * @return whether the step must be taken on a thread that may block
	 */
	boolean isVerifying() {
		Handshake handshake = this.channel.handshake();
		return handshake != null && handshake.isVerifying();
	}

	/**
	 * Return whether the application is asked for a host in the next step of the
	 * handshake.
	 * @return whether the step must be taken on a thread of its own kind
	 */
	boolean isAsking() {
		Handshake handshake = this.channel.handshake();
		return handshake != null && handshake.isAsking();
	}

	@Override
	public String host() {
		return Objects.requireNonNull(this.channel.negotiated()).host();
	}

	@Override
	public boolean comesAndGoes() {
		return Objects.requireNonNull(this.channel.negotiated()).comesAndGoes();
	}

	@Override
	public @Nullable String serverName() {
		return getSniHostName();
	}

	@Override
	public @Nullable Predicate<String> servedHosts() {
		return Objects.requireNonNull(this.channel.negotiated()).servedHosts();
	}

	@Override
	public boolean hasCertificate() {
		return client() != null;
	}

	@Override
	public boolean hasVerifiedClient() {
		VerifiedClient client = client();
		return client != null && client.isOfTrustedIssuer();
	}

	@Override
	public boolean isProxy() {
		VerifiedClient client = client();
		return client != null && client.isProxy();
	}

	@Override
	public boolean hasEnded() {
		VerifiedClient client = client();
		return client != null && !client.isValid();
	}

	private @Nullable VerifiedClient client() {
		NegotiatedTls negotiated = this.channel.negotiated();
		return (negotiated != null) ? negotiated.client() : null;
	}

	/**
	 * Record that the client is being told that the connection ends.
	 * @return whether it has not been told before
	 */
	boolean beginEnd() {
		return this.ending.compareAndSet(false, true);
	}

	/**
	 * Send GOAWAY on an HTTP/2 connection. Tomcat serves the streams of the next second,
	 * because the client may have sent them before it learns of the end, and ignores
	 * later ones ({@code drainTimeout}). That can take longer.
	 * @return whether requests are still served
	 */
	boolean goAway() {
		long now = System.nanoTime();
		this.goAwayTime.compareAndSet(null, now);
		if (getCurrentProcessor() instanceof Processor processor) {
			processor.pause();
		}
		Long begin = this.goAwayTime.get();
		return begin == null || now - begin < MOST_DRAIN;
	}

	/**
	 * Record that a request upgrades the connection. Tomcat says so of an idle connection
	 * only.
	 */
	void upgraded() {
		this.afterUpgrade = true;
	}

	/**
	 * End the connection, unless it has a request in progress. An upgraded connection
	 * other than HTTP/2, such as a WebSocket, is told first, and closed the next time. It
	 * is also closed if it is busy both times: a client that sends without a pause keeps
	 * it so.
	 */
	void endUnlessBusy() {
		if (!getLock().tryLock()) {
			if (this.afterUpgrade && !this.busy.compareAndSet(false, true)) {
				close();
			}
			return;
		}
		try {
			Object processor = getCurrentProcessor();
			if (processor == null) {
				close();
			}
			else if (processor instanceof Processor upgraded && upgraded.isUpgrade()) {
				endUpgraded();
			}
		}
		finally {
			getLock().unlock();
		}
	}

	private void endUpgraded() {
		if (HTTP_2.equals(getNegotiatedProtocol())) {
			try {
				// Waits for a write in progress
				execute(this::goAway);
			}
			catch (RejectedExecutionException | OutOfMemoryError ex) {
				// An error would also end the search for other connections, for good
				close();
			}
		}
		else if (this.stopped.compareAndSet(false, true)) {
			processSocket(SocketEvent.STOP, true);
		}
		else {
			close();
		}
	}

	@Override
	public @Nullable SSLSupport getSslSupport() {
		TlsSession session = this.channel.session();
		NegotiatedTls negotiated = this.channel.negotiated();
		return (session != null && negotiated != null)
				? new ConnectionSupport(session, negotiated, this.endpoint.gate().isOfProxy(this)) : null;
	}

	/**
	 * Do nothing: no client is asked for a certificate after the handshake, which TLS 1.3
	 * cannot do, and TLS 1.2 does by renegotiation.
	 */
	@Override
	public void doClientAuth(SSLSupport support) {
	}

	/**
	 * Refuse to send a file past the session. {@link TlsNioEndpoint#getUseSendfile()}
	 * keeps Tomcat from asking for it.
	 */
	@Override
	public SendfileState processSendfile(SendfileDataBase file) {
		return SendfileState.ERROR;
	}

	/**
	 * Take the addresses of the connection from what a trusted proxy says.
	 */
	@Override
	public void setProxyHeader(ProxyHeader header) {
		this.proxyHeader = header;
		InetSocketAddress source = header.source();
		InetSocketAddress destination = header.destination();
		if (source != null && destination != null) {
			this.remoteAddr = source.getAddress().getHostAddress();
			this.remotePort = source.getPort();
			this.remoteHost = null;
			this.localAddr = destination.getAddress().getHostAddress();
			this.localPort = destination.getPort();
			this.localName = this.localAddr;
		}
	}

	@Override
	public @Nullable ProxyHeader proxyHeader() {
		return this.proxyHeader;
	}

	// A socket that is closed does not know its peer
	@Override
	protected void populateRemoteAddr() {
		if (this.peer instanceof InetSocketAddress address) {
			this.remoteAddr = address.getAddress().getHostAddress();
		}
	}

	@Override
	protected void populateRemotePort() {
		if (this.peer instanceof InetSocketAddress address) {
			this.remotePort = address.getPort();
		}
	}

	@Override
	protected void populateRemoteHost() {
		InetSocketAddress source = (this.proxyHeader != null) ? this.proxyHeader.source() : null;
		if (source != null) {
			this.remoteHost = source.getHostName();
		}
		else {
			super.populateRemoteHost();
		}
	}

	/**
	 * Return the address of the client: the one that a trusted proxy has passed on, or
	 * that of the connection.
	 */
	@Override
	public @Nullable InetAddress clientAddress() {
		String address = getRemoteAddr();
		try {
			return (address != null) ? InetAddress.getByName(address) : null;
		}
		catch (UnknownHostException ex) {
			// The network interface of a link-local address has vanished
			return null;
		}
	}

	@Override
	public void setTimeouts(long milliseconds) {
		setReadTimeout(milliseconds);
		setWriteTimeout(milliseconds);
		updateLastRead();
		updateLastWrite();
	}

	@Override
	public void report(FailedHandshake failed) {
		this.endpoint.failureReport().add(this, failed);
	}

	/**
	 * Serve the connection on the current thread.
	 * @param work serves the connection
	 */
	void serve(Runnable work) {
		this.channel.beginService();
		boolean served = false;
		try {
			work.run();
			served = true;
		}
		finally {
			if (!served) {
				// Tomcat leaves it open for good after an error of the JVM
				close();
			}
			this.channel.endService(isClosed() || getCurrentProcessor() == null);
		}
	}

	/**
	 * Record an error, and close an HTTP/2 connection on another thread, since the
	 * current one still works with it. Tomcat leaves some of them open for good: if a
	 * read fails in the middle of a frame, and if a stream closes the connection while
	 * another stream begins. It also leaves the asynchronous requests of a closed
	 * connection without an event. The first error closes the connection, whichever
	 * threads report others: each of its streams may.
	 */
	@Override
	public void setError(@Nullable IOException error) {
		super.setError(error);
		if (error != null && HTTP_2.equals(getNegotiatedProtocol()) && this.failed.compareAndSet(false, true)) {
			try {
				execute(this::end);
			}
			catch (RejectedExecutionException | OutOfMemoryError ex) {
				// The endpoint is stopping, or there are too many threads
				close();
			}
		}
	}

	// A thread that works with the connection may be waiting for the client, which the
	// close ends
	private void end() {
		boolean locked = false;
		try {
			locked = getLock().tryLock(LOCK_SECONDS, TimeUnit.SECONDS);
			if (locked) {
				processSocket(SocketEvent.ERROR, false);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
		finally {
			close();
			if (locked) {
				getLock().unlock();
			}
		}
	}

	@Override
	protected void doClose() {
		try {
			super.doClose();
		}
		finally {
			this.channel.release();
		}
	}

	private final class LaterCompletion<A> extends VectoredIOCompletionHandler<A> {

		@Override
		public void completed(Long bytes, OperationState<A> state) {
			getLock().lock();
			getLock().unlock();
			super.completed(bytes, state);
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
