// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

import io.github.tomcatopenssl.internal.engine.ServedHost;
import io.github.tomcatopenssl.internal.engine.TlsRecords;
import io.github.tomcatopenssl.internal.engine.TlsSession;
import io.github.tomcatopenssl.internal.engine.TlsSession.Progress;
import io.github.tomcatopenssl.internal.engine.UnmadeHost;
import io.github.tomcatopenssl.internal.engine.VirtualHosts;
import io.github.tomcatopenssl.internal.host.ClientTrust;
import io.github.tomcatopenssl.internal.host.ClientVerification;
import io.github.tomcatopenssl.internal.host.HostIdentity;
import io.github.tomcatopenssl.internal.host.PolicyPreview;
import io.github.tomcatopenssl.internal.host.ServerNameRules;
import io.github.tomcatopenssl.internal.host.TlsAlpnChallenges;
import org.apache.tomcat.util.net.TLSClientHelloExtractor;
import org.jspecify.annotations.Nullable;

/**
 * The handshake of a connection, as a state machine without I/O: the header of a proxy,
 * the client's first message, which finds the host, the session of the host's context,
 * and the verdict. It limits the time and the bytes of a client, and reports its outcome
 * once. Its session belongs to it until it is complete. It is dropped then. One thread at
 * a time uses it: the one that takes a step, or the one that ends the connection while
 * none does (see {@link TlsChannel#release}).
 */
final class Handshake {

	/**
	 * Maximum number of bytes that a client may send in its handshake. Certificate chains
	 * are far smaller: three certificates with ML-DSA-87, the largest in use, take 22 KB.
	 * OpenSSL before 3.5.9 needs several hundred MB for a chain of 100 KB
	 * (CVE-2026-35189). JSSE applies the same limit to a single message and reads the
	 * same property.
	 */
	static final int MOST_BYTES = Integer.getInteger("jdk.tls.maxHandshakeMessageSize", 32 * 1024);

	private static final byte[] HANDSHAKE_FAILURE = TlsRecords.fatalAlert(40);

	private static final byte[] ILLEGAL_PARAMETER = TlsRecords.fatalAlert(47);

	private static final byte[] UNRECOGNIZED_NAME = TlsRecords.fatalAlert(112);

	private static final byte[] NO_APPLICATION_PROTOCOL = TlsRecords.fatalAlert(120);

	/**
	 * Protocols that the client may offer in addition to those that the endpoint
	 * negotiates. Tomcat speaks both if nothing is negotiated.
	 */
	private static final List<String> HTTP_1 = List.of("http/1.1", "http/1.0");

	/**
	 * How far ahead of the deadline Tomcat may end a handshake, in nanoseconds.
	 */
	private static final long TOLERANCE = TimeUnit.MILLISECONDS.toNanos(100);

	private final TlsNioEndpoint endpoint;

	private final ServerFlight server = new ServerFlight();

	private final Connection connection;

	private ProxyHeader.Rule proxyHeader;

	private State state = State.PROXY_HEADER;

	/**
	 * Whether the handshake counts.
	 */
	private boolean begun;

	/**
	 * {@code null} before it counts, and if it is not recorded.
	 */
	private @Nullable HandshakeRecording recording;

	private @Nullable ClientHello hello;

	/**
	 * The host; {@code null} if the connection only answers an ACME challenge.
	 */
	private @Nullable ServedHost served;

	private @Nullable TlsSession session;

	private @Nullable Predicate<String> servedHosts;

	private @Nullable NegotiatedTls negotiated;

	/**
	 * Number of bytes of the client that the session has taken.
	 */
	private int bytes;

	private boolean tooLarge;

	private volatile @Nullable RefusedCertificate certificate;

	/**
	 * Why the certificate was refused.
	 */
	private volatile @Nullable String refusal;

	private @Nullable FailedHandshake failed;

	/**
	 * Time by which the handshake must be complete, as {@link System#nanoTime()} counts
	 * it.
	 */
	private final long deadline;

