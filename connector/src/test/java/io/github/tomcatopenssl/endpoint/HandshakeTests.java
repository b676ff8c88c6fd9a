// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.ByteArrayOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import javax.net.ssl.KeyManager;
import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;

import io.github.tomcatopenssl.ClientFingerprint;
import io.github.tomcatopenssl.endpoint.Handshake.Next;
import io.github.tomcatopenssl.internal.engine.Engine;
import io.github.tomcatopenssl.internal.engine.NativeMemory;
import io.github.tomcatopenssl.internal.engine.NativeMemoryIsFreed;
import io.github.tomcatopenssl.internal.engine.TlsRecords;
import io.github.tomcatopenssl.internal.engine.TlsSession;
import io.github.tomcatopenssl.internal.engine.VirtualHosts;
import io.github.tomcatopenssl.internal.host.HostKey;
import io.github.tomcatopenssl.internal.host.ServerNameRules;
import io.github.tomcatopenssl.internal.host.TlsAlpnChallenges;
import io.github.tomcatopenssl.internal.host.TlsSettings;
import io.github.tomcatopenssl.test.Http;
import io.github.tomcatopenssl.test.JavaClient;
import io.github.tomcatopenssl.test.TestCertificates;
import io.github.tomcatopenssl.test.tls.RawClientHello;
import io.github.tomcatopenssl.test.tls.TlsBytes;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.TLSClientHelloExtractor;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static io.github.tomcatopenssl.test.tls.TlsBytes.concat;
import static io.github.tomcatopenssl.test.tls.TlsBytes.hex;
import static io.github.tomcatopenssl.test.tls.TlsBytes.vector;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests of {@link Handshake}, step by step, in memory.
 */
@Tag("jdk")
@Tag("servers")
@Timeout(60)
@ExtendWith(NativeMemoryIsFreed.class)
class HandshakeTests {

	private static final long TIMEOUT = 60_000;

	private static final JavaClient.Managers MANAGERS = JavaClient.managers("client", "p256.crt");

	private static final int START = 7;

	private static final int MOST_STEPS = 10_000;

	private static final int HANDSHAKE_FAILURE = 40;

	private final TlsNioEndpoint endpoint = new TlsNioEndpoint();

	private final KnownConnection connection = new KnownConnection();

	private final ByteBuffer in = ByteBuffer.allocateDirect(TlsRecords.MAX_SIZE);

	private final ByteBuffer out = ByteBuffer.allocateDirect(2 * TlsSession.ROOM);

	/**
	 * What the server has sent since the client has last received something.
	 */
	private final ByteArrayOutputStream sent = new ByteArrayOutputStream();

	private final List<Next> answers = new ArrayList<>();

	private VirtualHosts hosts;

	private Handshake handshake;

	@BeforeAll
	static void load() {
		Engine.load();
	}

	@AfterEach
	void close() {
		this.handshake.close();
		this.hosts.removeAll();
	}

	static Stream<Arguments> enginesAndVersions() {
		return Arrays.stream(Engine.values())
			.flatMap((engine) -> Stream.of("TLSv1.2", "TLSv1.3").map((version) -> Arguments.of(engine, version)));
	}

	@ParameterizedTest
	@MethodSource("enginesAndVersions")
	void whenEachByteComesAloneThenHandshakeIsComplete(Engine engine, String version) throws Exception {
		begin(engine, ConnectorServer.settings(), ConnectorServer.host("p256"));
		complete(new Client(version, "h2"), 1);
		assertThat(this.answers).containsOnly(Next.READ, Next.FLUSH, Next.SERVE);
		assertThat(this.connection.serverName).isEqualTo("localhost");
		assertThat(this.connection.protocol).isEqualTo("h2");
		assertThat(this.connection.timeout).isEqualTo(this.endpoint.getConnectionTimeout());
		assertThat(this.handshake.negotiated()).satisfies((negotiated) -> {
			assertThat(negotiated.exchange().protocol()).isEqualTo(version);
			assertThat(negotiated.host()).isEqualTo("_default_");
			assertThat(negotiated.client()).isNull();
			assertThat(negotiated.fingerprint()).isNull();
		});
		assertThat(this.endpoint.handshakeCounters().countStarted()).isOne();
		assertThat(this.endpoint.handshakeCounters().countCompleted((exchange) -> true)).isOne();
		this.handshake.close();
		assertThat(failures()).isEmpty();
		assertThat(this.connection.reported).isEmpty();
	}

