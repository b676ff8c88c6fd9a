// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.engine;

import java.io.InputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.security.AlgorithmConstraints;
import java.security.AlgorithmParameters;
import java.security.CryptoPrimitive;
import java.security.Key;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.stream.Stream;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLParameters;

import io.github.tomcatopenssl.ProtocolVersion;
import io.github.tomcatopenssl.internal.engine.TlsSession.Progress;
import io.github.tomcatopenssl.internal.engine.TlsSession.RefusalListener;
import io.github.tomcatopenssl.internal.host.ClientVerification;
import io.github.tomcatopenssl.internal.host.HostKey;
import io.github.tomcatopenssl.internal.host.TlsHost;
import io.github.tomcatopenssl.test.tls.TlsBytes;
import org.apache.tomcat.util.net.SSLHostConfig.CertificateVerification;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests of {@link TlsSession} in memory: of {@link OpenSslSession}, and of
 * {@link JsseSession}, whose keys {@link HostKeyManager} chooses.
 */
@Tag("jdk")
@Tag("servers")
@ExtendWith(NativeMemoryIsFreed.class)
class TlsSessionTests {

	private static final int MAX_PLAINTEXT = TlsRecords.MAX_PLAINTEXT;

	@BeforeAll
	static void load() {
		Engine.load();
	}

	static Stream<Arguments> enginesAndVersions() {
		return Arrays.stream(Engine.values())
			.flatMap((engine) -> Engine.ANY_VERSION.stream().map((version) -> Arguments.of(engine, version)));
	}

	@ParameterizedTest
	@MethodSource("enginesAndVersions")
	void whenHostHasSeveralKeysThenClientsOfferDecides(Engine engine, String version) throws Exception {
		try (TlsContext context = engine.create(Engine.host("rsa", "p256", "ed25519"))) {
			for (String[] offer : new String[][] { { "rsa", "rsa" }, { "ecdsa", "p256" }, { "ed25519", "ed25519" } }) {
				if (offer[0].equals("ed25519") && engine == Engine.JSSE && version.equals("TLSv1.2")) {
					// JSSE chooses by the cipher suite only, which is the same for both
					continue;
				}
				SSLEngine client = MemoryConnection.newContext(null).createSSLEngine();
				SSLParameters parameters = client.getSSLParameters();
				parameters.setProtocols(new String[] { version });
				parameters.setAlgorithmConstraints(new OnlySignatures(offer[0]));
				parameters.setCipherSuites(new String[] { "TLS_AES_128_GCM_SHA256", offer[0].equals("rsa")
						? "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256" : "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256" });
				client.setSSLParameters(parameters);
				try (MemoryConnection connection = connect(context, client).handshake()) {
					assertThat(connection.certificateOfServer()).isEqualTo(Engine.certificate(offer[1]));
					assertThat(client.getSession().getProtocol()).isEqualTo(version);
				}
			}
		}
	}

	// The client offers the suites of the other key too, and prefers them
	@ParameterizedTest
	@EnumSource
	void whenClientDoesNotVerifySignaturesOfTheFirstKeyThenTheOtherIsUsed(Engine engine) throws Exception {
		try (TlsContext context = engine.create(Engine.host("rsa", "p256"))) {
			SSLEngine client = MemoryConnection.newContext(null).createSSLEngine();
			SSLParameters parameters = client.getSSLParameters();
			parameters.setProtocols(new String[] { "TLSv1.2" });
			parameters.setAlgorithmConstraints(new OnlySignatures("rsa"));
			parameters.setCipherSuites(new String[] { "TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256",
					"TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256" });
			client.setSSLParameters(parameters);
			try (MemoryConnection connection = connect(context, client).handshake()) {
				assertThat(connection.certificateOfServer()).isEqualTo(Engine.certificate("rsa"));
			}
		}
	}

