// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.EOFException;
import java.io.IOException;
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

import io.github.tomcatopenssl.engine.ServedHost;
import io.github.tomcatopenssl.engine.TlsRecords;
import io.github.tomcatopenssl.engine.TlsSession;
import io.github.tomcatopenssl.engine.TlsSession.Progress;
import io.github.tomcatopenssl.host.ClientTrust;
import io.github.tomcatopenssl.host.ClientVerification;
import io.github.tomcatopenssl.host.PolicyPreview;
import io.github.tomcatopenssl.host.ServerNameRules;
import io.github.tomcatopenssl.host.TlsAlpnChallenges;
import org.apache.tomcat.util.net.TLSClientHelloExtractor;
import org.jspecify.annotations.Nullable;

/**
 * The handshake of a connection, in the order of its steps: the header of a proxy, the
 * client's first message, which finds the host, the session of the host's context, and
 * the verdict. It limits the time and the bytes of a client, and reports its outcome
 * once. It is dropped when it is complete. One thread at a time uses it: the one that
 * takes a step, or the one that ends the connection while none does (see
 * {@link TlsChannel#release}).
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

	private final TlsConnection connection;

	private ProxyHeader.Rule proxyHeader;

	private Step step = Step.PROXY_HEADER;

	private boolean begun;

	private boolean ended;

	/**
	 * Whether the connection only answers an ACME challenge.
	 */
	private boolean challenge;

	private @Nullable ClientHello hello;

	private @Nullable ServedHost served;

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
	 * The timeout of the connection after the handshake, in milliseconds.
	 */
	private final long connectionTimeout;

	/**
	 * Create a handshake.
	 * @param endpoint the endpoint that has accepted the connection
	 * @param connection the connection
	 * @param proxyHeader what it may begin with
	 * @param milliseconds the maximum time in milliseconds
	 */
	Handshake(TlsNioEndpoint endpoint, TlsConnection connection, ProxyHeader.Rule proxyHeader, long milliseconds) {
		this.endpoint = endpoint;
		this.connection = connection;
		this.proxyHeader = proxyHeader;
		this.deadline = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(milliseconds);
		this.connectionTimeout = connection.getReadTimeout();
		setTimeouts(milliseconds);
	}

	/**
	 * Go on as far as possible.
	 * @param channel the channel of the connection
	 * @param in the bytes of the client, ready to be written to
	 * @return what comes next
	 * @throws IOException if the handshake fails
	 */
	Next proceed(TlsChannel channel, ByteBuffer in) throws IOException {
		if (this.step == Step.PROXY_HEADER || this.step == Step.CLIENT_HELLO
				|| this.step == Step.SESSION && channel.isFlushed() && !hasRecord(in)) {
			channel.receive(in);
		}
		Next next;
		do {
			next = switch (this.step) {
				case PROXY_HEADER -> readProxyHeader(in);
				case CLIENT_HELLO -> readClientHello(channel, in);
				case CHALLENGE -> answerChallenge(channel, in);
				case SESSION -> negotiate(channel, in);
				case OVER -> Next.SERVE;
			};
		}
		while (next == null);
		if (next != Next.SERVE && next != Next.END) {
			limitTime();
		}
		return next;
	}

	private @Nullable Next readProxyHeader(ByteBuffer in) throws IOException {
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
		this.step = Step.CLIENT_HELLO;
		return null;
	}

	private void begun(ByteBuffer in) {
		if (!this.begun && in.position() > 0) {
			this.begun = true;
			this.endpoint.handshakeCounters().started();
		}
	}

	private @Nullable Next readClientHello(TlsChannel channel, ByteBuffer in) throws IOException {
		begun(in);
		if (this.proxyHeader == ProxyHeader.Rule.REFUSED && ProxyHeader.begins(in)) {
			throw new RefusedHandshakeException(FailureReason.PROXY_HEADER_REFUSED,
					"The connection begins with a header of the PROXY protocol, but does not come from a trusted proxy, or the header is the second one");
		}
		ClientHello hello = ClientHello.read(in);
		if (hello == null) {
			return Next.READ;
		}
		requireReadable(channel, in, hello);
		this.hello = hello;
		if (asksForChallenge(hello)) {
			this.step = Step.CHALLENGE;
			// The challenge is read from a file system, which can block
			return Next.HAND_OVER;
		}
		return findHost(channel, in, hello);
	}

	private void requireReadable(TlsChannel channel, ByteBuffer in, ClientHello hello) throws IOException {
		switch (hello.kind()) {
			case HTTP -> throw refusal(channel, in, TLSClientHelloExtractor.USE_TLS_RESPONSE, FailureReason.OTHER,
					"The client sent HTTP without TLS");
			case EXCESSIVE -> throw refusal(channel, in, HANDSHAKE_FAILURE, FailureReason.TOO_LARGE,
					"The client offers more than any client in use does");
			case MALFORMED_NAME ->
				throw refusal(channel, in, ILLEGAL_PARAMETER, FailureReason.OTHER, "The server name is not ASCII");
			case TLS -> {
			}
		}
	}

	private IOException refusal(TlsChannel channel, ByteBuffer in, byte[] answer, FailureReason reason, String message)
			throws IOException {
		this.server.sent(ByteBuffer.wrap(answer));
		channel.refuse(answer, in);
		return new RefusedHandshakeException(reason, message);
	}

	// A connection that answers a challenge offers nothing else (RFC 8737, 3)
	private static boolean asksForChallenge(ClientHello hello) {
		return hello.serverName() != null
				&& hello.applicationProtocols().equals(List.of(TlsAlpnChallenges.APPLICATION_PROTOCOL));
	}

	private @Nullable Next answerChallenge(TlsChannel channel, ByteBuffer in) throws IOException {
		ClientHello hello = Objects.requireNonNull(this.hello);
		TlsSession challenge = this.endpoint.createChallengeSession(Objects.requireNonNull(hello.serverName()));
		if (challenge == null) {
			return findHost(channel, in, hello);
		}
		this.challenge = true;
		this.begun = false;
		this.endpoint.handshakeCounters().ignored();
		channel.begin(challenge);
		this.step = Step.SESSION;
		return null;
	}

	// The engine has an alert for an empty protocol name
	private boolean isAnySpoken(ClientHello hello) {
		List<String> offered = hello.applicationProtocols();
		return offered.isEmpty() || offered.contains("") || !Collections.disjoint(HTTP_1, offered)
				|| !Collections.disjoint(this.endpoint.applicationProtocols(), offered);
	}

	private @Nullable Next findHost(TlsChannel channel, ByteBuffer in, ClientHello hello) throws IOException {
		if (!isAnySpoken(hello)) {
			throw refusal(channel, in, NO_APPLICATION_PROTOCOL, FailureReason.OTHER,
					"The client offers no application protocol that this connector supports");
		}
		this.connection.setSniHostName(hello.serverName());
		TlsSession session;
		ServedHost served;
		do {
			// A reload may close the context in between
			served = this.endpoint.hosts().find(hello.serverName());
			this.served = served;
			if (!isNameServed(served, hello)) {
				throw refusal(channel, in, UNRECOGNIZED_NAME, FailureReason.UNKNOWN_SERVER_NAME,
						"The client asks for a server name that is not served");
			}
			session = served.context().newSession(hello.applicationProtocols(), this::refused);
		}
		while (session == null);
		channel.begin(session);
		this.step = Step.SESSION;
		// A client may have sent its certificate already
		return served.host().clients().isActive() ? Next.HAND_OVER : null;
	}

	private boolean isNameServed(ServedHost served, ClientHello hello) {
		ServerNameRules rules = this.endpoint.settings().serverNames();
		if (rules == null) {
			return true;
		}
		this.servedHosts = rules.served(served.names(), hello.serverName(), this.connection::clientAddress);
		return this.servedHosts != null;
	}

	// Called within a step of the session
	private void refused(X509Certificate[] chain, Exception cause) {
		ServedHost served = this.served;
		boolean checksPurpose = served != null && served.host().clients().checksPurpose();
		this.refusal = FailureReport.describe(cause);
		this.certificate = RefusedCertificate.of(chain, cause, checksPurpose);
	}

	/**
	 * Return whether the client may be verified in the next step.
	 * @return whether the step must be taken on a thread that may block
	 */
	boolean isVerifying() {
		ServedHost served = this.served;
		return this.step == Step.SESSION && served != null && served.host().clients().isActive();
	}

	private Next negotiate(TlsChannel channel, ByteBuffer in) throws IOException {
		Progress progress;
		do {
			progress = advance(channel, in);
			if (!channel.isFlushed()) {
				return Next.WRITE;
			}
			if (progress == Progress.DONE) {
				// A verification can have taken longer than the client may
				limitTime();
				return finish(channel);
			}
		}
		while (progress == Progress.NEEDS_ROOM || hasRecord(in));
		return Next.READ;
	}

	// Returns whether there is another record for the session
	private boolean hasRecord(ByteBuffer in) {
		if (this.bytes > MOST_BYTES) {
			this.tooLarge = true;
			// The session answers this record with an alert
			in.clear().put(TlsRecords.TOO_LONG);
			return true;
		}
		return TlsRecords.size(in.duplicate().flip()) > 0;
	}

	private Progress advance(TlsChannel channel, ByteBuffer in) throws IOException {
		in.flip();
		boolean complete = TlsRecords.size(in) > 0;
		try {
			Progress progress = channel.advance(in, this.server::sent);
			if (progress == Progress.NEEDS_RECORD && complete && in.position() == 0) {
				throw new IOException("The session does not take a record");
			}
			TlsSession session = channel.session();
			if (progress == Progress.NEEDS_RECORD && session != null && session.isShutdown()) {
				throw new EOFException("The client has closed TLS during the handshake");
			}
			return progress;
		}
		finally {
			this.bytes += in.position();
			in.compact();
		}
	}

	private Next finish(TlsChannel channel) throws IOException {
		TlsSession session = channel.session();
		ClientHello hello = this.hello;
		ServedHost served = this.served;
		if (this.challenge || session == null || hello == null || served == null) {
			// A challenge is answered, and there is nothing to serve
			this.ended = true;
			return Next.END;
		}
		KeyExchange exchange = this.server.keyExchange();
		VerifiedClient client = verifiedClient(session, served, exchange.resumed());
		this.ended = true;
		this.step = Step.OVER;
		this.connection.setNegotiatedProtocol(session.applicationProtocol());
		setTimeouts(this.connectionTimeout);
		this.endpoint.handshakeCounters().completed(exchange, this.server.cipherSuite(), this.server.isRetried());
		preview(served, hello, client);
		this.negotiated = new NegotiatedTls(exchange, this.server.cipherSuite(), hello.requested(),
				served.host().name(), this.servedHosts, client);
		// The thread that has verified the client serves no request
		return served.host().clients().isActive() ? Next.HAND_OVER : Next.SERVE;
	}

	private void preview(ServedHost served, ClientHello hello, @Nullable VerifiedClient client) {
		PolicyPreview preview = served.preview();
		if (preview != null) {
			PolicyPreview.Refusal refusal = preview.refusal(hello.offer(),
					(client != null) ? client.chain() : new X509Certificate[0]);
			if (refusal != null) {
				this.endpoint.handshakeCounters().previewed(refusal);
			}
		}
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

	// Tomcat restarts its timeout with each byte that the client sends
	private void limitTime() throws IOException {
		if (this.ended) {
			return;
		}
		long left = TimeUnit.NANOSECONDS.toMillis(this.deadline - System.nanoTime());
		if (left <= 0) {
			throw new SocketTimeoutException("The handshake took too long");
		}
		setTimeouts(left);
	}

	/**
	 * Return whether the time of the handshake is over.
	 * @return whether it is
	 */
	boolean isOverdue() {
		return this.deadline - System.nanoTime() <= 0;
	}

	private void setTimeouts(long milliseconds) {
		this.connection.setReadTimeout(milliseconds);
		this.connection.setWriteTimeout(milliseconds);
		this.connection.updateLastRead();
		this.connection.updateLastWrite();
	}

	/**
	 * Count the failed handshake. It is logged when the connection is closed, because
	 * logging can block.
	 * @param cause what has ended it
	 */
	void failed(Exception cause) {
		boolean counted = !this.begun || this.ended;
		this.ended = true;
		if (!counted) {
			FailureReason reason = reason(cause);
			this.endpoint.handshakeCounters().failed(reason);
			String refusal = this.refusal;
			this.failed = new FailedHandshake(reason, this.certificate, this.server.alert(),
					(refusal != null) ? refusal : FailureReport.describe(cause));
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
	 * Log the handshake if it has failed, or has taken too long. Called when the
	 * connection is closed.
	 */
	void closed() {
		if (this.deadline - System.nanoTime() < TOLERANCE) {
			failed(new SocketTimeoutException("The handshake took too long"));
		}
		this.ended = true;
		FailedHandshake failed = this.failed;
		if (failed != null) {
			this.endpoint.failureReport().add(this.connection, failed);
		}
	}

	/**
	 * The steps of a handshake.
	 */
	private enum Step {

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
		 * The session of the host does the rest.
		 */
		SESSION,

		/**
		 * The handshake is complete.
		 */
		OVER

	}

	/**
	 * The action that follows a step.
	 */
	enum Next {

		/**
		 * Wait for bytes of the client.
		 */
		READ,

		/**
		 * Wait until the socket accepts bytes.
		 */
		WRITE,

		/**
		 * Go on at once, on another thread.
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

}