	// Each part has to be sent before the handshake goes on
	@ParameterizedTest
	@MethodSource("enginesAndVersions")
	void whenThereIsLittleRoomThenRecordsAreSentInParts(Engine engine, String version) throws Exception {
		begin(engine, ConnectorServer.settings(), ConnectorServer.host("p256"));
		Client client = new Client(version, "h2");
		// JSSE gives no part of a record
		this.out.limit(START + ((engine == Engine.OPENSSL) ? 10 : client.engine.getSession().getPacketBufferSize()));
		complete(client, TlsRecords.MAX_SIZE);
		assertThat(this.answers).filteredOn((next) -> next == Next.FLUSH)
			.hasSizeGreaterThan((engine == Engine.OPENSSL) ? 50 : 3);
		assertThat(this.handshake.negotiated()).isNotNull();
	}

	@ParameterizedTest
	@MethodSource("enginesAndVersions")
	void whenClientIsVerifiedThenAnotherThreadTakesTheSteps(Engine engine, String version) throws Exception {
		begin(engine, ConnectorServer.settings(),
				ConnectorServer.verifying(ConnectorServer.host("p256"), "required", "ca.crt"));
		Client client = new Client(version, "h2", MANAGERS.key());
		assertThat(this.handshake.isVerifying()).isFalse();
		assertThat(advance(client.answer())).isEqualTo(Next.HAND_OVER);
		assertThat(this.handshake.isVerifying()).isTrue();
		assertThat(this.sent.size()).isZero();
		assertThat(advance()).isEqualTo(Next.READ);
		assertThat(advance(client.answer(takeSent()))).isEqualTo(Next.HAND_OVER);
		assertThat(this.handshake.isVerifying()).isFalse();
		assertThat(this.endpoint.handshakeCounters().countCompleted((exchange) -> true)).isOne();
		assertThat(advance()).isEqualTo(Next.SERVE);
		assertThat(this.handshake.negotiated().client()).isNotNull();
	}

	@ParameterizedTest
	@MethodSource("enginesAndVersions")
	void whenClientIsNotAcceptedThenItsAlertIsGivenAndSessionIsFreedAtOnce(Engine engine, String version)
			throws Exception {
		begin(engine, ConnectorServer.settings(),
				ConnectorServer.verifying(ConnectorServer.host("p256"), "required", "ca.crt"));
		Client client = new Client(version, "h2");
		advance(client.answer());
		advance();
		byte[] flight = client.answer(takeSent());
		assertThatExceptionOfType(SSLException.class).isThrownBy(() -> advance(flight)).satisfies((failure) -> {
			assertThat(NativeMemory.sessions()).isEqualTo((engine == Engine.OPENSSL) ? 1 : 0);
			this.handshake.failed(failure);
		});
		assertThat(NativeMemory.sessions()).isZero();
		assertThat(failures()).containsExactly(Map.entry("client certificate missing", 1L));
		assertThatExceptionOfType(SSLException.class).isThrownBy(() -> client.answer(takeSent()))
			.withMessageContaining("Received fatal alert");
		assertThat(this.connection.reported).isEmpty();
		this.handshake.close();
		assertThat(this.connection.reported).singleElement()
			.satisfies((failed) -> assertThat(failed.reason()).isEqualTo(FailureReason.CERTIFICATE_MISSING));
	}

	static Stream<Arguments> refused() {
		return Stream.of(
				Arguments.of(hello().suites(new int[600]).record(), TlsRecords.fatalAlert(HANDSHAKE_FAILURE),
						FailureReason.TOO_LARGE),
				Arguments.of(hello().extension(0, vector(2, hex("00"), vector(2, hex("ff")))).record(),
						TlsRecords.fatalAlert(47), FailureReason.OTHER),
				Arguments.of(hello().serverName("other.test").record(), TlsRecords.fatalAlert(112),
						FailureReason.UNKNOWN_SERVER_NAME),
				Arguments.of(hello().extension(RawClientHello.ALPN, offer("smtp")).record(), TlsRecords.fatalAlert(120),
						FailureReason.OTHER));
	}

