// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import io.github.tomcatopenssl.internal.engine.Engine;
import io.github.tomcatopenssl.test.Http;
import io.github.tomcatopenssl.test.tls.Outcome;
import io.github.tomcatopenssl.test.tls.RawClientHello;
import io.github.tomcatopenssl.test.tls.RawTlsClient;
import io.github.tomcatopenssl.test.tls.TlsBytes;
import io.github.tomcatopenssl.test.tls.TlsVersion;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static io.github.tomcatopenssl.test.tls.TlsBytes.vector;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

/**
 * Tests for {@link LingeringSockets}.
 */
class LingeringSocketsTests extends AbstractEngineTests {

	private static final int MANY = 1010;

	private static final byte[] CLOSE_NOTIFY = TlsBytes.record(TlsBytes.ALERT, TlsBytes.alert(1, 0));

	private static final String LAST_REQUEST = "GET /hello HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

	private static final String OLD_REQUEST = "GET /hello HTTP/1.0\r\n\r\n";

	private static final String BAD_REQUEST = "GET /hello\0 HTTP/1.1\r\nHost: localhost\r\n\r\n";

	@ParameterizedTest
	@CsvSource({ "OPENSSL, TLS_1_2, 1.1", "OPENSSL, TLS_1_3, 1.1", "OPENSSL, TLS_1_3, 1.0", "OPENSSL, TLS_1_3, 400",
			"JSSE, TLS_1_2, 1.1", "JSSE, TLS_1_3, 1.1", "JSSE, TLS_1_3, 1.0", "JSSE, TLS_1_3, 400" })
	void whenServerClosesFirstThenClientCanStillFinish(Engine engine, TlsVersion version, String request)
			throws Exception {
		for (int i = 0; i < 10; i++) {
			try (RawTlsClient client = end(engine, version, request)) {
				assertCanSend(client);
			}
		}
		assertThat(server(engine).endpoint().getConnections()).isEmpty();
	}

	private RawTlsClient end(Engine engine, TlsVersion version, String request) throws IOException {
		RawTlsClient client = version.connect(port(engine), Http.HTTP_1_1);
		client.completeHandshake();
		String text = switch (request) {
			case "1.0" -> OLD_REQUEST;
			case "400" -> BAD_REQUEST;
			default -> LAST_REQUEST;
		};
		client.send(client.seal(TlsBytes.APPLICATION_DATA, ascii(text)));
		Outcome outcome = client.outcome();
		assertThat(outcome.isClosed()).isTrue();
		assertThat(outcome.alert()).isPresent();
		return client;
	}

	// The first bytes after a close make TCP reset the connection, and the next ones find
	// it out
	private static void assertCanSend(RawTlsClient client) throws IOException {
		send(client, CLOSE_NOTIFY);
		send(client, CLOSE_NOTIFY);
	}

	private static void send(RawTlsClient client, byte[] data) throws IOException {
		client.socket().getOutputStream().write(data);
	}

	@ParameterizedTest
	@EnumSource
	void whenHandshakeIsRefusedThenClientThatSendsMoreGetsTheAlert(Engine engine) throws Exception {
		byte[] unknown = vector(2, vector(1, ascii("unknown")));
		try (RawTlsClient client = TlsVersion.TLS_1_3.connect(port(engine), Http.HTTP_1_1)) {
			client.send(client.hello().extension(RawClientHello.ALPN, unknown).record(), new byte[200_000]);
			assertThat(client.outcome().alert()).isPresent();
			assertCanSend(client);
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenClientNeverFinishesThenSocketIsClosedSoon(Engine engine) throws Exception {
		try (RawTlsClient client = end(engine, TlsVersion.TLS_1_3, "1.1")) {
			Awaitility.await()
				.atMost(Duration.ofSeconds(8))
				.untilAsserted(() -> assertThatIOException().isThrownBy(() -> send(client, new byte[1])));
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenClientSendsEndlesslyThenSocketIsClosed(Engine engine) throws Exception {
		try (RawTlsClient client = end(engine, TlsVersion.TLS_1_3, "1.1")) {
			byte[] much = new byte[64 * 1024];
			assertThatIOException().isThrownBy(() -> {
				for (int i = 0; i < 1000; i++) {
					send(client, much);
				}
			});
		}
	}

	@Test
	void whenThereAreTooManyThenTheOldestAreClosed() throws Exception {
		LingeringSockets lingering = new LingeringSockets();
		List<SocketChannel> clients = new ArrayList<>();
		List<SocketChannel> sockets = new ArrayList<>();
		try (ServerSocketChannel server = ServerSocketChannel.open()) {
			new Thread(lingering).start();
			server.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
			for (int i = 0; i < MANY; i++) {
				clients.add(SocketChannel.open(server.getLocalAddress()));
				SocketChannel socket = server.accept();
				socket.configureBlocking(false);
				sockets.add(socket);
				lingering.close(socket);
			}
			Awaitility.await()
				.atMost(Duration.ofSeconds(4))
				.until(() -> sockets.stream().filter(SocketChannel::isOpen).count() <= 1_000);
		}
		finally {
			lingering.stop();
			for (SocketChannel client : clients) {
				client.close();
			}
		}
		Awaitility.await().until(() -> sockets.stream().noneMatch(SocketChannel::isOpen));
	}

	@ParameterizedTest
	@EnumSource
	void whenServerStopsThenItDoesNotWait(Engine engine) throws Exception {
		ConnectorServer server = new ConnectorServer(engine).start();
		try (RawTlsClient client = TlsVersion.TLS_1_3.connect(server.port(), Http.HTTP_1_1)) {
			client.completeHandshake();
			client.send(client.seal(TlsBytes.APPLICATION_DATA, ascii(LAST_REQUEST)));
			assertThat(client.outcome().isClosed()).isTrue();
			server.close();
			Awaitility.await()
				.atMost(Duration.ofSeconds(1))
				.untilAsserted(() -> assertThatIOException().isThrownBy(() -> send(client, new byte[1])));
		}
	}

	private static byte[] ascii(String text) {
		return text.getBytes(StandardCharsets.US_ASCII);
	}

}