	/**
	 * Create a handshake.
	 * @param endpoint the endpoint that has accepted the connection
	 * @param connection the connection
	 * @param proxyHeader what it may begin with
	 * @param milliseconds the maximum time in milliseconds
	 */
	Handshake(TlsNioEndpoint endpoint, Connection connection, ProxyHeader.Rule proxyHeader, long milliseconds) {
		this.endpoint = endpoint;
		this.connection = connection;
		this.proxyHeader = proxyHeader;
		this.deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(milliseconds);
		connection.setTimeouts(milliseconds);
	}

	/**
	 * Begin to take steps on the current thread.
	 */
	void enter() {
		HandshakeRecording recording = this.recording;
		if (recording != null) {
			recording.enter();
		}
	}

	/**
	 * Take no more steps on the current thread.
	 * @param next what comes next
	 */
	void leave(Next next) {
		HandshakeRecording recording = this.recording;
		if (recording != null) {
			recording.leave(next == Next.HAND_OVER);
		}
	}

	/**
	 * Take one step.
	 * @param in the bytes of the client, ready to be written to
	 * @param out where the bytes for the client are appended, also before an exception;
	 * has room for {@link TlsSession#ROOM} bytes
	 * @return what comes next
	 * @throws IOException if the handshake fails, of which {@link #failed} must be told
	 */
	Next step(ByteBuffer in, ByteBuffer out) throws IOException {
		return switch (this.state) {
			case PROXY_HEADER -> readProxyHeader(in);
			case CLIENT_HELLO -> readClientHello(in, out);
			case CHALLENGE -> answerChallenge(out);
			case NAME, HOST -> findHost(Objects.requireNonNull(this.hello), out);
			case RECORD, ROOM -> negotiate(in, out);
			case SENT -> finish();
			case OVER -> (this.negotiated != null) ? Next.SERVE : Next.END;
		};
	}

	private Next readProxyHeader(ByteBuffer in) throws IOException {
		try {
			if (this.proxyHeader == ProxyHeader.Rule.REQUIRED) {
				ProxyHeader header = ProxyHeader.read(in);
				if (header == null) {
					return Next.READ;
				}
				this.connection.setProxyHeader(header);
				this.proxyHeader = ProxyHeader.Rule.REFUSED;
			}
		}
		finally {
			// A health check of the proxy ends after its header
			begun(in);
		}
		this.state = State.CLIENT_HELLO;
		return Next.FLUSH;
	}

	private void begun(ByteBuffer in) {
		if (!this.begun && in.position() > 0) {
			this.begun = true;
			this.endpoint.handshakeCounters().started();
			this.recording = this.endpoint.handshakeRecorder().begin();
		}
	}

	private Next readClientHello(ByteBuffer in, ByteBuffer out) throws IOException {
		begun(in);
		if (this.proxyHeader == ProxyHeader.Rule.REFUSED && ProxyHeader.begins(in)) {
			throw new RefusedHandshakeException(FailureReason.PROXY_HEADER_REFUSED,
					"The connection begins with a header of the PROXY protocol, but does not come from a trusted proxy, or the header is the second one");
		}
		ClientHello hello = ClientHello.read(in, this.endpoint.settings().clientFingerprint());
		if (hello == null) {
			return Next.READ;
		}
		requireReadable(hello, out);
		this.hello = hello;
		if (asksForChallenge(hello)) {
			this.state = State.CHALLENGE;
			// The challenge is read from a file system, which can block
			return Next.HAND_OVER;
		}
		return findHost(hello, out);
	}

	private void requireReadable(ClientHello hello, ByteBuffer out) throws IOException {
		switch (hello.kind()) {
			case HTTP -> throw refusal(out, TLSClientHelloExtractor.USE_TLS_RESPONSE, FailureReason.OTHER,
					"The client sent HTTP without TLS");
			case EXCESSIVE -> throw refusal(out, HANDSHAKE_FAILURE, FailureReason.TOO_LARGE,
					"The client offers more than any client in use does");
			case MALFORMED_NAME ->
				throw refusal(out, ILLEGAL_PARAMETER, FailureReason.OTHER, "The server name is not ASCII");
			case TLS -> {
			}
		}
	}

