// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpClient.Version;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.SSLSocket;

import io.github.tomcatopenssl.internal.engine.Engine;
import io.github.tomcatopenssl.test.Http;
import io.github.tomcatopenssl.test.TestCertificates;
import io.github.tomcatopenssl.test.tls.RawTlsClient;
import io.github.tomcatopenssl.test.tls.TlsBytes;
import io.github.tomcatopenssl.test.tls.TlsVersion;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests with real clients of connections that OpenSSL serves.
 */
@Tag("jdk")
@Tag("servers")
class TrafficTests {

	private static final int MEGABYTE = 1 << 20;

	@TempDir
	private Path folder;

	private static ConnectorServer start() {
		return new ConnectorServer(Engine.OPENSSL).http2()
			.answer("/echo",
					(request, response) -> response.getOutputStream().write(request.getInputStream().readAllBytes()))
			.answer("/bytes", TrafficTests::answer)
			.answer("/mirrored", (request, response) -> request.getInputStream().transferTo(response.getOutputStream()))
			.answer("/streamed", TrafficTests::stream)
			.answer("/file", TrafficTests::sendFile)
			.start();
	}

	private static void answer(HttpServletRequest request, HttpServletResponse response) throws IOException {
		int length = Integer.parseInt(request.getParameter("length"));
		response.setContentLength(length);
		response.getOutputStream().write(bytes(Integer.parseInt(request.getParameter("seed")), length));
	}

