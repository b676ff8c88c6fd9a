// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;

import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;

import io.github.tomcatopenssl.FipsMode;
import io.github.tomcatopenssl.LibrarySource;
import io.github.tomcatopenssl.internal.engine.NativeMemory;
import io.github.tomcatopenssl.internal.engine.NativeMemoryIsFreed;
import io.github.tomcatopenssl.internal.engine.TlsEngine;
import io.github.tomcatopenssl.internal.engine.TlsRecords;
import io.github.tomcatopenssl.internal.engine.TlsSession;
import io.github.tomcatopenssl.internal.engine.VirtualHosts;
import io.github.tomcatopenssl.internal.host.ClientMaterial;
import io.github.tomcatopenssl.internal.host.HostKey;
import io.github.tomcatopenssl.internal.host.PolicySettings;
import io.github.tomcatopenssl.internal.host.RevocationChecks;
import io.github.tomcatopenssl.internal.host.TlsAlpnChallenges;
import io.github.tomcatopenssl.internal.host.TlsSettings;
import io.github.tomcatopenssl.internal.library.TomcatNativeLoader;
import io.github.tomcatopenssl.test.CapturedLog;
import io.github.tomcatopenssl.test.CatalinaHome;
import io.github.tomcatopenssl.test.ClientVerifier;
import io.github.tomcatopenssl.test.JavaClient;
import io.github.tomcatopenssl.test.Provided;
import io.github.tomcatopenssl.test.TestCertificates;
import io.github.tomcatopenssl.test.tls.TlsBytes;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.SSLHostConfigCertificate.Type;
import org.apache.tomcat.util.net.SocketProperties;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

/**
 * Tests of {@link TlsChannel}, with a socket, and without the rest of a server.
 */
@Tag("servers")
@Timeout(60)
@ExtendWith(NativeMemoryIsFreed.class)
class TlsChannelTests {

	private static final String HOST = "_default_";

	private static final long TIMEOUT = 10_000;

	@RegisterExtension
	private final CapturedLog log = new CapturedLog(FailureReport.class);

	private final TlsNioEndpoint endpoint = new TlsNioEndpoint();

	private VirtualHosts hosts;

	private Socket client;

	private TlsConnection connection;

	private TlsChannel channel;

	@BeforeAll
	static void load() {
		assertThat(new TomcatNativeLoader(LibrarySource.SYSTEM, Provided.tomcatNative(), null, FipsMode.OFF).status()
			.available()).isTrue();
		CatalinaHome.forget();
	}

	@AfterEach
	void close() throws IOException {
		this.client.close();
		this.connection.close();
		this.hosts.removeAll();
	}

	// HTTP/2 and WebSocket read and write by operations of Tomcat's that end a connection
	// for an exception, and leave it open for an error
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void whenThereIsNoMemoryThenReadsAndWritesFailWithAnException(boolean openSsl) throws Exception {
		connect(openSsl, "none");
		assertThat(handshake("client", "TLSv1.3")).isNotNull();
		TlsSession session = this.channel.session();
		this.channel.serve(new CrowdedSession(), this.channel.negotiated());
		assertThatIOException().isThrownBy(() -> this.channel.read(ByteBuffer.allocate(1)))
			.withCauseInstanceOf(OutOfMemoryError.class);
		assertThatIOException().isThrownBy(() -> this.channel.write(ByteBuffer.allocate(1)))
			.withCauseInstanceOf(OutOfMemoryError.class);
		this.channel.serve(session, this.channel.negotiated());
	}

