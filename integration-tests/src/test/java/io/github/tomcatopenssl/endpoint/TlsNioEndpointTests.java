// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLSocket;

import io.github.tomcatopenssl.test.AbstractTlsServerTests;
import io.github.tomcatopenssl.test.Http;
import io.github.tomcatopenssl.test.JavaClient;
import io.github.tomcatopenssl.test.TestCertificates;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TestServer.Engine;
import io.github.tomcatopenssl.test.tls.Outcome;
import io.github.tomcatopenssl.test.tls.RawTlsClient;
import io.github.tomcatopenssl.test.tls.TlsVersion;
import org.apache.coyote.AbstractProtocol;
import org.apache.tomcat.util.net.AbstractEndpoint;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.tomcat.TomcatConnectorCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.test.util.ReflectionTestUtils;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of how handshakes continue, and of the settings of the endpoint.
 */
@Tag("jdk")
class TlsNioEndpointTests extends AbstractTlsServerTests {

	TlsNioEndpointTests() {
		super(WebApplicationType.SERVLET);
	}

	@Test
	void whenHandshakeEndsThenTicketsAreWrittenByTheWorkerThatReadsItsLastMessage() throws Exception {
		try (TestServer server = start(CountedTurns.class, Engine.OPENSSL, pem("p256"));
				Socket connection = new Socket("localhost", server.port())) {
			completeHandshake(connection);
			Awaitility.await().until(() -> connection.getInputStream().available() > 0);
			// One where the client's last message comes before the first worker has ended
			assertThat(server.bean(CountedTurns.class).turns).hasValueBetween(1, 2);
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenHandshakeDoesNotFitIntoTheSendBufferThenItGoesOnWhenTheClientHasRead(Engine engine) throws Exception {
		try (TestServer server = start(SmallSendBuffer.class, engine, with(pem("p256"), "client-auth=want",
				"ca-certificate-file=" + manyAuthorities(), "enabled-protocols=TLSv1.3"));
				Socket connection = new Socket()) {
			connection.setReceiveBufferSize(4096);
			connection.connect(new InetSocketAddress("localhost", server.port()));
			try (SSLSocket client = new JavaClient("p256.crt").connect(connection)) {
				assertThat(JavaClient.get(client, "/hello")).endsWith("hello");
			}
		}
	}

	// Each engine has a direct buffer, which it frees together with its native memory
	@Test
	void whenHandshakesAreAbortedThenTheirEnginesAreFreedAtOnce() throws Exception {
		try (TestServer server = start(Engine.OPENSSL, pem("p256"))) {
			abortHandshakes(server, 50);
			long before = directBuffers();
			abortHandshakes(server, 500);
			Awaitility.await().untilAsserted(() -> assertThat(directBuffers() - before).isLessThan(50));
		}
	}

	// Tomcat itself leaves one of some thousand open for good
	@ParameterizedTest
	@EnumSource
	void whenHttp2ConnectionHasFailedThenItIsClosed(Engine engine) throws Exception {
		try (TestServer server = start(engine, with(pem("p256"), "server.http2.enabled=true"));
				RawTlsClient client = TlsVersion.TLS_1_3.connect(server.port(), Http.H2)) {
			client.completeHandshake();
			client.send(client.request());
			assertThat(client.answers(1).answers()).isOne();
			AbstractEndpoint<?, ?> endpoint = ReflectionTestUtils
				.invokeMethod(server.connectors().get(0).getProtocolHandler(), "getEndpoint");
			assertThat(endpoint.getConnections()).singleElement()
				.satisfies((connection) -> connection.setError(new IOException("It has failed")));
			assertThat(client.outcome()).matches(Outcome::isClosed, "is closed");
			Awaitility.await().until(() -> endpoint.getConnections().isEmpty());
		}
	}

	// Tomcat itself leaves the asynchronous requests of a connection that it closes
	@ParameterizedTest
	@EnumSource
	void whenHttp2ConnectionHasFailedThenItsAsynchronousRequestsEnd(Engine engine) throws Exception {
		try (TestServer server = start(SilentEvents.class, engine, with(pem("p256"), "server.http2.enabled=true"))) {
			HttpClient client = HttpClient.newBuilder().sslContext(certificates().trusting("p256.crt")).build();
			client.sendAsync(
					HttpRequest.newBuilder(URI.create("https://localhost:%d/silent".formatted(server.port()))).build(),
					BodyHandlers.discarding());
			SilentEvents events = server.bean(SilentEvents.class);
			Awaitility.await().until(() -> events.open.get() == 1);
			AbstractEndpoint<?, ?> endpoint = ReflectionTestUtils
				.invokeMethod(server.connectors().get(0).getProtocolHandler(), "getEndpoint");
			endpoint.getConnections().iterator().next().setError(new IOException("It has failed"));
			Awaitility.await().until(() -> events.open.get() == 0);
		}
	}

	private void abortHandshakes(TestServer server, int count) throws Exception {
		for (int i = 0; i < count; i++) {
			try (Socket connection = new Socket("localhost", server.port())) {
				SSLEngine client = certificates().trusting("p256.crt").createSSLEngine("localhost", server.port());
				client.setUseClientMode(true);
				ByteBuffer hello = ByteBuffer.allocate(client.getSession().getPacketBufferSize());
				client.wrap(ByteBuffer.allocate(0), hello);
				send(connection, hello);
				assertThat(connection.getInputStream().read()).isPositive();
			}
		}
	}

	private static long directBuffers() {
		return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)
			.stream()
			.filter((pool) -> pool.getName().equals("direct"))
			.mapToLong(BufferPoolMXBean::getCount)
			.sum();
	}

	// Their names, which the server sends, are longer than what OpenSSL and Tomcat buffer
	private String manyAuthorities() {
		TestCertificates certificates = certificates();
		String name = "x".repeat(60);
		List<String> files = IntStream.range(0, 100).mapToObj((i) -> "authority-%d.crt".formatted(i)).toList();
		for (String file : files) {
			certificates.openssl("req", "-x509", "-key", "ca.key", "-days", "30", "-subj",
					"/CN=%s/O=%s/OU=%s/OU=%s".formatted(file, name, name, name), "-out", file);
		}
		certificates.join("authorities.crt", files.toArray(String[]::new));
		return file("authorities.crt");
	}

	// Sends what it has to say at once, unlike SSLSocket: a write for each turn
	private void completeHandshake(Socket connection) throws Exception {
		connection.setSoTimeout(30_000);
		SSLEngine client = certificates().trusting("p256.crt").createSSLEngine("localhost", connection.getPort());
		client.setUseClientMode(true);
		ByteBuffer in = ByteBuffer.allocate(client.getSession().getPacketBufferSize()).flip();
		ByteBuffer out = ByteBuffer.allocate(4 * client.getSession().getPacketBufferSize());
		ByteBuffer plain = ByteBuffer.allocate(client.getSession().getApplicationBufferSize());
		client.beginHandshake();
		while (client.getHandshakeStatus() != HandshakeStatus.NOT_HANDSHAKING) {
			switch (client.getHandshakeStatus()) {
				case NEED_TASK -> client.getDelegatedTask().run();
				case NEED_WRAP -> assertThat(client.wrap(plain.clear(), out).getStatus()).isEqualTo(Status.OK);
				default -> {
					if (client.unwrap(in, plain.clear()).getStatus() == Status.BUFFER_UNDERFLOW) {
						send(connection, out);
						in.compact();
						int read = connection.getInputStream().read(in.array(), in.position(), in.remaining());
						in.position(in.position() + read);
						in.flip();
					}
				}
			}
		}
		send(connection, out);
	}

	private static void send(Socket connection, ByteBuffer out) throws IOException {
		connection.getOutputStream().write(out.array(), 0, out.position());
		out.clear();
	}

	@Configuration(proxyBeanMethods = false)
	static class CountedTurns implements Executor, AutoCloseable {

		private final AtomicInteger turns = new AtomicInteger();

		private final ExecutorService threads = Executors.newCachedThreadPool();

		@Bean
		TomcatConnectorCustomizer executorCustomizer() {
			return (connector) -> ((AbstractProtocol<?>) connector.getProtocolHandler()).setExecutor(this);
		}

		@Override
		public void execute(Runnable command) {
			this.turns.incrementAndGet();
			this.threads.execute(command);
		}

		@Override
		public void close() {
			this.threads.shutdown();
		}

	}

	@RestController
	static class SilentEvents {

		private final AtomicInteger open = new AtomicInteger();

		@GetMapping("/silent")
		SseEmitter silent() {
			SseEmitter emitter = new SseEmitter(0L);
			emitter.onError((ex) -> this.open.decrementAndGet());
			this.open.incrementAndGet();
			return emitter;
		}

	}

	@Configuration(proxyBeanMethods = false)
	static class SmallSendBuffer {

		@Bean
		TomcatConnectorCustomizer sendBufferCustomizer() {
			return (connector) -> connector.setProperty("socket.txBufSize", "4096");
		}

	}

}
