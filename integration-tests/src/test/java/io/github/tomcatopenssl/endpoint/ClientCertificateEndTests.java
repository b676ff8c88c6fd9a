// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

import io.github.tomcatopenssl.test.AbstractTlsServerTests;
import io.github.tomcatopenssl.test.InsistentKeyManager;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TestServer.Engine;
import io.github.tomcatopenssl.test.TlsClient;
import io.github.tomcatopenssl.test.TlsClient.Handshake;
import jakarta.servlet.ServletContext;
import jakarta.websocket.DeploymentException;
import jakarta.websocket.Endpoint;
import jakarta.websocket.EndpointConfig;
import jakarta.websocket.Session;
import jakarta.websocket.server.ServerContainer;
import jakarta.websocket.server.ServerEndpointConfig;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that neither a session nor a connection outlives the certificate of its client,
 * or its CA.
 */
class ClientCertificateEndTests extends AbstractTlsServerTests {

	private static final DateTimeFormatter DATE = DateTimeFormatter.ofPattern("yyyyMMddHHmmss'Z'")
		.withZone(ZoneOffset.UTC);

	private static final List<String> VERSIONS = List.of("TLSv1.2", "TLSv1.3");

	private static final int GOAWAY = 7;

	ClientCertificateEndTests() {
		super(WebApplicationType.SERVLET);
	}