	@ParameterizedTest
	@CsvSource({ "true, TLSv1.2", "true, TLSv1.3", "false, TLSv1.2", "false, TLSv1.3" })
	void whenHandshakeFailsThenClientGetsTheAlertAndChannelIsOver(boolean openSsl, String version) throws Exception {
		connect(openSsl, "required");
		CompletableFuture<Integer> reading = CompletableFuture.supplyAsync(() -> {
			try {
				SSLSocket socket = client("other-client", version);
				return socket.getInputStream().read();
			}
			catch (IOException ex) {
				throw new CompletionException(ex);
			}
		});
		assertThatExceptionOfType(SSLException.class).isThrownBy(this::serve);
		assertThatIOException().isThrownBy(() -> this.channel.handshake(true, true));
		assertThatIOException().isThrownBy(() -> this.channel.write(ByteBuffer.allocate(1)));
		assertThat(this.channel.read(ByteBuffer.allocate(1))).isEqualTo(-1);
		assertThatExceptionOfType(CompletionException.class).isThrownBy(reading::join)
			.havingCause()
			.withMessageContaining("Received fatal alert");
		this.channel.getIOChannel().configureBlocking(false);
		this.connection.close();
	}

	@ParameterizedTest
	@CsvSource({ "true, TLSv1.2", "true, TLSv1.3", "false, TLSv1.2", "false, TLSv1.3" })
	void whenRecordIsInvalidThenClientGetsOneAlertAndNothingElse(boolean openSsl, String version) throws Exception {
		connect(openSsl, "none");
		SSLSocket socket = handshake("client", version);
		exchange(socket);
		this.client.getOutputStream().write(TlsBytes.record(TlsBytes.APPLICATION_DATA, new byte[64]));
		assertThatIOException().isThrownBy(() -> this.channel.read(ByteBuffer.allocate(100)));
		assertThatIOException().isThrownBy(() -> this.channel.write(ByteBuffer.allocate(100)));
		assertThat(this.channel.read(ByteBuffer.allocate(100))).isEqualTo(-1);
		// Otherwise, the close would wait for what to discard
		this.channel.getIOChannel().configureBlocking(false);
		this.connection.close();
		byte[] rest = this.client.getInputStream().readAllBytes();
		assertThat(rest[0])
			.isEqualTo((byte) (version.equals("TLSv1.2") ? TlsRecords.ALERT : TlsRecords.APPLICATION_DATA));
		assertThat(TlsRecords.count(ByteBuffer.wrap(rest))).isOne();
	}