	private IOException refusal(ByteBuffer out, byte[] answer, FailureReason reason, String message) {
		out.put(answer);
		this.server.sent(ByteBuffer.wrap(answer));
		return new RefusedHandshakeException(reason, message);
	}

	// A connection that answers a challenge offers nothing else (RFC 8737, 3)
	private static boolean asksForChallenge(ClientHello hello) {
		return hello.serverName() != null
				&& hello.applicationProtocols().equals(List.of(TlsAlpnChallenges.APPLICATION_PROTOCOL));
	}

	private Next answerChallenge(ByteBuffer out) throws IOException {
		ClientHello hello = Objects.requireNonNull(this.hello);
		TlsSession challenge = this.endpoint.createChallengeSession(Objects.requireNonNull(hello.serverName()));
		if (challenge == null) {
			return findHost(hello, out);
		}
		this.begun = false;
		this.endpoint.handshakeCounters().ignored();
		this.recording = null;
		this.session = challenge;
		this.state = State.RECORD;
		return Next.FLUSH;
	}

	// The engine has an alert for an empty protocol name
	private boolean isAnySpoken(ClientHello hello) {
		List<String> offered = hello.applicationProtocols();
		return offered.isEmpty() || offered.contains("") || !Collections.disjoint(HTTP_1, offered)
				|| !Collections.disjoint(this.endpoint.applicationProtocols(), offered);
	}

	private Next findHost(ClientHello hello, ByteBuffer out) throws IOException {
		if (!isAnySpoken(hello)) {
			throw refusal(out, NO_APPLICATION_PROTOCOL, FailureReason.OTHER,
					"The client offers no application protocol that this connector supports");
		}
		this.connection.setSniHostName(hello.serverName());
		VirtualHosts hosts = this.endpoint.virtualHosts();
		String name = hello.serverName();
		if (name != null && hosts.isQuestion(name)) {
			if (hosts.settings().hosts().areServing(name)) {
				this.endpoint.askLater(name);
			}
			else if (this.state != State.NAME) {
				this.state = State.NAME;
				return Next.HAND_OVER;
			}
			else {
				hosts.settings().hosts().ask(name);
			}
		}
		String requested = requestedName(hello, hosts);
		while (true) {
			HostIdentity found = hosts.current().find(requested);
			if (found instanceof UnmadeHost unmade) {
				if (this.state != State.HOST && this.state != State.NAME) {
					this.state = State.HOST;
					return Next.HAND_OVER;
				}
				hosts.make(unmade.certificate());
				continue;
			}
			ServedHost served = (ServedHost) found;
			this.served = served;
			if (served == null || !isNameServed(served, requested)) {
				throw refusal(out, UNRECOGNIZED_NAME, FailureReason.UNKNOWN_SERVER_NAME,
						"The client asks for a server name that is not served");
			}
			TlsSession session = served.context()
				.newSession(hello.applicationProtocols(), hello.tickets(), this::refused);
			if (session != null) {
				this.session = session;
				this.state = State.RECORD;
				// A client may have sent its certificate already
				return served.host().clients().isActive() ? Next.HAND_OVER : Next.FLUSH;
			}
			// A reload has closed the context in between
		}
	}

	// A client that connects to an address names no server (RFC 6066, 3)
	private @Nullable String requestedName(ClientHello hello, VirtualHosts hosts) {
		return (hello.serverName() == null && hosts.settings().hosts().haveAddresses())
				? this.connection.serverAddress() : hello.serverName();
	}

