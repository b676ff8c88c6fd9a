// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.BufferedInputStream;
import java.io.DataInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.Security;
import java.security.cert.CertificateFactory;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManagerFactory;

import io.github.tomcatopenssl.test.AbstractTlsServerTests;
import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TestServer.Engine;
import jakarta.servlet.ServletContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import jakarta.websocket.DeploymentException;
import jakarta.websocket.Endpoint;
import jakarta.websocket.EndpointConfig;
import jakarta.websocket.MessageHandler;
import jakarta.websocket.Session;
import jakarta.websocket.server.ServerContainer;
import jakarta.websocket.server.ServerEndpointConfig;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.WebApplicationType;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests with Java's client of connections that encrypt more than it allows for one key.
 * Until the server answers, it sends a KeyUpdate for each record that it receives.
 */
@Tag("forked")
class KeyLimitTests extends AbstractTlsServerTests {

	private static final String LIMITS = "AES/GCM/NoPadding KeyUpdate 2^22";

	private static final int BYTES = 64 << 20;

	private static final int MESSAGE = 8000;

	private static final int MESSAGES = 4_000;

	KeyLimitTests() {
		super(WebApplicationType.SERVLET);
	}

	@ParameterizedTest
	@EnumSource
	void whenClientReachesItsKeyLimitThenIsServed(Engine engine) throws Exception {
		try (TestServer server = start(LimitConfiguration.class, engine, with(pem("p256"), "server.http2.enabled=true",
				"server.tomcat.connection-timeout=10s", "server.tomcat.keep-alive-timeout=10s"))) {
			// It decrypts much, which the second compiler makes fast
			Commands.Result result = Commands.run("", Commands.java(Client.class, List.of("-XX:TieredStopAtLevel=4"),
					List.of("" + server.port(), file("p256.crt"))));
			assertThat(result.output()).contains("HTTP/1.1 is served", "HTTP/2 is served", "WebSocket is served");
			assertThat(result.status()).isZero();
		}
	}

	@Configuration(proxyBeanMethods = false)
	static class LimitConfiguration {

		@Bean
		LimitController limitController() {
			return new LimitController();
		}

		@Bean
		SmartInitializingSingleton endpoint(ServletContext context) {
			return () -> {
				try {
					((ServerContainer) context.getAttribute(ServerContainer.class.getName()))
						.addEndpoint(ServerEndpointConfig.Builder.create(PushingEndpoint.class, "/pushed").build());
				}
				catch (DeploymentException ex) {
					throw new IllegalStateException(ex);
				}
			};
		}

	}

	@RestController
	static class LimitController {

		@GetMapping("/bytes")
		void bytes(@RequestParam int length, HttpServletRequest request, HttpServletResponse response)
				throws IOException {
			response.setHeader("Connection-Id", request.getServletConnection().getConnectionId());
			response.setContentLength(length);
			OutputStream out = response.getOutputStream();
			byte[] bytes = new byte[1 << 14];
			for (int sent = 0; sent < length; sent += bytes.length) {
				out.write(bytes);
			}
		}

		@PostMapping("/count")
		void count(HttpServletRequest request, HttpServletResponse response) throws IOException {
			response.setHeader("Connection-Id", request.getServletConnection().getConnectionId());
			long count = request.getInputStream().transferTo(OutputStream.nullOutputStream());
			byte[] body = ("" + count).getBytes(StandardCharsets.US_ASCII);
			response.setContentLength(body.length);
			response.getOutputStream().write(body);
		}

	}

	/**
	 * Sends messages when it is asked to.
	 */
	public static final class PushingEndpoint extends Endpoint {

		@Override
		public void onOpen(Session session, EndpointConfig config) {
			session.addMessageHandler(new MessageHandler.Whole<String>() {

				@Override
				public void onMessage(String message) {
					new Thread(() -> push(session)).start();
				}

			});
		}