	@ParameterizedTest
	@CsvSource({ "true, TLSv1.2", "true, TLSv1.3", "false, TLSv1.2", "false, TLSv1.3" })
	void whenConnectionEndsThenBothSidesAreTold(boolean openSsl, String version) throws Exception {
		connect(openSsl, "required");
		SSLSocket socket = handshake("client", version);
		exchange(socket);
		assertThat(this.channel.negotiated()).satisfies((negotiated) -> {
			assertThat(negotiated.exchange().protocol()).isEqualTo(version);
			assertThat(negotiated.host()).isEqualTo(HOST);
		});
		assertThat(this.channel.session().peerCertificates()).hasSize(1);
		this.connection.close();
		assertThat(socket.getInputStream().read()).isEqualTo(-1);
		assertThatIOException().isThrownBy(() -> this.channel.write(ByteBuffer.allocate(1)));
		assertThat(this.channel.read(ByteBuffer.allocate(1))).isEqualTo(-1);
		assertThat(NativeMemory.sessions()).isZero();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void whenChallengeIsAnsweredThenClientIsToldThatTheConnectionEnds(boolean openSsl) throws Exception {
		HostKey key = new HostKey(TestCertificates.get().privateKey("p256"),
				List.of(TestCertificates.get().certificate("p256.crt")));
		connect(openSsl, "none", ClientMaterial.NONE, (name) -> key);
		SSLSocket socket = client("client", "TLSv1.2");
		SSLParameters parameters = socket.getSSLParameters();
		parameters.setServerNames(List.of(new SNIHostName("challenge.test")));
		parameters.setApplicationProtocols(new String[] { TlsAlpnChallenges.APPLICATION_PROTOCOL });
		socket.setSSLParameters(parameters);
		CompletableFuture<Void> handshake = start(socket);
		int next;
		do {
			next = this.channel.handshake(true, true);
			assertThat(next).isNotZero();
		}
		while (next != -1);
		handshake.join();
		assertThat(NativeMemory.sessions()).isEqualTo(openSsl ? 1 : 0);
		this.channel.getIOChannel().configureBlocking(false);
		this.connection.close();
		assertThat(NativeMemory.sessions()).isZero();
		byte[] rest = this.client.getInputStream().readAllBytes();
		assertThat(rest).startsWith(TlsRecords.ALERT);
		assertThat(TlsRecords.count(ByteBuffer.wrap(rest))).isOne();
	}

	@Test
	void whenConnectionIsClosedWhileItsClientIsVerifiedThenItIsReleasedAfterwards() throws Exception {
		this.log.all();
		CountDownLatch responder = new CountDownLatch(1);
		CountDownLatch verifying = new CountDownLatch(1);
		ClientVerifier verifier = (chain, authType) -> {
			verifying.countDown();
			try {
				responder.await();
			}
			catch (InterruptedException ex) {
				throw new CertificateException(ex);
			}
		};
		connect(true, "required", new ClientMaterial(new TrustManager[] { verifier }, List.of(), List.of()));
		CompletableFuture<Void> step = CompletableFuture.runAsync(() -> {
			try {
				handshake("client", "TLSv1.3");
			}
			catch (Exception ex) {
				throw new CompletionException(ex);
			}
		}, (task) -> new Thread(task).start());
		verifying.await();
		try {
			assertThat(CompletableFuture.runAsync(this.connection::close)).succeedsWithin(Duration.ofSeconds(30));
			assertThat(NativeMemory.sessions()).isOne();
			assertThat(this.log.messages()).isEmpty();
		}
		finally {
			responder.countDown();
		}
		assertThatExceptionOfType(CompletionException.class).isThrownBy(step::join);
		assertThat(NativeMemory.sessions()).isZero();
		assertThat(this.log.messages()).singleElement().asString().contains("failed: closed by the client");
	}

	@Test
	void whenClientDoesNotReadTheAnswersToItsRecordsThenOnlySomeAreKept() throws Exception {
		connect(false, "none");
		handshake("client", "TLSv1.3");
		this.channel.getIOChannel().configureBlocking(false);
		this.channel.serve(new TalkativeSession(), this.channel.negotiated());
		ByteBuffer data = ByteBuffer.allocate(1);
		while (this.channel.getOutboundRemaining() == 0) {
			this.channel.write(data.clear());
		}
		assertThatIOException().isThrownBy(() -> {
			while (true) {
				this.client.getOutputStream().write(TlsBytes.record(TlsBytes.APPLICATION_DATA, new byte[1]));
				this.channel.read(data.clear());
			}
		}).withMessage("The client does not read what it makes the server send");
	}

	private void exchange(SSLSocket socket) throws Exception {
		byte[] data = { 1, 2, 3 };
		socket.getOutputStream().write(data);
		ByteBuffer received = ByteBuffer.allocate(10);
		while (received.position() < data.length) {
			assertThat(this.channel.read(received)).isNotNegative();
		}
		assertThat(received.flip()).isEqualTo(ByteBuffer.wrap(data));
		assertThat(this.channel.write(ByteBuffer.wrap(data))).isEqualTo(data.length);
		assertThat(socket.getInputStream().readNBytes(data.length)).isEqualTo(data);
	}

	private void connect(boolean openSsl, String verification) throws Exception {
		connect(openSsl, verification, ClientMaterial.NONE);
	}

	private void connect(boolean openSsl, String verification, ClientMaterial clients) throws Exception {
		connect(openSsl, verification, clients, TlsAlpnChallenges.NONE);
	}

	private void connect(boolean openSsl, String verification, ClientMaterial clients, TlsAlpnChallenges challenges)
			throws Exception {
		this.hosts = new VirtualHosts(openSsl ? TlsEngine.openSsl() : TlsEngine.jsse(),
				new TlsSettings(List.of(), PolicySettings.NONE, RevocationChecks.NONE, (name) -> clients, null, null,
						null, null, null, false, challenges, (any) -> null));
		this.hosts.create(host(verification), List.of(), HOST);
		this.endpoint.configure(this.hosts);
		try (ServerSocketChannel server = ServerSocketChannel.open()) {
			server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
			this.client = new Socket(InetAddress.getLoopbackAddress(), server.socket().getLocalPort());
			SocketChannel socket = server.accept();
			this.channel = new TlsChannel(new TlsBuffers(new SocketProperties(), openSsl),
					new LingeringSockets()::close);
			this.connection = new TlsConnection(this.channel, this.endpoint, socket.getRemoteAddress());
			this.channel.reset(socket, this.connection);
			this.channel.begin(new Handshake(this.endpoint, this.connection, ProxyHeader.Rule.REFUSED, TIMEOUT));
		}
	}

	private SSLSocket handshake(String certificate, String version) throws Exception {
		SSLSocket socket = client(certificate, version);
		CompletableFuture<Void> handshake = start(socket);
		serve();
		handshake.join();
		return socket;
	}

	private static CompletableFuture<Void> start(SSLSocket socket) {
		return CompletableFuture.runAsync(() -> {
			try {
				socket.startHandshake();
			}
			catch (IOException ex) {
				throw new CompletionException(ex);
			}
		});
	}

	private SSLSocket client(String certificate, String version) throws IOException {
		SSLSocket socket = new JavaClient(JavaClient.managers(certificate, "p256.crt")).connect(this.client);
		socket.setEnabledProtocols(new String[] { version });
		return socket;
	}

	// The socket blocks, so that the poller is not missed
	private void serve() throws IOException {
		int next;
		do {
			next = this.channel.handshake(true, true);
			assertThat(next).isNotNegative();
		}
		while (next != 0);
		assertThat(this.channel.isHandshakeComplete()).isTrue();
	}

	private static SSLHostConfig host(String verification) {
		SSLHostConfig host = new SSLHostConfig();
		host.setCertificateVerification(verification);
		host.setCaCertificateFile(TestCertificates.get().file("ca.crt").toString());
		SSLHostConfigCertificate certificate = new SSLHostConfigCertificate(host, Type.UNDEFINED);
		certificate.setCertificateFile(TestCertificates.get().file("p256.crt").toString());
		certificate.setCertificateKeyFile(TestCertificates.get().file("p256.key").toString());
		host.addCertificate(certificate);
		return host;
	}

	/**
	 * A session with more data than there is memory for.
	 */
	private static class CrowdedSession implements TlsSession {

		@Override
		public Progress handshake(ByteBuffer in, ByteBuffer out) {
			return Progress.DONE;
		}

		@Override
		public int read(ByteBuffer in, ByteBuffer data) {
			throw new OutOfMemoryError("Cannot reserve direct buffer memory");
		}

		@Override
		public boolean hasData() {
			return true;
		}

		@Override
		public int write(ByteBuffer[] data, int offset, int length, ByteBuffer out) {
			throw new OutOfMemoryError("Cannot reserve direct buffer memory");
		}

		@Override
		public void drain(ByteBuffer out) {
		}

		@Override
		public void shutdown() {
		}

		@Override
		public boolean isShutdown() {
			return false;
		}

		@Override
		public @Nullable String applicationProtocol() {
			return null;
		}

		@Override
		public X509Certificate[] peerCertificates() {
			return new X509Certificate[0];
		}

		@Override
		public byte[] id() {
			return new byte[0];
		}

		@Override
		public void invalidate() {
		}

		@Override
		public void close() {
		}

	}

	/**
	 * A session that answers each record.
	 */
	private static final class TalkativeSession extends CrowdedSession {

		private static final byte[] ANSWER = TlsBytes.record(TlsBytes.APPLICATION_DATA,
				new byte[TlsRecords.MAX_PLAINTEXT]);

		@Override
		public int read(ByteBuffer in, ByteBuffer data) {
			in.position(in.position() + TlsRecords.size(in));
			return 0;
		}

		@Override
		public boolean hasData() {
			return false;
		}

		@Override
		public int write(ByteBuffer[] data, int offset, int length, ByteBuffer out) {
			data[offset].position(data[offset].limit());
			out.put(ANSWER);
			return 1;
		}

		@Override
		public void drain(ByteBuffer out) {
			out.put(ANSWER);
		}

	}

}