	@ParameterizedTest
	@EnumSource
	void whenHostVerifiesClientsThenSessionIsNotResumed(Engine engine) {
		for (String clientAuth : List.of("need", "want")) {
			try (TestServer server = start(engine,
					with(pem("p256"), "client-auth=" + clientAuth, "ca-certificate-file=" + file("ca.crt")))) {
				for (String version : List.of("-tls1_2", "-tls1_3")) {
					String session = file("session-" + engine + version);
					String[] client = { version, "-cert", file("client.crt"), "-key", file("client.key") };
					assertThat(TlsClient.connect(server.port(), with(client, "-sess_out", session)).isServed())
						.isTrue();
					Handshake again = TlsClient.connect(server.port(), with(client, offering(session)));
					assertThat(again.isServed()).as(again.output()).isTrue();
					assertThat(again.output()).contains("New, TLSv1.").doesNotContain("Reused, ");
				}
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenCertificateOfClientExpiresThenItsSessionsAndConnectionsEnd(Engine engine) throws Exception {
		String name = engine + "-short";
		try (TestServer server = start(Services.class, engine, with(pem("p256"), "server.http2.enabled=true",
				"client-auth=need", "ca-certificate-file=" + file("ca.crt")))) {
			server.bean(Services.class).released = new CountDownLatch(1);
			Instant begin = Instant.now();
			for (String version : VERSIONS) {
				connect(client("client"), server, version, "http/1.1").close();
				session(server, "client", "-tls1_3");
			}
			// Long enough for what follows, on a slow machine as well
			Duration lifetime = Duration.between(begin, Instant.now()).multipliedBy(4).plusSeconds(3);
			Instant end = Instant.now().plus(lifetime).truncatedTo(ChronoUnit.SECONDS);
			certificates().issue("ca", name, "extendedKeyUsage=clientAuth", "20250101000000Z", DATE.format(end));
			SSLContext client = client(name);
			List<SSLSocket> busy = new ArrayList<>();
			List<SSLSocket> idle = new ArrayList<>();
			List<SSLSocket> http2 = new ArrayList<>();
			for (String version : VERSIONS) {
				busy.add(connect(client, server, version, "http/1.1"));
				idle.add(connect(client, server, version, "http/1.1"));
				http2.add(connect(client, server, version, "h2"));
			}
			CompletableFuture<Integer> webSocketCode = openWebSocket(client, server);
			for (SSLSocket socket : busy) {
				assertThat(get(socket)).endsWith("hello").doesNotContain("Connection: close");
				send(socket, "GET /hello HTTP/1.1\r\n");
			}
			for (SSLSocket socket : idle) {
				assertThat(get(socket)).endsWith("hello").doesNotContain("Connection: close");
			}
			for (SSLSocket socket : http2) {
				send(socket, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
				frame(socket, 4, 0, 0, new byte[0]);
				request(socket, 1, "/hello");
				assertThat(readUntil(socket, List.of("0:1"))).doesNotContain("7:0");
				request(socket, 3, "/wait");
			}
			for (String version : List.of("-tls1_2", "-tls1_3")) {
				assertThat(session(server, name, version, "-sess_out", file(name + version)).isServed()).isTrue();
			}
			assertThat(Instant.now()).isBefore(end);
			Awaitility.await()
				.pollInterval(Duration.ofMillis(100))
				.atMost(lifetime.plusSeconds(10))
				.until(() -> !Instant.now().isBefore(end));
			for (String version : List.of("-tls1_2", "-tls1_3")) {
				assertThat(session(server, name, version, offering(file(name + version))).isServed()).as("resumed")
					.isFalse();
			}
			for (SSLSocket socket : busy) {
				send(socket, "Host: localhost\r\n\r\n");
				assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
					.startsWith("HTTP/1.1 200")
					.contains("Connection: close")
					.endsWith("hello");
			}
			for (SSLSocket socket : http2) {
				assertThat(readUntil(socket, List.of("7:0"))).doesNotContain("0:3");
			}
			server.bean(Services.class).released.countDown();
			for (SSLSocket socket : http2) {
				assertThat(readUntil(socket, List.of("0:3"))).isNotEmpty();
			}
			for (SSLSocket socket : idle) {
				assertThat(socket.getInputStream().read()).isEqualTo(-1);
			}
			assertThat(webSocketCode.get(20, TimeUnit.SECONDS)).isEqualTo(1001);
			for (List<SSLSocket> sockets : List.of(busy, idle, http2)) {
				for (SSLSocket socket : sockets) {
					socket.close();
				}
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenReloadTakesCaAwayThenItsConnectionsEndAndOthersGoOn(Engine engine) throws Exception {
		Path cas = certificates().join("cas-" + engine + ".crt", "ca.crt", "other-ca.crt");
		try (TestServer server = start(engine, with(pem("p256"), "client-auth=need", "ca-certificate-file=" + cas))) {
			List<SSLSocket> kept = new ArrayList<>();
			List<SSLSocket> ended = new ArrayList<>();
			for (String version : VERSIONS) {
				kept.add(connect(client("client"), server, version, "http/1.1"));
				ended.add(connect(client("other-client"), server, version, "http/1.1"));
			}
			for (SSLSocket socket : ended) {
				assertThat(get(socket)).endsWith("hello").doesNotContain("Connection: close");
				send(socket, "GET /hello HTTP/1.1\r\n");
			}
			for (SSLSocket socket : kept) {
				assertThat(get(socket)).endsWith("hello").doesNotContain("Connection: close");
			}
			Path next = certificates().join("next-" + engine + ".crt", "ca.crt");
			Files.move(next, cas, StandardCopyOption.ATOMIC_MOVE);
			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.until(() -> !connectAs(server, "other-client", "-tls1_3").isServed());
			for (SSLSocket socket : ended) {
				send(socket, "Host: localhost\r\n\r\n");
				assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
					.startsWith("HTTP/1.1 200")
					.contains("Connection: close");
				socket.close();
			}
			for (SSLSocket socket : kept) {
				assertThat(get(socket)).endsWith("hello").doesNotContain("Connection: close");
				socket.close();
			}
		}
	}

	@Test
	void whenLastRequestOpensWebSocketThenItIsToldAsWell() throws Exception {
		Path cas = certificates().join("cas-socket.crt", "ca.crt", "other-ca.crt");
		try (TestServer server = start(Services.class, Engine.OPENSSL,
				with(pem("p256"), "client-auth=need", "ca-certificate-file=" + cas));
				SSLSocket socket = connect(client("other-client"), server, "TLSv1.3", "http/1.1")) {
			send(socket, "GET /socket HTTP/1.1\r\n");
			Files.move(certificates().join("next-socket.crt", "ca.crt"), cas, StandardCopyOption.ATOMIC_MOVE);
			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.until(() -> !connectAs(server, "other-client", "-tls1_3").isServed());
			send(socket, "Host: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
					+ "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n");
			byte[] received = socket.getInputStream().readAllBytes();
			// A frame with the close code 1001
			assertThat(new String(received, StandardCharsets.ISO_8859_1)).startsWith("HTTP/1.1 101")
				.contains("\r\n\r\n\u0088")
				.contains("\u0003\u00e9");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenClientSendsWithoutPauseThenItsWebSocketEnds(Engine engine) throws Exception {
		Path cas = certificates().join("cas-busy-" + engine + ".crt", "ca.crt", "other-ca.crt");
		try (TestServer server = start(Services.class, engine,
				with(pem("p256"), "client-auth=need", "ca-certificate-file=" + cas));
				SSLSocket socket = connect(client("other-client"), server, "TLSv1.3", "http/1.1")) {
			send(socket, "GET /socket HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
					+ "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n");
			CompletableFuture<Void> sent = CompletableFuture.runAsync(() -> sendWithoutPause(socket));
			Files.move(certificates().join("next-busy-" + engine + ".crt", "ca.crt"), cas,
					StandardCopyOption.ATOMIC_MOVE);
			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.until(() -> !connectAs(server, "other-client", "-tls1_3").isServed());
			assertThat(sent).failsWithin(Duration.ofSeconds(15))
				.withThrowableThat()
				.withRootCauseInstanceOf(IOException.class);
		}
	}

	// Sends messages with the text "a"
	private static void sendWithoutPause(SSLSocket socket) {
		try {
			while (true) {
				socket.getOutputStream().write(new byte[] { (byte) 0x81, (byte) 0x81, 0, 0, 0, 0, 'a' });
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Test
	void whenHttp2ClientGoesOnAfterGoAwayThenItsRequestsEnd() throws Exception {
		Path cas = certificates().join("cas-ping.crt", "ca.crt", "other-ca.crt");
		try (TestServer server = start(Engine.OPENSSL,
				with(pem("p256"), "server.http2.enabled=true", "client-auth=need", "ca-certificate-file=" + cas));
				SSLSocket socket = connect(client("other-client"), server, "TLSv1.3", "h2")) {
			send(socket, "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
			frame(socket, 4, 0, 0, new byte[0]);
			request(socket, 1, "/hello");
			assertThat(readUntil(socket, List.of("0:1"))).contains("6:0");
			pause(10);
			frame(socket, 6, 1, 0, new byte[] { 0, 0, 0, 0, 0, 0, 0, 1 });
			Files.move(certificates().join("next-ping.crt", "ca.crt"), cas, StandardCopyOption.ATOMIC_MOVE);
			readUntil(socket, List.of("7:0"));
			request(socket, 3, "/hello");
			assertThat(data(socket, 3)).isEqualTo("hello");
			pause(6);
			request(socket, 5, "/hello");
			assertThat(data(socket, 5)).isEmpty();
		}
	}

	private static void pause(int seconds) {
		Instant begin = Instant.now();
		Awaitility.await()
			.atMost(Duration.ofSeconds(seconds + 5))
			.until(() -> Duration.between(begin, Instant.now()).toSeconds() >= seconds);
	}

	private Handshake session(TestServer server, String name, String version, String... session) {
		return TlsClient.connect(server.port(),
				with(session, version, "-cert", file(name + ".crt"), "-key", file(name + ".key")));
	}

	// OpenSSL gives a client of TLS 1.2 no session at all
	private static String[] offering(String session) {
		return Files.exists(Path.of(session)) ? new String[] { "-sess_in", session } : new String[0];
	}

	private static SSLContext client(String name) {
		return InsistentKeyManager.context(name, "p256.crt");
	}

	private static SSLSocket connect(SSLContext client, TestServer server, String version, String protocol)
			throws IOException {
		SSLSocket socket = (SSLSocket) client.getSocketFactory().createSocket("localhost", server.port());
		socket.setSoTimeout(30_000);
		SSLParameters parameters = socket.getSSLParameters();
		parameters.setProtocols(new String[] { version });
		parameters.setApplicationProtocols(new String[] { protocol });
		socket.setSSLParameters(parameters);
		socket.startHandshake();
		return socket;
	}

	private static void send(SSLSocket socket, String text) throws IOException {
		socket.getOutputStream().write(text.getBytes(StandardCharsets.US_ASCII));
	}

	private static String get(SSLSocket socket) throws IOException {
		send(socket, "GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n");
		StringBuilder response = new StringBuilder();
		while (!response.toString().endsWith("hello")) {
			int next = socket.getInputStream().read();
			assertThat(next).as(response.toString()).isNotEqualTo(-1);
			response.append((char) next);
		}
		return response.toString();
	}

	private static void request(SSLSocket socket, int stream, String path) throws IOException {
		ByteArrayOutputStream headers = new ByteArrayOutputStream();
		headers.write(0x82);
		headers.write(0x87);
		headers.write(0x04);
		headers.write(path.length());
		headers.writeBytes(path.getBytes(StandardCharsets.US_ASCII));
		headers.write(0x01);
		headers.write("localhost".length());
		headers.writeBytes("localhost".getBytes(StandardCharsets.US_ASCII));
		frame(socket, 1, 5, stream, headers.toByteArray());
	}

	private static void frame(SSLSocket socket, int type, int flags, int stream, byte[] payload) throws IOException {
		ByteArrayOutputStream frame = new ByteArrayOutputStream();
		frame.writeBytes(new byte[] { 0, 0, (byte) payload.length, (byte) type, (byte) flags, 0, 0, 0, (byte) stream });
		frame.writeBytes(payload);
		socket.getOutputStream().write(frame.toByteArray());
	}

	// Returns the frames as type:stream
	private static List<String> readUntil(SSLSocket socket, List<String> expected) throws IOException {
		List<String> frames = new ArrayList<>();
		DataInputStream in = new DataInputStream(socket.getInputStream());
		while (!frames.containsAll(expected)) {
			int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
			int type = in.readUnsignedByte();
			in.readUnsignedByte();
			frames.add(type + ":" + in.readInt());
			in.readNBytes(length);
			assertThat(type != GOAWAY || expected.contains("7:0")).as("GOAWAY").isTrue();
		}
		return frames;
	}

	private static String data(SSLSocket socket, int stream) throws IOException {
		DataInputStream in = new DataInputStream(socket.getInputStream());
		while (true) {
			int length = in.readUnsignedByte() << 16 | in.readUnsignedShort();
			int type = in.readUnsignedByte();
			in.readUnsignedByte();
			boolean found = in.readInt() == stream && type == 0;
			byte[] data = in.readNBytes(length);
			if (found) {
				return new String(data, StandardCharsets.US_ASCII);
			}
		}
	}

	private static CompletableFuture<Integer> openWebSocket(SSLContext client, TestServer server) {
		CompletableFuture<Integer> code = new CompletableFuture<>();
		HttpClient.newBuilder()
			.sslContext(client)
			.build()
			.newWebSocketBuilder()
			.buildAsync(URI.create("wss://localhost:" + server.port() + "/socket"), new WebSocket.Listener() {

				@Override
				public CompletionStage<?> onClose(WebSocket webSocket, int statusCode, String reason) {
					code.complete(statusCode);
					return null;
				}

				@Override
				public void onError(WebSocket webSocket, Throwable error) {
					code.completeExceptionally(error);
				}

			})
			.join();
		return code;
	}

	@Configuration(proxyBeanMethods = false)
	@RestController
	static class Services {

		private volatile CountDownLatch released = new CountDownLatch(0);

		@GetMapping("/wait")
		String waitForRelease() throws InterruptedException {
			this.released.await(30, TimeUnit.SECONDS);
			return "released";
		}

		@Bean
		SmartInitializingSingleton silentSocket(ServletContext servletContext) {
			return () -> {
				ServerContainer container = (ServerContainer) servletContext
					.getAttribute(ServerContainer.class.getName());
				try {
					container.addEndpoint(ServerEndpointConfig.Builder.create(SilentSocket.class, "/socket").build());
				}
				catch (DeploymentException ex) {
					throw new IllegalStateException(ex);
				}
			};
		}

	}

	/**
	 * Says nothing, and takes some time for each message.
	 */
	public static final class SilentSocket extends Endpoint {

		@Override
		public void onOpen(Session session, EndpointConfig config) {
			session.addMessageHandler(String.class,
					(message) -> LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10)));
		}

	}

}