	private boolean isNameServed(ServedHost served, @Nullable String requested) {
		ServerNameRules rules = this.endpoint.settings().serverNames();
		if (rules != null) {
			// A certificate for the address does for a client that names no server
			String name = (requested != null && served.names().contains(requested)) ? requested
					: Objects.requireNonNull(this.hello).serverName();
			this.servedHosts = rules.served(served.names(), name, this.connection::clientAddress);
			return this.servedHosts != null;
		}
		// Its certificate may be replaced by one of another host
		this.servedHosts = served.comesAndGoes() ? served.names()::contains : null;
		return true;
	}

	// Called within a step of the session
	private void refused(X509Certificate[] chain, Exception cause) {
		ServedHost served = this.served;
		boolean checksPurpose = served != null && served.host().clients().checksPurpose();
		this.refusal = FailureReport.describe(cause);
		this.certificate = RefusedCertificate.of(chain, cause, checksPurpose);
	}

	/**
	 * Return whether the client may be verified in the next step, or the context of its
	 * host has to be made first.
	 * @return whether the step must be taken on a thread that serves nobody else
	 */
	boolean isVerifying() {
		ServedHost served = this.served;
		return this.state == State.HOST || this.session != null && this.state != State.OVER && served != null
				&& served.host().clients().isActive();
	}

	/**
	 * Return whether the application is asked in the next step whether there is a host of
	 * the name.
	 * @return whether the step must be taken on a thread of its own kind
	 */
	boolean isAsking() {
		return this.state == State.NAME;
	}

	private Next negotiate(ByteBuffer in, ByteBuffer out) throws IOException {
		TlsSession session = Objects.requireNonNull(this.session);
		if (this.state == State.RECORD && this.bytes > MOST_BYTES) {
			this.tooLarge = true;
			// The session answers this record with an alert
			in.clear().put(TlsRecords.TOO_LONG);
		}
		in.flip();
		try {
			boolean complete = TlsRecords.size(in) > 0;
			if (this.state == State.RECORD && !complete) {
				return Next.READ;
			}
			Progress progress = advance(session, in, out);
			if (progress == Progress.NEEDS_RECORD && complete && in.position() == 0) {
				throw new IOException("The session does not take a record");
			}
			if (progress == Progress.NEEDS_RECORD && session.isShutdown()) {
				throw new EOFException("The client has closed TLS during the handshake");
			}
			this.state = switch (progress) {
				case NEEDS_RECORD -> State.RECORD;
				case NEEDS_ROOM -> State.ROOM;
				case DONE -> State.SENT;
			};
			return Next.FLUSH;
		}
		finally {
			this.bytes += in.position();
			in.compact();
		}
	}

	private Progress advance(TlsSession session, ByteBuffer in, ByteBuffer out) throws IOException {
		int start = out.position();
		boolean advanced = false;
		try {
			Progress progress = session.handshake(in, out);
			advanced = true;
			return progress;
		}
		finally {
			if (!advanced) {
				session.drain(out);
			}
			this.server.sent(out.duplicate().flip().position(start));
		}
	}

	private Next finish() throws IOException {
		// A verification can have taken longer than the client may
		limitTime();
		ServedHost served = this.served;
		if (served == null) {
			// A challenge is answered, and there is nothing to serve
			this.state = State.OVER;
			return Next.END;
		}
		TlsSession session = Objects.requireNonNull(this.session);
		ClientHello hello = Objects.requireNonNull(this.hello);
		KeyExchange exchange = this.server.keyExchange();
		VerifiedClient client = verifiedClient(session, served, exchange.resumed());
		this.state = State.OVER;
		this.connection.setNegotiatedProtocol(session.applicationProtocol());
		this.connection.setTimeouts(this.endpoint.getConnectionTimeout());
		this.endpoint.handshakeCounters().completed(exchange, this.server.cipherSuite(), this.server.isRetried());
		identify(served, hello, client);
		this.negotiated = new NegotiatedTls(exchange, this.server.cipherSuite(), hello.requested(), hello.fingerprint(),
				served.host().name(), served.comesAndGoes(), this.servedHosts, client);
		HandshakeRecording recording = this.recording;
		if (recording != null) {
			recording.completed(facts((client != null) ? client.chain()[0] : null), session.applicationProtocol());
		}
		// The thread that has verified the client serves no request
		return served.host().clients().isActive() ? Next.HAND_OVER : Next.SERVE;
	}