	private static void stream(HttpServletRequest request, HttpServletResponse response) {
		AsyncContext context = request.startAsync();
		context.start(() -> {
			try {
				Files.copy(Path.of(request.getParameter("name")), response.getOutputStream());
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
			context.complete();
		});
	}

	private static void sendFile(HttpServletRequest request, HttpServletResponse response) throws IOException {
		String name = request.getParameter("name");
		if (Boolean.TRUE.equals(request.getAttribute("org.apache.tomcat.sendfile.support"))) {
			request.setAttribute("org.apache.tomcat.sendfile.filename", name);
			request.setAttribute("org.apache.tomcat.sendfile.start", 0L);
			request.setAttribute("org.apache.tomcat.sendfile.end", Files.size(Path.of(name)));
			response.setContentLengthLong(Files.size(Path.of(name)));
			return;
		}
		Files.copy(Path.of(name), response.getOutputStream());
	}

	@Test
	void whenThereAreManyStreamsThenEachGetsItsOwn() throws Exception {
		try (ConnectorServer server = start()) {
			HttpClient client = client();
			byte[] body = bytes(1, MEGABYTE);
			assertThat(client.send(post(server, "/echo", body), BodyHandlers.ofByteArray()).body()).isEqualTo(body);
			for (int round = 0; round < 3; round++) {
				List<CompletableFuture<Void>> streams = new ArrayList<>();
				for (int i = 0; i < 100; i++) {
					int length = (i % 10 == 0) ? MEGABYTE / 2 : 300 * i;
					byte[] expected = bytes(i, length);
					HttpRequest request = HttpRequest
						.newBuilder(uri(server, "/bytes?seed=%d&length=%d".formatted(i, length)))
						.build();
					streams.add(client.sendAsync(request, BodyHandlers.ofByteArray()).thenAccept((response) -> {
						assertThat(response.version()).isEqualTo(Version.HTTP_2);
						assertThat(response.body()).isEqualTo(expected);
					}));
				}
				CompletableFuture.allOf(streams.toArray(CompletableFuture[]::new)).get(60, TimeUnit.SECONDS);
			}
		}
	}

	@Test
	void whenClientExpectsContinueThenSendsItsBody() throws Exception {
		try (ConnectorServer server = start()) {
			byte[] body = bytes(1, 5 * MEGABYTE);
			HttpRequest request = HttpRequest.newBuilder(uri(server, "/echo"))
				.expectContinue(true)
				.version(Version.HTTP_1_1)
				.POST(BodyPublishers.ofByteArray(body))
				.build();
			assertThat(client().send(request, BodyHandlers.ofByteArray()).body()).isEqualTo(body);
		}
	}

	@Test
	void whenAnswersAreAsynchronousOrFilesThenArriveWhole() throws Exception {
		byte[] content = bytes(2, 3 * MEGABYTE + 17);
		Path file = Files.write(this.folder.resolve("file"), content);
		for (boolean sendfile : new boolean[] { true, false }) {
			try (ConnectorServer server = start()) {
				server.connector().setProperty("useSendfile", Boolean.toString(sendfile));
				for (Version version : Version.values()) {
					for (String path : List.of("/file?name=" + file, "/streamed?name=" + file)) {
						HttpRequest request = HttpRequest.newBuilder(uri(server, path)).version(version).build();
						HttpResponse<byte[]> response = client().send(request, BodyHandlers.ofByteArray());
						assertThat(response.body()).as("%s %s %s", path, version, sendfile).isEqualTo(content);
					}
				}
			}
		}
	}

	@Test
	void whenClientsDoNotReadThenOthersAreServedAndTheyGetAllInTheEnd() throws Exception {
		try (ConnectorServer server = start()) {
			int length = 10 * MEGABYTE;
			List<SSLSocket> stalled = new ArrayList<>();
			for (int i = 0; i < 20; i++) {
				SSLSocket socket = connect(server);
				stalled.add(socket);
				socket.getOutputStream()
					.write(("GET /bytes?seed=%d&length=%d HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
						.formatted(i, length)
						.getBytes(StandardCharsets.US_ASCII));
			}
			for (int i = 0; i < 50; i++) {
				byte[] body = bytes(i, 1000 * i);
				assertThat(client().send(post(server, "/echo", body), BodyHandlers.ofByteArray()).body())
					.isEqualTo(body);
			}
			for (int i = 0; i < stalled.size(); i++) {
				try (SSLSocket socket = stalled.get(i)) {
					byte[] all = socket.getInputStream().readAllBytes();
					assertThat(Arrays.copyOfRange(all, all.length - length, all.length)).isEqualTo(bytes(i, length));
				}
			}
		}
	}

	@Test
	void whenClientsSendWithoutReadingAndLeaveThenNothingIsLeft() throws Exception {
		try (ConnectorServer server = start()) {
			byte[] request = "POST /mirrored HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n"
				.formatted(10 * MEGABYTE)
				.getBytes(StandardCharsets.US_ASCII);
			for (int i = 0; i < 5; i++) {
				RawTlsClient client = TlsVersion.TLS_1_3.connect(server.port(), Http.HTTP_1_1);
				client.completeHandshake();
				client.send(client.seal(TlsBytes.APPLICATION_DATA, request));
				CompletableFuture<Void> sender = CompletableFuture.runAsync(() -> {
					try {
						for (int sent = 0; sent < 10 * MEGABYTE; sent += 1 << 14) {
							client.send(client.seal(TlsBytes.APPLICATION_DATA, new byte[1 << 14]));
						}
					}
					catch (IOException ex) {
						throw new UncheckedIOException(ex);
					}
				});
				Thread.sleep(300);
				client.close();
				sender.get(30, TimeUnit.SECONDS);
			}
			Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> server.protocol().getConnectionCount() <= 1);
			assertServes(server);
		}
	}

	@Test
	void whenClientSendsBytesOneByOneThenIsServed() throws Exception {
		try (ConnectorServer server = start()) {
			for (TlsVersion version : TlsVersion.values()) {
				try (RawTlsClient client = version.connect(server.port(), Http.HTTP_1_1)) {
					client.completeHandshake();
					for (byte one : TlsBytes.concat(client.request(), client.request())) {
						client.send(new byte[] { one });
					}
					assertThat(client.answers(2).answers()).isEqualTo(2);
				}
			}
		}
	}

	private void assertServes(ConnectorServer server) throws Exception {
		assertThat(client().send(post(server, "/echo", bytes(3, 100)), BodyHandlers.ofByteArray()).body())
			.isEqualTo(bytes(3, 100));
	}

	private HttpClient client() throws Exception {
		return HttpClient.newBuilder().sslContext(TestCertificates.get().trusting("p256.crt")).build();
	}

	private SSLSocket connect(ConnectorServer server) throws Exception {
		Socket socket = new Socket();
		socket.setReceiveBufferSize(8192);
		socket.connect(new InetSocketAddress(InetAddress.getLoopbackAddress(), server.port()));
		SSLSocket secured = (SSLSocket) TestCertificates.get()
			.trusting("p256.crt")
			.getSocketFactory()
			.createSocket(socket, "localhost", server.port(), true);
		secured.setSoTimeout(30_000);
		secured.startHandshake();
		return secured;
	}

	private static URI uri(ConnectorServer server, String path) {
		return URI.create("https://localhost:%d%s".formatted(server.port(), path));
	}

	private static HttpRequest post(ConnectorServer server, String path, byte[] body) {
		return HttpRequest.newBuilder(uri(server, path)).POST(BodyPublishers.ofByteArray(body)).build();
	}

	private static byte[] bytes(int seed, int length) {
		byte[] bytes = new byte[length];
		new Random(seed).nextBytes(bytes);
		return bytes;
	}

}