	@ParameterizedTest
	@MethodSource("enginesAndVersions")
	void whenChainHasIntermediatesThenTheyAreSent(Engine engine, String version) throws Exception {
		HostKey leaf = Engine.key("leaf");
		TlsHost template = Engine.host("leaf");
		TlsHost host = new TlsHost("_default_",
				List.of(new HostKey(leaf.key(), List.of(leaf.leaf(), Engine.certificate("intermediate")))),
				ClientVerification.NONE, template.policy());
		try (TlsContext context = engine.create(host);
				MemoryConnection connection = MemoryConnection.of(context, version).handshake()) {
			assertThat(connection.client.getSession().getPeerCertificates()).containsExactly(Engine.certificate("leaf"),
					Engine.certificate("intermediate"));
		}
	}

	@ParameterizedTest
	@MethodSource("enginesAndVersions")
	void whenClientOffersApplicationProtocolsThenServersPreferredOneIsNegotiated(Engine engine, String version)
			throws Exception {
		try (TlsContext context = engine.create(Engine.host("p256"), "h2", "http/1.1")) {
			for (List<String> offered : List.of(List.of("http/1.1", "h2"), List.of("x", "http/1.1"), List.of("x"),
					List.<String>of())) {
				String expected = offered.contains("h2") ? "h2" : offered.contains("http/1.1") ? "http/1.1" : null;
				try (MemoryConnection connection = MemoryConnection.of(context, version, offered).handshake()) {
					assertThat(connection.server.applicationProtocol()).isEqualTo(expected);
					assertThat(connection.client.getApplicationProtocol())
						.isEqualTo((expected != null) ? expected : "");
					assertThat(connection.server.id()).isNotNull();
				}
			}
		}
	}

	@ParameterizedTest
	@MethodSource("enginesAndVersions")
	void whenClientIsTrustedThenItsCertificatesAreKnown(Engine engine, String version) throws Exception {
		List<Exception> told = new ArrayList<>();
		try (TlsContext context = engine.create(Engine.host(Engine.clients(CertificateVerification.REQUIRED), "p256"));
				MemoryConnection connection = verified(context, version, "client", told).handshake()) {
			assertThat(connection.server.peerCertificates()).containsExactly(Engine.certificate("client"));
			assertExchanges(connection, 100);
		}
		assertThat(told).isEmpty();
	}

	@ParameterizedTest
	@MethodSource("enginesAndVersions")
	void whenClientIsNotTrustedThenListenerIsToldAndAlertIsSent(Engine engine, String version) throws Exception {
		List<Exception> told = new ArrayList<>();
		try (TlsContext context = engine.create(Engine.host(Engine.clients(CertificateVerification.OPTIONAL), "p256"));
				MemoryConnection connection = verified(context, version, "other-client", told)) {
			assertFailsWithAlert(connection);
		}
		assertThat(told).singleElement().isInstanceOf(CertificateException.class);
	}

	@ParameterizedTest
	@MethodSource("enginesAndVersions")
	void whenListenerFailsThenCertificateIsRefusedAllTheSame(Engine engine, String version) throws Exception {
		try (TlsContext context = engine
			.create(Engine.host(Engine.clients(CertificateVerification.REQUIRED), "p256"))) {
			TlsSession session = context.newSession(List.of(), List.of(), (chain, cause) -> {
				throw new IllegalStateException("listener");
			});
			try (MemoryConnection connection = new MemoryConnection(session, client(version, "other-client"))) {
				assertFailsWithAlert(connection);
			}
		}
	}

	@ParameterizedTest
	@MethodSource("enginesAndVersions")
	void whenClientHasNoCertificateThenModeDecides(Engine engine, String version) throws Exception {
		List<Exception> told = new ArrayList<>();
		try (TlsContext context = engine.create(Engine.host(Engine.clients(CertificateVerification.REQUIRED), "p256"));
				MemoryConnection connection = verified(context, version, null, told)) {
			assertFailsWithAlert(connection);
		}
		try (TlsContext context = engine.create(Engine.host(Engine.clients(CertificateVerification.OPTIONAL), "p256"));
				MemoryConnection connection = verified(context, version, null, told).handshake()) {
			assertThat(connection.server.peerCertificates()).isEmpty();
			assertExchanges(connection, 1);
		}
		assertThat(told).isEmpty();
	}