	private void identify(ServedHost served, ClientHello hello, @Nullable VerifiedClient client) {
		PolicyPreview preview = served.preview();
		boolean known = hello.fingerprint() != null || client != null;
		if (preview == null && !known) {
			return;
		}
		PolicyPreview.Offer offer = hello.offer();
		X509Certificate[] chain = (client != null) ? client.chain() : new X509Certificate[0];
		this.endpoint.handshakeCounters()
			.identified((preview != null) ? preview.refusal(offer, chain) : null, PolicyPreview.classical(offer),
					hello.fingerprint(), (client != null && client.isOfTrustedIssuer()) ? client : null);
	}

	private @Nullable VerifiedClient verifiedClient(TlsSession session, ServedHost served, boolean resumed)
			throws IOException {
		ClientVerification clients = served.host().clients();
		ClientTrust trust = clients.trust();
		X509Certificate[] chain = (trust != null) ? session.peerCertificates() : new X509Certificate[0];
		if (trust == null || chain.length == 0) {
			return null;
		}
		String name = served.host().name();
		return VerifiedClient.of(chain, resumed, trust, () -> this.endpoint.virtualHosts().clientTrust(name),
				Clock.systemUTC());
	}

	/**
	 * Return what was agreed on.
	 * @return what was negotiated, or {@code null} if the handshake is not complete
	 */
	@Nullable NegotiatedTls negotiated() {
		return this.negotiated;
	}

	/**
	 * Return the session, which belongs to the handshake until there is something to
	 * serve.
	 * @return the session, or {@code null} if there is none yet
	 */
	@Nullable TlsSession session() {
		return this.session;
	}

	/**
	 * Have the connection wait no longer than the client may take. Tomcat restarts its
	 * timeout with each byte that the client sends.
	 * @throws SocketTimeoutException if the client has taken too long
	 */
	void limitTime() throws SocketTimeoutException {
		if (this.state == State.OVER) {
			return;
		}
		long left = TimeUnit.NANOSECONDS.toMillis(this.deadline - System.nanoTime());
		if (left <= 0) {
			throw new SocketTimeoutException("The handshake took too long");
		}
		this.connection.setTimeouts(left);
	}

	/**
	 * Return whether the time of the handshake is over.
	 * @return whether it is
	 */
	boolean isOverdue() {
		return this.deadline - System.nanoTime() <= 0;
	}

	/**
	 * Free the session, and count the failed handshake. It is logged when the connection
	 * is closed, because logging can block.
	 * @param cause what has ended it
	 */
	void failed(Exception cause) {
		closeSession();
		count(cause);
	}

	private void count(Exception cause) {
		boolean counted = !this.begun || this.state == State.OVER;
		this.state = State.OVER;
		if (!counted) {
			FailureReason reason = reason(cause);
			ClientHello hello = this.hello;
			String fingerprint = (hello != null) ? hello.fingerprint() : null;
			RefusedCertificate refused = this.certificate;
			this.endpoint.handshakeCounters().failed(reason, fingerprint, (refused != null) ? refused.leaf() : null);
			String refusal = this.refusal;
			this.failed = new FailedHandshake(reason, refused, fingerprint, this.server.alert(),
					(refusal != null) ? refusal : FailureReport.describe(cause));
			HandshakeRecording recording = this.recording;
			if (recording != null) {
				recording.failed(facts((refused != null) ? refused.certificate() : null), reason, this.server.alert());
			}
		}
	}