	@ParameterizedTest
	@MethodSource("refused")
	void whenClientIsRefusedThenItsAnswerIsGivenHoweverItsBytesAreSplit(byte[] bytes, byte[] answer,
			FailureReason reason) throws Exception {
		begin(Engine.JSSE, ConnectorServer.settings(ServerNameRules.of(List.of()), null, null),
				ConnectorServer.host("p256"));
		for (int split = 0; split < bytes.length; split++) {
			byte[] first = Arrays.copyOf(bytes, split);
			byte[] rest = Arrays.copyOfRange(bytes, split, bytes.length);
			restart(ProxyHeader.Rule.UNKNOWN, TIMEOUT);
			assertThatExceptionOfType(RefusedHandshakeException.class).as("split at %d", split).isThrownBy(() -> {
				assertThat(advance(first)).isEqualTo(Next.READ);
				advance(rest);
			}).satisfies((refusal) -> {
				assertThat(refusal.reason()).isEqualTo(reason);
				this.handshake.failed(refusal);
			});
			assertThat(takeSent()).isEqualTo(answer);
			assertThat(this.handshake.session()).isNull();
		}
		assertThat(failures()).containsExactly(Map.entry(reason.toString(), (long) bytes.length));
	}

	@Test
	void whenClientSpeaksHttpThenItsAnswerIsGiven() throws Exception {
		begin(Engine.JSSE, ConnectorServer.settings(), ConnectorServer.host("p256"));
		assertThatExceptionOfType(RefusedHandshakeException.class)
			.isThrownBy(() -> advance(Http.ascii("GET / HTTP/1.1\r\n\r\n")));
		assertThat(takeSent()).isEqualTo(TLSClientHelloExtractor.USE_TLS_RESPONSE);
	}

	@ParameterizedTest
	@EnumSource
	void whenRecordIsNoTlsThenAlertIsGivenAndCountedOnce(Engine engine) throws Exception {
		begin(engine, ConnectorServer.settings(), ConnectorServer.host("p256"));
		assertThat(advance(new Client("TLSv1.3", "h2").answer())).isEqualTo(Next.READ);
		takeSent();
		assertThatExceptionOfType(SSLException.class).isThrownBy(() -> advance(Http.ascii("no record")))
			.satisfies(this.handshake::failed);
		assertThat(TlsRecords.count(ByteBuffer.wrap(takeSent()))).isOne();
		this.handshake.failed(new IOException());
		this.handshake.close();
		assertThat(failures()).containsExactly(Map.entry("other", 1L));
		assertThat(this.connection.reported).hasSize(1);
	}

	@ParameterizedTest
	@EnumSource
	void whenClientSendsTooMuchThenIsRefused(Engine engine) throws Exception {
		begin(engine, ConnectorServer.settings(),
				ConnectorServer.verifying(ConnectorServer.host("p256"), "required", "ca.crt"));
		Client client = new Client("TLSv1.2", "h2");
		advance(client.answer());
		advance();
		takeSent();
		// The start of a certificate message
		byte[] message = concat(hex("0b00c000"), new byte[10_000]);
		assertThatExceptionOfType(SSLException.class).isThrownBy(() -> {
			advance(TlsBytes.record(TlsBytes.HANDSHAKE, message));
			for (int i = 0; i < MOST_STEPS; i++) {
				advance(TlsBytes.record(TlsBytes.HANDSHAKE, new byte[10_000]));
			}
		}).satisfies(this.handshake::failed);
		assertThat(takeSent()).startsWith(TlsRecords.ALERT);
		assertThat(failures()).containsExactly(Map.entry("too large", 1L));
	}

	@ParameterizedTest
	@EnumSource
	void whenConnectionIsClosedInBetweenThenSessionIsFreed(Engine engine) throws Exception {
		begin(engine, ConnectorServer.settings(), ConnectorServer.host("p256"));
		advance(new Client("TLSv1.3", "h2").answer());
		assertThat(this.handshake.session()).isNotNull();
		this.handshake.close();
		assertThat(NativeMemory.sessions()).isZero();
		assertThat(failures()).isEmpty();
	}

	@Test
	void whenTimeIsOverThenHandshakeFailsOnce() throws Exception {
		begin(Engine.JSSE, ConnectorServer.settings(), ConnectorServer.host("p256"));
		restart(ProxyHeader.Rule.UNKNOWN, 0);
		assertThat(advance(hex("16"))).isEqualTo(Next.READ);
		assertThat(this.handshake.isOverdue()).isTrue();
		assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(this.handshake::limitTime)
			.satisfies(this.handshake::failed);
		this.handshake.close();
		assertThat(failures()).containsExactly(Map.entry("timeout", 1L));
		assertThat(this.connection.reported).hasSize(1);
	}

	@Test
	void whenTimeIsLeftThenConnectionWaitsNoLonger() throws Exception {
		begin(Engine.JSSE, ConnectorServer.settings(), ConnectorServer.host("p256"));
		assertThat(this.connection.timeout).isEqualTo(TIMEOUT);
		this.handshake.limitTime();
		assertThat(this.connection.timeout).isPositive().isLessThan(TIMEOUT);
		assertThat(this.handshake.isOverdue()).isFalse();
	}