	@ParameterizedTest
	@MethodSource("enginesAndVersions")
	void whenModeIsOptionalNoCaThenAnyCertificateIsKnown(Engine engine, String version) throws Exception {
		ClientVerification anyone = new ClientVerification(CertificateVerification.OPTIONAL_NO_CA, null, null, false,
				null);
		try (TlsContext context = engine.create(Engine.host(anyone, "p256"));
				MemoryConnection connection = verified(context, version, "other-client", new ArrayList<>())
					.handshake()) {
			assertThat(connection.server.peerCertificates()).containsExactly(Engine.certificate("other-client"));
		}
	}

	@ParameterizedTest
	@MethodSource("enginesAndVersions")
	void whenHostVerifiesNobodyThenThereAreNoCertificates(Engine engine, String version) throws Exception {
		try (TlsContext context = engine.create(Engine.host("p256"));
				MemoryConnection connection = verified(context, version, "client", new ArrayList<>()).handshake()) {
			assertThat(connection.server.peerCertificates()).isEmpty();
		}
	}

	@ParameterizedTest
	@MethodSource("enginesAndVersions")
	void whenDataIsExchangedThenArrivesThroughAllBuffers(Engine engine, String version) throws Exception {
		try (TlsContext context = engine.create(Engine.host("p256"));
				MemoryConnection connection = MemoryConnection.of(context, version).handshake()) {
			for (int length : new int[] { 1, MAX_PLAINTEXT, MAX_PLAINTEXT + 1, 100 * 1024 }) {
				assertExchanges(connection, length);
			}
		}
	}

	private static void assertExchanges(MemoryConnection connection, int length) throws SSLException {
		byte[] data = data(length);
		for (boolean direct : new boolean[] { true, false }) {
			connection.clientSends(data);
			assertThat(connection.serverReceives(buffer(MAX_PLAINTEXT, direct))).isEqualTo(data);
			connection.serverSends(buffer(length, direct).put(data).flip());
			assertThat(connection.clientReceives()).isEqualTo(data);
		}
	}

	@ParameterizedTest
	@MethodSource("enginesAndVersions")
	void whenTargetIsSmallThenRestOfTheRecordIsDelivered(Engine engine, String version) throws Exception {
		try (TlsContext context = engine.create(Engine.host("p256"));
				MemoryConnection connection = MemoryConnection.of(context, version).handshake()) {
			byte[] data = data(2_000);
			for (boolean direct : new boolean[] { true, false }) {
				for (int size : new int[] { 1, 7, 99, 100 }) {
					connection.clientSends(data);
					assertThat(connection.server.hasData()).isFalse();
					int records = connection.toServer.remaining();
					ByteBuffer target = buffer(size, direct);
					assertThat(connection.server.read(connection.toServer, target)).isEqualTo(size);
					assertThat(connection.server.hasData()).isTrue();
					assertThat(connection.toServer.remaining()).as("the record is taken as a whole")
						.isLessThan(records);
					byte[] rest = connection.serverReceives(target.duplicate());
					assertThat(rest).isEqualTo(Arrays.copyOfRange(data, size, data.length));
					assertThat(connection.server.hasData()).isFalse();
				}
			}
		}
	}

	// A record is delivered completely before the next one is taken, and what waits in
	// the
	// same buffer is not touched
	@ParameterizedTest
	@MethodSource("enginesAndVersions")
	void whenSeveralRecordsWaitThenEachIsDeliveredInTurn(Engine engine, String version) throws Exception {
		try (TlsContext context = engine.create(Engine.host("p256"));
				MemoryConnection connection = MemoryConnection.of(context, version).handshake()) {
			byte[] data = data(50_000);
			for (boolean direct : new boolean[] { true, false }) {
				for (int i = 0; i < data.length; i += 5_000) {
					connection.clientSends(Arrays.copyOfRange(data, i, i + 5_000));
				}
				assertThat(connection.serverReceives(buffer(33, direct))).isEqualTo(data);
			}
		}
	}