	private HandshakeRecording.Facts facts(@Nullable X509Certificate client) {
		ClientHello hello = this.hello;
		ServedHost served = this.served;
		boolean answered = this.server.isAnswered();
		return new HandshakeRecording.Facts(this.endpoint.getLocalPort(), this.connection.clientAddress(),
				(hello != null) ? hello.serverName() : null, (served != null) ? served.host().name() : null,
				answered ? this.server.keyExchange() : null, answered ? this.server.cipherSuite() : null, client);
	}

	private void closeSession() {
		TlsSession session = this.session;
		if (session != null) {
			session.close();
		}
	}

	private FailureReason reason(Exception cause) {
		if (this.tooLarge) {
			return FailureReason.TOO_LARGE;
		}
		if (cause instanceof ClosedChannelException && isOverdue()) {
			// The connection was closed during a verification
			return FailureReason.TIMEOUT;
		}
		RefusedCertificate certificate = this.certificate;
		if (certificate != null) {
			return certificate.reason();
		}
		ServedHost served = this.served;
		return FailureReason.of(cause, this.endpoint.virtualHosts().engine(), this.hello, this.server,
				(served != null) ? served.host() : null);
	}

	/**
	 * Free the session, and log the handshake if it has failed, or has taken too long.
	 * Called when the connection is closed.
	 */
	void close() {
		closeSession();
		if (this.deadline - System.nanoTime() < TOLERANCE) {
			count(new SocketTimeoutException("The handshake took too long"));
		}
		this.state = State.OVER;
		FailedHandshake failed = this.failed;
		if (failed != null) {
			this.connection.report(failed);
		}
	}

	/**
	 * The states of a handshake: what it waits for.
	 */
	private enum State {

		/**
		 * A trusted proxy says who its client is.
		 */
		PROXY_HEADER,

		/**
		 * The client says which host it wants, and what it offers.
		 */
		CLIENT_HELLO,

		/**
		 * The client may be an ACME server that checks a challenge.
		 */
		CHALLENGE,

		/**
		 * The application has to be asked whether there is a host of the name.
		 */
		NAME,

		/**
		 * The context of the host has to be made.
		 */
		HOST,

		/**
		 * The session needs a record of the client.
		 */
		RECORD,

		/**
		 * The session needs room for its records.
		 */
		ROOM,

		/**
		 * The session is complete, and all of its records have to be sent.
		 */
		SENT,

		/**
		 * Nothing: the handshake is complete, or has failed.
		 */
		OVER

	}

	/**
	 * The action that follows a step.
	 */
	enum Next {

		/**
		 * Read bytes of the client, and take the next step.
		 */
		READ,

		/**
		 * Take the next step as soon as all is sent.
		 */
		FLUSH,

		/**
		 * Take the next step at once, on another thread.
		 */
		HAND_OVER,

		/**
		 * Serve the connection.
		 */
		SERVE,

		/**
		 * Close the connection: there is nothing to serve.
		 */
		END

	}

	/**
	 * The connection, as its handshake needs it.
	 */
	interface Connection {

		/**
		 * Accept what a trusted proxy says about its client.
		 * @param header the header of the proxy
		 */
		void setProxyHeader(ProxyHeader header);

		/**
		 * Return the address of the client.
		 * @return the address, or {@code null} if it has none
		 */
		@Nullable InetAddress clientAddress();

		/**
		 * Return the address that the client has connected to.
		 * @return its canonical form, or {@code null} if it is not known
		 */
		@Nullable String serverAddress();

		/**
		 * Accept the server name.
		 * @param name the canonical form of the name, or {@code null} if the client names
		 * none
		 */
		void setSniHostName(@Nullable String name);

		/**
		 * Accept the application protocol.
		 * @param protocol the protocol, or {@code null} if none was negotiated
		 */
		void setNegotiatedProtocol(@Nullable String protocol);

		/**
		 * Start the timeouts again.
		 * @param milliseconds the timeouts for reading and writing, in milliseconds
		 */
		void setTimeouts(long milliseconds);

		/**
		 * Log that the handshake has failed.
		 * @param failed the handshake
		 */
		void report(FailedHandshake failed);

	}

}
