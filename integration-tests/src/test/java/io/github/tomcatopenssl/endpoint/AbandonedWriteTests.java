// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import javax.net.ssl.SSLSocket;

import io.github.tomcatopenssl.test.AbstractTlsServerTests;
import io.github.tomcatopenssl.test.JavaClient;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TestServer.Engine;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.tomcat.TomcatConnectorCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.ResponseBodyEmitter;
import org.springframework.web.servlet.mvc.method.annotation.StreamingResponseBody;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that a thread of the application that still waits to write when a timeout ends
 * its request neither writes to another connection nor gets data of another one. Spring
 * keeps such a thread away from Tomcat's response. With a plain {@code AsyncContext}, it
 * can write to a response that Tomcat has reused, whatever the channel.
 */
class AbandonedWriteTests extends AbstractTlsServerTests {

	private static final int CLIENTS = 8;

	private static final byte ABANDONED = 'A';

	private static final byte OTHER = 'o';

	private static final int LENGTH = 300_000;

	AbandonedWriteTests() {
		super(WebApplicationType.SERVLET);
	}

	static List<Arguments> ways() {
		List<Arguments> ways = new ArrayList<>();
		for (Engine engine : Engine.values()) {
			for (String path : List.of("/streaming", "/emitter")) {
				ways.add(Arguments.of(engine, path));
			}
		}
		return ways;
	}

	@ParameterizedTest
	@MethodSource("ways")
	void whenTimeoutEndsARequestThenItsThreadReachesNobodyElse(Engine engine, String path) throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
		try (TestServer server = start(Answers.class, engine,
				with(pem("p256"), "spring.mvc.async.request-timeout=200ms", "server.tomcat.connection-timeout=3s"))) {
			List<Future<?>> clients = new ArrayList<>();
			for (int i = 0; i < CLIENTS; i++) {
				clients.add(threads.submit(() -> {
					abandon(server.port(), path);
					return null;
				}));
			}
			JavaClient good = new JavaClient("p256.crt");
			long end = System.nanoTime() + Duration.ofSeconds(3).toNanos();
			while (System.nanoTime() < end) {
				try (SSLSocket socket = good.connect(server.port())) {
					String response = JavaClient.get(socket, "/other");
					assertThat(response.substring(response.indexOf("\r\n\r\n") + 4)).hasSize(LENGTH)
						.containsPattern("\\Ao+\\z");
				}
			}
			for (Future<?> client : clients) {
				client.get();
			}
		}
		finally {
			threads.shutdownNow();
		}
	}

	// Reads nothing until the timeout has passed, then all there is, and asks again
	private static void abandon(int port, String path) throws Exception {
		Socket connection = new Socket();
		connection.setReceiveBufferSize(4096);
		connection.connect(new InetSocketAddress("localhost", port));
		try (SSLSocket socket = new JavaClient("p256.crt").connect(connection)) {
			JavaClient.send(socket, path, "keep-alive");
			Thread.sleep(1500);
			ByteArrayOutputStream received = new ByteArrayOutputStream();
			try {
				JavaClient.send(socket, "/hello", "keep-alive");
				socket.setSoTimeout(2500);
				socket.getInputStream().transferTo(received);
			}
			catch (SocketTimeoutException ex) {
				// It is still open
			}
			catch (IOException ex) {
				// Ended by the server
			}
			assertThat(received.toString(StandardCharsets.ISO_8859_1)).doesNotContainPattern("o{5}");
		}
	}

	private static byte[] filled(byte value, int length) {
		byte[] content = new byte[length];
		Arrays.fill(content, value);
		return content;
	}

	@Configuration(proxyBeanMethods = false)
	static class Answers {

		@Bean
		AnswersController answersController() {
			return new AnswersController();
		}

		@Bean
		TomcatConnectorCustomizer sendBufferCustomizer() {
			return (connector) -> connector.setProperty("socket.txBufSize", "8192");
		}

	}

	@RestController
	static class AnswersController {

		@GetMapping("/other")
		byte[] other() {
			return filled(OTHER, LENGTH);
		}

		@GetMapping("/streaming")
		ResponseEntity<StreamingResponseBody> streaming() {
			return ResponseEntity.ok((out) -> {
				for (int i = 0; i < 60; i++) {
					out.write(filled(ABANDONED, 20_000));
					out.flush();
				}
			});
		}

		@GetMapping("/emitter")
		ResponseBodyEmitter emitter() {
			ResponseBodyEmitter emitter = new ResponseBodyEmitter();
			new Thread(() -> {
				try {
					for (int i = 0; i < 60; i++) {
						emitter.send(filled(ABANDONED, 20_000));
					}
				}
				catch (IOException | IllegalStateException ex) {
					emitter.completeWithError(ex);
				}
			}).start();
			return emitter;
		}

	}

}