	// As a connection has them: a buffer with the size of a record, full to its end
	@ParameterizedTest
	@MethodSource("enginesAndVersions")
	void whenBufferForRecordsIsFullThenDataIsDelivered(Engine engine, String version) throws Exception {
		try (TlsContext context = engine.create(Engine.host("p256"));
				MemoryConnection connection = MemoryConnection.of(context, version).handshake()) {
			byte[] data = data(16_000);
			for (boolean direct : new boolean[] { true, false }) {
				connection.clientSends(data);
				ByteBuffer in = ByteBuffer.allocateDirect(connection.toServer.remaining())
					.put(connection.toServer)
					.flip();
				ByteBuffer target = buffer(100 * 1024, direct);
				assertThat(connection.server.read(in, target)).isEqualTo(data.length);
				assertThat(in.hasRemaining()).isFalse();
				assertThat(target.flip()).isEqualTo(ByteBuffer.wrap(data));
			}
		}
	}

	@ParameterizedTest
	@MethodSource("enginesAndVersions")
	void whenBuffersAreSmallThenTheyBecomeOneRecord(Engine engine, String version) throws Exception {
		try (TlsContext context = engine.create(Engine.host("p256"));
				MemoryConnection connection = MemoryConnection.of(context, version).handshake()) {
			connection.clientReceives();
			byte[] data = data(2_009);
			for (boolean direct : new boolean[] { true, false }) {
				ByteBuffer[] buffers = { buffer(9, direct).put(data, 0, 9).flip(), ByteBuffer.allocate(0),
						buffer(2_000, !direct).put(data, 9, 2_000).flip() };
				ByteBuffer out = ByteBuffer.allocateDirect(MemoryConnection.PACKET);
				assertThat(connection.server.write(buffers, 0, 3, out)).isEqualTo(2_009);
				assertThat(TlsRecords.count(out.flip())).isOne();
				connection.toClient.compact().put(out).flip();
				assertThat(connection.clientReceives()).isEqualTo(data);
			}
		}
	}

	@ParameterizedTest
	@MethodSource("enginesAndVersions")
	void whenSmallBufferPrecedesALargeOneThenRecordsAreFilled(Engine engine, String version) throws Exception {
		try (TlsContext context = engine.create(Engine.host("p256"));
				MemoryConnection connection = MemoryConnection.of(context, version).handshake()) {
			connection.clientReceives();
			byte[] data = data(9 + 2 * MAX_PLAINTEXT);
			for (boolean direct : new boolean[] { true, false }) {
				connection.serverSends(buffer(9, !direct).put(data, 0, 9).flip(),
						buffer(data.length, direct).put(data, 9, data.length - 9).flip());
				assertThat(TlsRecords.count(connection.toClient)).isEqualTo(3);
				assertThat(connection.clientReceives()).isEqualTo(data);
			}
		}
	}

	@ParameterizedTest
	@MethodSource("enginesAndVersions")
	void whenThereIsNoRoomThenNothingIsEncrypted(Engine engine, String version) throws Exception {
		try (TlsContext context = engine.create(Engine.host("p256"));
				MemoryConnection connection = MemoryConnection.of(context, version).handshake()) {
			connection.clientReceives();
			for (boolean direct : new boolean[] { true, false }) {
				ByteBuffer data = buffer(100, direct);
				ByteBuffer out = ByteBuffer.allocateDirect(1_000);
				assertThat(connection.server.write(new ByteBuffer[] { data }, 0, 1, out)).isZero();
				assertThat(data.remaining()).isEqualTo(100);
				assertThat(out.position()).isZero();
			}
			assertExchanges(connection, 10);
		}
	}

	// After a handshake of TLS 1.3, Java's client has no more to say than that
	@ParameterizedTest
	@EnumSource
	void whenClientUpdatesItsKeysThenServerAnswersAndGoesOn(Engine engine) throws Exception {
		try (TlsContext context = engine.create(Engine.host("p256"));
				MemoryConnection connection = MemoryConnection.of(context, "TLSv1.3").handshake()) {
			connection.clientReceives();
			for (int room : new int[] { MAX_PLAINTEXT, 1 }) {
				for (boolean direct : new boolean[] { true, false }) {
					connection.client.beginHandshake();
					connection.clientSends(new byte[] { 1 });
					int records = TlsRecords.count(connection.toServer);
					assertThat(records).isEqualTo(2);
					ByteBuffer target = buffer(room, direct);
					assertThat(connection.server.read(connection.toServer, target)).isZero();
					assertThat(connection.server.hasData()).isFalse();
					// OpenSSL answers when it has data to send
					int answers = TlsRecords.count(connection.drain());
					connection.clientReceives();
					assertThat(connection.server.read(connection.toServer, target)).isOne();
					connection.serverSends(ByteBuffer.wrap(new byte[] { 2 }));
					assertThat(answers + TlsRecords.count(connection.toClient)).isEqualTo(2);
					assertThat(connection.clientReceives()).containsExactly(2);
					assertExchanges(connection, 1_000);
				}
			}
		}
	}