		private static void push(Session session) {
			try {
				for (int i = 0; i < MESSAGES; i++) {
					session.getBasicRemote().sendBinary(ByteBuffer.allocate(MESSAGE));
				}
			}
			catch (IOException ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

	/**
	 * The client, whose limit is the same for all connections of a JVM.
	 */
	public static final class Client {

		private Client() {
		}

		public static void main(String[] arguments) throws Exception {
			Security.setProperty("jdk.tls.keyLimits", LIMITS);
			SSLContext context = trusting(Path.of(arguments[1]));
			URI server = URI.create("https://localhost:%s/".formatted(arguments[0]));
			requestHttp1(context, server.getPort());
			System.out.println("HTTP/1.1 is served");
			HttpClient client = HttpClient.newBuilder().sslContext(context).build();
			requestHttp2(client, server);
			System.out.println("HTTP/2 is served");
			receive(client, URI.create("wss://localhost:%s/pushed".formatted(arguments[0])));
			System.out.println("WebSocket is served");
			System.exit(0);
		}

		private static void requestHttp1(SSLContext context, int port) throws Exception {
			try (SSLSocket socket = (SSLSocket) context.getSocketFactory().createSocket("localhost", port)) {
				socket.setSoTimeout(30_000);
				DataInputStream in = new DataInputStream(new BufferedInputStream(socket.getInputStream()));
				send(socket, "GET /bytes?length=%d HTTP/1.1\r\nHost: localhost\r\n\r\n".formatted(BYTES));
				assertThat(body(in)).hasSize(BYTES);
				send(socket, "POST /count HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n".formatted(BYTES));
				socket.getOutputStream().write(new byte[BYTES]);
				assertThat(new String(body(in), StandardCharsets.US_ASCII)).isEqualTo("" + BYTES);
			}
		}

		private static void send(SSLSocket socket, String head) throws IOException {
			socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
		}

		@SuppressWarnings("deprecation")
		private static byte[] body(DataInputStream in) throws IOException {
			int length = -1;
			for (String line = in.readLine(); !line.isEmpty(); line = in.readLine()) {
				if (line.startsWith("Content-Length: ")) {
					length = Integer.parseInt(line.substring(16));
				}
			}
			return in.readNBytes(length);
		}

		private static void requestHttp2(HttpClient client, URI server) throws Exception {
			HttpResponse<byte[]> got = client.send(
					HttpRequest.newBuilder(server.resolve("bytes?length=" + BYTES)).build(),
					BodyHandlers.ofByteArray());
			assertThat(got.version()).isEqualTo(Version.HTTP_2);
			assertThat(got.body()).hasSize(BYTES);
			HttpResponse<String> posted = client.send(HttpRequest.newBuilder(server.resolve("count"))
				.POST(BodyPublishers.ofByteArray(new byte[BYTES]))
				.build(), BodyHandlers.ofString());
			assertThat(posted.body()).isEqualTo("" + BYTES);
			assertThat(posted.headers().firstValue("Connection-Id"))
				.isEqualTo(got.headers().firstValue("Connection-Id"));
		}

		private static void receive(HttpClient client, URI uri) throws Exception {
			CompletableFuture<Void> all = new CompletableFuture<>();
			WebSocket socket = client.newWebSocketBuilder().buildAsync(uri, new WebSocket.Listener() {

				private long received;

				@Override
				public CompletionStage<?> onBinary(WebSocket webSocket, ByteBuffer data, boolean last) {
					this.received += data.remaining();
					if (this.received == (long) MESSAGES * MESSAGE) {
						all.complete(null);
					}
					webSocket.request(1);
					return null;
				}

				@Override
				public CompletionStage<?> onClose(WebSocket webSocket, int status, String reason) {
					all.completeExceptionally(new IOException("closed after " + this.received));
					return null;
				}

				@Override
				public void onError(WebSocket webSocket, Throwable error) {
					all.completeExceptionally(error);
				}

			}).get(30, TimeUnit.SECONDS);
			socket.sendText("go", true);
			all.get(60, TimeUnit.SECONDS);
		}

		private static SSLContext trusting(Path certificate) throws Exception {
			KeyStore trusted = KeyStore.getInstance("PKCS12");
			trusted.load(null, null);
			try (InputStream in = Files.newInputStream(certificate)) {
				trusted.setCertificateEntry("server", CertificateFactory.getInstance("X.509").generateCertificate(in));
			}
			TrustManagerFactory trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
			trust.init(trusted);
			SSLContext context = SSLContext.getInstance("TLS");
			context.init(null, trust.getTrustManagers(), null);
			return context;
		}

	}

}
