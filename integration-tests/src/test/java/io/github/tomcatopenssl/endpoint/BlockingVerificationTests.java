// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

import javax.net.ssl.SSLSocket;

import io.github.tomcatopenssl.test.AbstractTlsServerTests;
import io.github.tomcatopenssl.test.JavaClient;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TestServer.Engine;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.JRE;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.context.annotation.Configuration;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that verifications that block hold up no other client.
 */
class BlockingVerificationTests extends AbstractTlsServerTests {

	/**
	 * More than processors and workers.
	 */
	private static final int BLOCKED = Math.max(32, 4 * Runtime.getRuntime().availableProcessors());

	private static final int OTHERS = 21;

	private static final Duration LIMIT = Duration.ofMillis(100);

	BlockingVerificationTests() {
		super(WebApplicationType.SERVLET);
	}

	@ParameterizedTest
	@EnumSource
	void whenRespondersAreSilentThenOthersAreServed(Engine engine) throws Exception {
		serveOthers(engine, "server.tomcat.threads.max=2", "server.tomcat.threads.min-spare=1");
	}

	@ParameterizedTest
	@EnumSource
	@EnabledForJreRange(min = JRE.JAVA_21)
	@Tag("java21")
	void whenRespondersAreSilentThenOthersAreServedByVirtualThreads(Engine engine) throws Exception {
		serveOthers(engine, "spring.threads.virtual.enabled=true");
	}

	private void serveOthers(Engine engine, String... threads) throws Exception {
		List<Socket> asked = new CopyOnWriteArrayList<>();
		try (ServerSocket responder = new ServerSocket(0, BLOCKED, InetAddress.getLoopbackAddress());
				TestServer server = start(ThreadNames.class, engine, with(with(pem("p256"), threads),
						"client-auth=want", "ca-certificate-file=" + file("ca.crt"), "ocsp-enabled=true"))) {
			CompletableFuture.runAsync(() -> acceptAll(responder, asked), (task) -> new Thread(task).start());
			String name = "silent-" + responder.getLocalPort();
			certificates().issue("ca", name,
					"extendedKeyUsage=clientAuth\nauthorityInfoAccess=OCSP;URI:http://127.0.0.1:"
							+ responder.getLocalPort(),
					"20250101000000Z", "20980101000000Z");
			JavaClient others = new JavaClient("p256.crt");
			Duration before = median(others, server);
			JavaClient.Managers managers = JavaClient.managers(name, "p256.crt");
			List<SSLSocket> blocked = new ArrayList<>();
			for (int i = 0; i < BLOCKED; i++) {
				SSLSocket socket = new JavaClient(managers).connect(server.port());
				blocked.add(socket);
				new Thread(() -> handshake(socket)).start();
			}
			Awaitility.await().atMost(Duration.ofSeconds(14)).until(() -> asked.size() >= BLOCKED);
			Duration after = median(others, server);
			assertThat(asked).hasSizeGreaterThanOrEqualTo(BLOCKED);
			assertThat(after).isLessThan((before.compareTo(LIMIT.dividedBy(3)) > 0) ? before.multipliedBy(3) : LIMIT);
			for (SSLSocket socket : blocked) {
				socket.close();
			}
			close(asked);
		}
		finally {
			close(asked);
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenClientIsVerifiedThenItsRequestRunsOnAThreadOfTomcat(Engine engine) throws Exception {
		try (TestServer server = start(ThreadNames.class, engine,
				with(pem("p256"), "client-auth=need", "ca-certificate-file=" + file("ca.crt")))) {
			JavaClient.Managers managers = JavaClient.managers("client", "p256.crt");
			for (int i = 0; i < 10; i++) {
				assertThat(new JavaClient(managers).get(server.port(), "/thread")).contains("-exec-");
			}
		}
	}

	private static void acceptAll(ServerSocket responder, List<Socket> asked) {
		try {
			while (true) {
				asked.add(responder.accept());
			}
		}
		catch (IOException ex) {
			// The test has ended
		}
	}

	private static void handshake(SSLSocket socket) {
		try {
			socket.startHandshake();
		}
		catch (IOException ex) {
			// As expected at the end
		}
	}

	private static void close(List<Socket> sockets) throws IOException {
		for (Socket socket : sockets) {
			socket.close();
		}
	}

	private static Duration median(JavaClient client, TestServer server) throws IOException {
		List<Duration> durations = new ArrayList<>();
		for (int i = 0; i < OTHERS; i++) {
			Instant begin = Instant.now();
			assertThat(client.get(server.port(), "/hello")).endsWith("hello");
			durations.add(Duration.between(begin, Instant.now()));
		}
		return durations.stream().sorted().skip(OTHERS / 2).findFirst().orElseThrow();
	}

	@Configuration(proxyBeanMethods = false)
	@RestController
	static class ThreadNames {

		@GetMapping("/thread")
		String name() {
			return Thread.currentThread().getName();
		}

	}

}