	@ParameterizedTest
	@MethodSource("enginesAndVersions")
	@Timeout(60)
	void whenTwoThreadsReadAndWriteAtOnceThenBothGoOn(Engine engine, String version) throws Exception {
		try (TlsContext context = engine.create(Engine.host("p256"));
				MemoryConnection connection = MemoryConnection.of(context, version).handshake()) {
			connection.clientReceives();
			byte[] data = data(200_000);
			for (int i = 0; i < data.length; i += 1_000) {
				connection.clientSends(Arrays.copyOfRange(data, i, i + 1_000));
			}
			CompletableFuture<byte[]> reading = CompletableFuture.supplyAsync(() -> {
				try {
					return connection.serverReceives(ByteBuffer.allocate(99));
				}
				catch (SSLException ex) {
					throw new CompletionException(ex);
				}
			});
			for (int i = 0; i < data.length; i += 1_000) {
				connection.serverSends(ByteBuffer.wrap(data, i, 1_000));
			}
			assertThat(reading.join()).isEqualTo(data);
			assertThat(connection.clientReceives()).isEqualTo(data);
		}
	}

	// It answers with records of 512 bytes, whose headers take more room
	@ParameterizedTest
	@MethodSource("enginesAndVersions")
	@Timeout(60)
	void whenClientAsksForSmallRecordsThenGetsAllData(Engine engine, String version) throws Exception {
		byte[] data = data(100 * 1024);
		for (int i = 0; i < data.length; i++) {
			data[i] = (byte) ('a' + (data[i] & 0xF));
		}
		try (ServerSocketChannel port = ServerSocketChannel.open();
				TlsContext context = engine.create(Engine.host("p256"))) {
			port.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
			Process client = new ProcessBuilder("openssl", "s_client", "-connect",
					"127.0.0.1:" + port.socket().getLocalPort(), "-maxfraglen", "512", "-quiet", "-no_ign_eof",
					"-" + version.replace("v", "").replace('.', '_').toLowerCase(Locale.ROOT))
				.redirectError(ProcessBuilder.Redirect.DISCARD)
				.start();
			try (SocketChannel socket = port.accept();
					TlsSession session = context.newSession(List.of(), List.of(), RefusalListener.NONE);
					InputStream output = client.getInputStream()) {
				shakeHands(session, socket);
				int most = 0;
				ByteBuffer[] buffers = { ByteBuffer.wrap(data, 0, 50_000),
						ByteBuffer.allocateDirect(data.length - 50_000)
							.put(data, 50_000, data.length - 50_000)
							.flip() };
				while (buffers[1].hasRemaining()) {
					ByteBuffer out = ByteBuffer.allocateDirect(40 * 1024);
					assertThat(session.write(buffers, 0, 2, out)).isPositive();
					most = Math.max(most, TlsRecords.length(out.flip(), 0));
					while (out.hasRemaining()) {
						socket.write(out);
					}
				}
				assertThat(output.readNBytes(data.length)).isEqualTo(data);
				assertThat(most).isLessThan(600);
			}
			finally {
				client.destroy();
				client.waitFor();
			}
		}
	}

	private static void shakeHands(TlsSession session, SocketChannel socket) throws Exception {
		ByteBuffer in = ByteBuffer.allocateDirect(MemoryConnection.PACKET);
		Progress progress;
		do {
			ByteBuffer out = ByteBuffer.allocateDirect(MemoryConnection.PACKET);
			in.flip();
			progress = session.handshake(in, out);
			boolean more = TlsRecords.size(in) > 0;
			in.compact();
			out.flip();
			while (out.hasRemaining()) {
				socket.write(out);
			}
			if (progress == Progress.NEEDS_RECORD && !more) {
				assertThat(socket.read(in)).isPositive();
			}
		}
		while (progress != Progress.DONE);
	}