	@Test
	void whenProxySendsItsHeaderThenClientFollows() throws Exception {
		begin(Engine.JSSE, ConnectorServer.settings(), ConnectorServer.host("p256"));
		restart(ProxyHeader.Rule.REQUIRED, TIMEOUT);
		byte[] header = Http.ascii("PROXY TCP4 192.0.2.1 192.0.2.2 4660 443\r\n");
		assertThat(advance(header)).isEqualTo(Next.READ);
		assertThat(this.connection.header.source().getPort()).isEqualTo(4660);
		assertThat(this.endpoint.handshakeCounters().countStarted()).isZero();
		assertThat(advance(new Client("TLSv1.3", "h2").answer())).isEqualTo(Next.READ);
		assertThat(this.endpoint.handshakeCounters().countStarted()).isOne();
	}

	@ParameterizedTest
	@MethodSource("enginesAndVersions")
	void whenFingerprintIsComputedThenItIsThatOfTheClientOfTheProxy(Engine engine, String version) throws Exception {
		begin(engine, ConnectorServer.fingerprinting(), ConnectorServer.host("p256"));
		restart(ProxyHeader.Rule.REQUIRED, TIMEOUT);
		advance(Http.ascii("PROXY TCP4 192.0.2.1 192.0.2.2 4660 443\r\n"));
		complete(new Client(version, "h2"), 1);
		assertThat(this.handshake.negotiated().fingerprint())
			.matches("t%sd\\d{4}h2_[0-9a-f]{12}_[0-9a-f]{12}".formatted(version.equals("TLSv1.3") ? "13" : "12"));
	}

	@Test
	void whenClientHasToSayHelloAgainThenItsFirstHelloCounts() throws Exception {
		begin(Engine.OPENSSL, ConnectorServer.fingerprinting(), ConnectorServer.host("p256"));
		byte[] first = hello().extension(RawClientHello.KEY_SHARE, vector(2)).record();
		byte[] second = hello().padded(10).record();
		assertThat(fingerprint(first)).startsWith("t13d0107h1_").isNotEqualTo(fingerprint(second));
		assertThat(advance(first)).isEqualTo(Next.READ);
		takeSent();
		assertThat(advance(second)).isEqualTo(Next.READ);
		assertThat(TlsRecords.count(ByteBuffer.wrap(takeSent()))).isGreaterThan(2);
		this.handshake.failed(new EOFException());
		this.handshake.close();
		assertThat(this.connection.reported).singleElement()
			.satisfies((failed) -> assertThat(failed.fingerprint()).isEqualTo(fingerprint(first)));
	}

	private static @Nullable String fingerprint(byte[] record) {
		ClientHello hello = ClientHello.read(ByteBuffer.wrap(record).position(record.length), ClientFingerprint.JA4);
		assertThat(hello).isNotNull();
		return hello.fingerprint();
	}

	@ParameterizedTest
	@EnumSource
	void whenChallengeIsAnsweredThenNothingIsServed(Engine engine) throws Exception {
		TestCertificates certificates = TestCertificates.get();
		HostKey key = new HostKey(certificates.privateKey("p256"), List.of(certificates.certificate("p256.crt")));
		begin(engine, ConnectorServer.settings(null, null, null, (name) -> name.equals("localhost") ? key : null),
				ConnectorServer.host("rsa"));
		Client client = new Client("TLSv1.3", TlsAlpnChallenges.APPLICATION_PROTOCOL);
		assertThat(advance(client.answer())).isEqualTo(Next.HAND_OVER);
		assertThat(advance()).isEqualTo(Next.READ);
		assertThat(advance(client.answer(takeSent()))).isEqualTo(Next.END);
		assertThat(client.engine.getSession().getPeerCertificates()[0]).isEqualTo(key.leaf());
		assertThat(advance()).isEqualTo(Next.END);
		assertThat(this.endpoint.handshakeCounters().countStarted()).isZero();
		this.handshake.close();
		assertThat(failures()).isEmpty();
	}

	private void begin(Engine engine, TlsSettings settings, SSLHostConfig host) {
		this.hosts = new VirtualHosts(engine.served(), settings);
		this.hosts.create(host, List.of("h2"), host.getHostName());
		this.endpoint.configure(this.hosts);
		this.endpoint.addNegotiatedProtocol("h2");
		restart(ProxyHeader.Rule.UNKNOWN, TIMEOUT);
	}