	@ParameterizedTest
	@MethodSource("enginesAndVersions")
	void whenClientEndsThenSessionIsShutDown(Engine engine, String version) throws Exception {
		try (TlsContext context = engine.create(Engine.host("p256"));
				MemoryConnection connection = MemoryConnection.of(context, version).handshake()) {
			connection.clientSends(new byte[] { 1 });
			connection.clientEnds();
			ByteBuffer target = ByteBuffer.allocate(10);
			assertThat(connection.server.read(connection.toServer, target)).isOne();
			assertThat(connection.server.isShutdown()).isFalse();
			assertThat(connection.server.read(connection.toServer, target)).isZero();
			assertThat(connection.server.isShutdown()).isTrue();
			assertThat(connection.server.hasData()).isFalse();
			// What the server still has for the client may be sent
			if (version.equals("TLSv1.3")) {
				connection.serverSends(ByteBuffer.wrap(new byte[] { 2 }));
				assertThat(connection.clientReceives()).containsExactly(2);
			}
			connection.server.shutdown();
			connection.drain();
			connection.clientReceives();
			assertThat(connection.client.isInboundDone()).isTrue();
		}
	}

	@ParameterizedTest
	@MethodSource("enginesAndVersions")
	void whenServerEndsThenClientIsTold(Engine engine, String version) throws Exception {
		try (TlsContext context = engine.create(Engine.host("p256"));
				MemoryConnection connection = MemoryConnection.of(context, version).handshake()) {
			connection.clientReceives();
			connection.server.shutdown();
			assertThat(TlsRecords.count(connection.drain())).isOne();
			assertThat(connection.drain().hasRemaining()).as("said once").isFalse();
			assertThat(connection.client.isInboundDone()).isFalse();
			assertThat(connection.clientReceives()).isEmpty();
			assertThat(connection.client.isInboundDone()).isTrue();
			assertThat(connection.server.isShutdown()).isFalse();
			connection.clientEnds();
			connection.serverReceives(ByteBuffer.allocate(10));
			assertThat(connection.server.isShutdown()).isTrue();
		}
	}

	static Stream<Arguments> invalidRecords() {
		byte[] wrong = TlsBytes.record(TlsBytes.APPLICATION_DATA, new byte[64]);
		byte[] http = "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII);
		return enginesAndVersions().map(Arguments::get)
			.flatMap((one) -> Stream.of(wrong, TlsRecords.TOO_LONG, http)
				.flatMap((bad) -> Stream.of(100, MAX_PLAINTEXT)
					.map((room) -> Arguments.of(one[0], one[1], new String(bad, StandardCharsets.ISO_8859_1), room))));
	}

	// As where another thread writes, while the one that reads has met a bad record
	@ParameterizedTest
	@MethodSource("invalidRecords")
	void whenRecordIsInvalidThenFailsAndOneAlertIsLeftToSend(Engine engine, String version, String bad, int room)
			throws Exception {
		try (TlsContext context = engine.create(Engine.host("p256"));
				MemoryConnection connection = MemoryConnection.of(context, version).handshake()) {
			connection.clientReceives();
			MemoryConnection.append(connection.toServer, bad.getBytes(StandardCharsets.ISO_8859_1));
			assertThatExceptionOfType(SSLException.class)
				.isThrownBy(() -> connection.server.read(connection.toServer, ByteBuffer.allocate(room)));
			if (engine == Engine.JSSE && bad.startsWith("GET")) {
				// JSSE waits for the rest of what it takes for a record
				return;
			}
			assertThat(TlsRecords.count(connection.drain())).isOne();
			assertThat(connection.drain().hasRemaining()).as("sent once").isFalse();
			assertThatExceptionOfType(SSLException.class).isThrownBy(connection::clientReceives)
				.withMessageContaining("Received fatal alert");
		}
	}

	@ParameterizedTest
	@MethodSource("enginesAndVersions")
	void whenClientSendsAFatalAlertThenReadingFails(Engine engine, String version) throws Exception {
		try (TlsContext context = engine.create(Engine.host("p256"));
				MemoryConnection connection = MemoryConnection.of(context, version).handshake()) {
			connection.clientReceives();
			// Which the client answers with an alert
			MemoryConnection.append(connection.toClient, TlsBytes.record(TlsBytes.APPLICATION_DATA, new byte[64]));
			assertThatExceptionOfType(SSLException.class).isThrownBy(connection::clientReceives);
			connection.clientEnds();
			assertThatExceptionOfType(SSLException.class)
				.isThrownBy(() -> connection.server.read(connection.toServer, ByteBuffer.allocate(100)));
			assertThat(connection.drain().hasRemaining()).isFalse();
		}
	}

	@ParameterizedTest
	@MethodSource("enginesAndVersions")
	void whenThereIsNoCommonCipherSuiteThenAlertIsSent(Engine engine, String version) throws Exception {
		try (TlsContext context = engine.create(Engine.host("p256"));
				MemoryConnection connection = MemoryConnection.of(context, version)) {
			connection.client.setEnabledCipherSuites(new String[] { version.equals("TLSv1.3")
					? "TLS_CHACHA20_POLY1305_SHA256" : "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256" });
			assertFailsWithAlert(connection);
		}
	}