	private void restart(ProxyHeader.Rule rule, long milliseconds) {
		this.in.clear();
		this.handshake = new Handshake(this.endpoint, this.connection, rule, milliseconds);
	}

	private void complete(Client client, int part) throws Exception {
		Next next = Next.READ;
		while (next != Next.SERVE) {
			assertThat(next).isEqualTo(Next.READ);
			byte[] flight = client.answer(takeSent());
			assertThat(flight).isNotEmpty();
			for (int i = 0; i < flight.length; i += part) {
				next = advance(Arrays.copyOfRange(flight, i, Math.min(i + part, flight.length)));
			}
		}
	}

	// As the channel does, but with a buffer that begins with other bytes
	private Next advance(byte... bytes) throws IOException {
		this.in.put(bytes);
		Next next;
		do {
			assertThat(this.answers).hasSizeLessThan(MOST_STEPS);
			this.out.position(START);
			try {
				next = this.handshake.step(this.in, this.out);
				assertThat(next == Next.FLUSH || this.out.position() == START).as("waits until all is sent").isTrue();
			}
			finally {
				byte[] records = new byte[this.out.position() - START];
				this.out.get(START, records);
				this.sent.writeBytes(records);
			}
			this.answers.add(next);
		}
		while (next == Next.FLUSH);
		return next;
	}

	private byte[] takeSent() {
		byte[] sent = this.sent.toByteArray();
		this.sent.reset();
		return sent;
	}

	private Map<String, Long> failures() {
		Map<String, Long> failures = new HashMap<>();
		this.endpoint.handshakeCounters().readFailed((reason, count) -> failures.put(reason, count.sum()));
		failures.values().removeIf((count) -> count == 0);
		return failures;
	}

	private static RawClientHello hello() {
		return RawClientHello.tls13(Http.HTTP_1_1).serverName("localhost");
	}

	private static byte[] offer(String protocol) {
		return vector(2, vector(1, Http.ascii(protocol)));
	}

	/**
	 * A connection without a socket.
	 */
	private static final class KnownConnection implements Handshake.Connection {

		private final List<FailedHandshake> reported = new ArrayList<>();

		private @Nullable ProxyHeader header;

		private @Nullable String serverName;

		private @Nullable String protocol;

		private long timeout;

		@Override
		public void setProxyHeader(ProxyHeader header) {
			this.header = header;
		}

		@Override
		public InetAddress clientAddress() {
			return InetAddress.getLoopbackAddress();
		}

		@Override
		public String serverAddress() {
			return "[127.0.0.1]";
		}

		@Override
		public void setSniHostName(@Nullable String name) {
			this.serverName = name;
		}

		@Override
		public void setNegotiatedProtocol(@Nullable String protocol) {
			this.protocol = protocol;
		}

		@Override
		public void setTimeouts(long milliseconds) {
			this.timeout = milliseconds;
		}

		@Override
		public void report(FailedHandshake failed) {
			this.reported.add(failed);
		}

	}

	/**
	 * Java's client without a socket.
	 */
	private static final class Client {

		private final SSLEngine engine;

		Client(String version, String applicationProtocol, KeyManager... keys) throws Exception {
			SSLContext context = SSLContext.getInstance("TLS");
			context.init(keys, MANAGERS.trust(), null);
			this.engine = context.createSSLEngine();
			this.engine.setUseClientMode(true);
			SSLParameters parameters = this.engine.getSSLParameters();
			parameters.setProtocols(new String[] { version });
			parameters.setServerNames(List.of(new SNIHostName("localhost")));
			parameters.setApplicationProtocols(new String[] { applicationProtocol });
			this.engine.setSSLParameters(parameters);
			this.engine.beginHandshake();
		}

		/**
		 * Receive records.
		 * @param records the records
		 * @return what the client sends then
		 */
		byte[] answer(byte... records) throws SSLException {
			ByteBuffer received = ByteBuffer.wrap(records);
			ByteBuffer sent = ByteBuffer.allocate(2 * TlsRecords.MAX_SIZE);
			while (true) {
				HandshakeStatus status = this.engine.getHandshakeStatus();
				if (status == HandshakeStatus.NEED_TASK) {
					this.engine.getDelegatedTask().run();
				}
				else if (status == HandshakeStatus.NEED_WRAP) {
					this.engine.wrap(ByteBuffer.allocate(0), sent);
				}
				else if (received.hasRemaining()) {
					this.engine.unwrap(received, ByteBuffer.allocate(TlsRecords.MAX_SIZE));
				}
				else {
					return Arrays.copyOf(sent.array(), sent.position());
				}
			}
		}

	}

}