	@ParameterizedTest
	@MethodSource("enginesAndVersions")
	void whenClientSendsNoTlsThenAlertIsSentAndNothingIsRead(Engine engine, String version) throws Exception {
		try (TlsContext context = engine.create(Engine.host("p256"));
				MemoryConnection connection = MemoryConnection.of(context, version)) {
			MemoryConnection.append(connection.toServer, "GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
			assertThatExceptionOfType(SSLException.class).isThrownBy(() -> connection.server
				.handshake(connection.toServer, ByteBuffer.allocateDirect(MemoryConnection.PACKET)));
			assertThat(TlsRecords.count(connection.drain())).isLessThanOrEqualTo(1);
		}
	}

	private static void assertFailsWithAlert(MemoryConnection connection) throws SSLException {
		assertThatExceptionOfType(SSLException.class).isThrownBy(connection::handshake);
		ByteBuffer drained = connection.drain();
		assertThat(TlsRecords.count(drained)).isOne();
		assertThat(connection.drain().hasRemaining()).as("sent once").isFalse();
		assertThatExceptionOfType(SSLException.class).isThrownBy(connection::clientReceives)
			.withMessageContaining("Received fatal alert");
	}

	@ParameterizedTest
	@MethodSource("enginesAndVersions")
	void whenContextIsClosedThenItsSessionsGoOn(Engine engine, String version) throws Exception {
		TlsContext context = engine.create(Engine.host("p256"));
		try (MemoryConnection complete = MemoryConnection.of(context, version).handshake();
				MemoryConnection begun = MemoryConnection.of(context, version)) {
			context.close();
			try (TlsSession another = context.newSession(List.of(), List.of(), RefusalListener.NONE)) {
				assertThat(another).isNull();
			}
			context.close();
			if (engine == Engine.OPENSSL) {
				assertThat(NativeMemory.contexts()).isEqualTo(1);
			}
			begun.handshake();
			assertExchanges(complete, 1_000);
			assertExchanges(begun, 1_000);
			begun.server.close();
			assertExchanges(complete, 1_000);
		}
		assertThat(NativeMemory.contexts()).isZero();
		assertThat(context.newSession(List.of(), List.of(), RefusalListener.NONE)).isNull();
	}

	@Test
	void whenSessionIsClosedThenItIsSafeToCall() throws Exception {
		try (TlsContext context = Engine.OPENSSL.create(Engine.host("p256"))) {
			MemoryConnection connection = MemoryConnection.of(context, "TLSv1.3").handshake();
			connection.close();
			connection.close();
			assertThatExceptionOfType(SSLException.class)
				.isThrownBy(() -> connection.serverSends(ByteBuffer.allocate(1)));
			assertThatExceptionOfType(SSLException.class)
				.isThrownBy(() -> connection.server.read(connection.toServer, ByteBuffer.allocate(1)));
			assertThatExceptionOfType(SSLException.class)
				.isThrownBy(() -> connection.server.handshake(connection.toServer, ByteBuffer.allocateDirect(1)));
			connection.server.shutdown();
			assertThat(connection.drain().hasRemaining()).isFalse();
			assertThat(connection.server.applicationProtocol()).isNull();
			assertThat(connection.server.peerCertificates()).isEmpty();
			assertThat(connection.server.id()).isEmpty();
		}
	}

	// With all groups, of which some have large key shares
	@ParameterizedTest
	@MethodSource("enginesAndVersions")
	void whenClientIsOpenSslThenBothExchangeData(Engine engine, String version) throws Exception {
		try (OpenSslContext clients = OpenSslContext.ofClient(List.of(ProtocolVersion.of(version)),
				TlsEngine.openSsl().capabilities().groups());
				TlsContext context = engine.create(Engine.host("rsa"));
				TlsSession client = clients.newSession(List.of(), List.of(), RefusalListener.NONE);
				TlsSession server = context.newSession(List.of(), List.of(), RefusalListener.NONE)) {
			ByteBuffer toServer = ByteBuffer.allocateDirect(1 << 17).limit(0);
			ByteBuffer toClient = ByteBuffer.allocateDirect(1 << 17).limit(0);
			boolean clientDone = false;
			boolean serverDone = false;
			for (int i = 0; !clientDone || !serverDone; i++) {
				assertThat(i).isLessThan(50);
				clientDone = step(client, toClient, toServer, clientDone);
				serverDone = step(server, toServer, toClient, serverDone);
			}
			byte[] data = data(30_000);
			ByteBuffer out = ByteBuffer.allocateDirect(1 << 17);
			assertThat(client.write(new ByteBuffer[] { ByteBuffer.wrap(data) }, 0, 1, out)).isEqualTo(30_000);
			ByteBuffer target = ByteBuffer.allocate(30_000);
			out.flip();
			while (out.hasRemaining()) {
				server.read(out, target);
			}
			assertThat(target.array()).isEqualTo(data);
		}
	}

	private static boolean step(TlsSession session, ByteBuffer in, ByteBuffer out, boolean done) throws SSLException {
		if (done) {
			return true;
		}
		out.compact();
		boolean complete = session.handshake(in, out) == Progress.DONE;
		out.flip();
		return complete;
	}

	private static MemoryConnection connect(TlsContext context, SSLEngine client) {
		return new MemoryConnection(context.newSession(List.of(), List.of(), RefusalListener.NONE), client);
	}

	private static MemoryConnection verified(TlsContext context, String version, String certificate,
			List<Exception> told) throws Exception {
		TlsSession session = context.newSession(List.of(), List.of(), (X509Certificate[] chain, Exception cause) -> {
			assertThat(chain).containsExactly(Engine.certificate("other-client"));
			told.add(cause);
		});
		return new MemoryConnection(session, client(version, certificate));
	}

	private static SSLEngine client(String version, String certificate) throws Exception {
		SSLEngine client = MemoryConnection.newContext(certificate).createSSLEngine("localhost", 443);
		client.setEnabledProtocols(new String[] { version });
		return client;
	}

	private static byte[] data(int length) {
		byte[] data = new byte[length];
		new Random(length).nextBytes(data);
		return data;
	}

	private static ByteBuffer buffer(int size, boolean direct) {
		return direct ? ByteBuffer.allocateDirect(size) : ByteBuffer.allocate(size);
	}

	/**
	 * Has a client offer no other signatures than those whose name starts with a text.
	 */
	private record OnlySignatures(String start) implements AlgorithmConstraints {

		private static final List<String> SIGNATURES = List.of("rsa_", "ecdsa_", "ed25519", "ed448", "dsa_");

		@Override
		public boolean permits(Set<CryptoPrimitive> primitives, String algorithm, AlgorithmParameters parameters) {
			return SIGNATURES.stream().noneMatch(algorithm::startsWith) || algorithm.startsWith(this.start);
		}

		@Override
		public boolean permits(Set<CryptoPrimitive> primitives, Key key) {
			return true;
		}

		@Override
		public boolean permits(Set<CryptoPrimitive> primitives, String algorithm, Key key,
				AlgorithmParameters parameters) {
			return true;
		}

	}

}
