// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import io.github.tomcatopenssl.test.AbstractTlsServerTests;
import io.github.tomcatopenssl.test.FreePorts;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TestServer.Engine;
import io.github.tomcatopenssl.test.TlsClient;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.WebApplicationType;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of client certificates that are checked by OCSP, with OpenSSL's responder.
 */
@Tag("jdk")
class OcspTests extends AbstractTlsServerTests {

	OcspTests() {
		super(WebApplicationType.SERVLET);
	}

	@ParameterizedTest
	@EnumSource
	void whenOcspIsEnabledThenAsksTheResponder(Engine engine) throws Exception {
		int port = FreePorts.next();
		issue(engine + "-good", port);
		issue(engine + "-revoked", port);
		certificates().revoke("ca", engine + "-revoked");
		String[] settings = with(pem("p256"), "client-auth=need", "ca-certificate-file=" + file("ca.crt"));
		try (TestServer strict = start(engine, with(settings, "ocsp-enabled=true"));
				TestServer lenient = start(engine, with(settings, "ocsp-enabled=true", "ocsp-soft-fail=true"))) {
			Process responder = startResponder(port);
			try {
				for (TestServer server : List.of(strict, lenient)) {
					assertThat(connectAs(server, engine + "-good", "-tls1_3").isServed()).isTrue();
					assertThat(connectAs(server, engine + "-revoked", "-tls1_3").isServed()).isFalse();
					assertThat(connectAs(server, engine + "-revoked", "-tls1_2").isServed()).isFalse();
				}
			}
			finally {
				responder.destroyForcibly().waitFor();
			}
			assertThat(connectAs(strict, engine + "-good", "-tls1_3").isServed()).isFalse();
			assertThat(connectAs(lenient, engine + "-good", "-tls1_3").isServed()).isTrue();
		}
		try (TestServer server = start(engine, settings)) {
			assertThat(connectAs(server, engine + "-good", "-tls1_3").isServed()).isTrue();
		}
	}

	/**
	 * A stop must not wait for the responder, nor destroy a context under the thread that
	 * does, which would crash this JVM.
	 */
	@ParameterizedTest
	@EnumSource
	void whenResponderHangsThenStopDoesNotWaitForIt(Engine engine) throws Exception {
		try (ServerSocket responder = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
			String name = engine + "-waiting";
			issue(name, responder.getLocalPort());
			TestServer server = start(engine, with(pem("p256"), "client-auth=need",
					"ca-certificate-file=" + file("ca.crt"), "ocsp-enabled=true"));
			CompletableFuture<Boolean> served = CompletableFuture
				.supplyAsync(() -> connectAs(server, name, "-tls1_3").isServed());
			try (Socket asked = responder.accept()) {
				assertThat(asked.getInputStream().read()).isPositive();
				Instant begin = Instant.now();
				server.stop();
				assertThat(Duration.between(begin, Instant.now())).isLessThan(Duration.ofSeconds(12));
				System.gc();
			}
			assertThat(served.get(30, TimeUnit.SECONDS)).isFalse();
			server.close();
			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.until(() -> Thread.getAllStackTraces()
					.keySet()
					.stream()
					.noneMatch((thread) -> thread.getName().contains("-verify-")));
			System.gc();
			try (TestServer next = start(engine, pem("p256"))) {
				assertThat(TlsClient.connect(next.port()).isServed()).isTrue();
			}
		}
	}

	private void issue(String name, int port) {
		certificates().issue("ca", name,
				"extendedKeyUsage=clientAuth\nauthorityInfoAccess=OCSP;URI:http://127.0.0.1:" + port, "20250101000000Z",
				"20980101000000Z");
	}

	// It would end at a connection that asks nothing
	private Process startResponder(int port) throws IOException {
		Path log = certificates().write("ocsp.log", "");
		Process responder = new ProcessBuilder("openssl", "ocsp", "-port", String.valueOf(port), "-index",
				file("ca.index"), "-CA", file("ca.crt"), "-rsigner", file("ca.crt"), "-rkey", file("ca.key"))
			.redirectErrorStream(true)
			.redirectOutput(log.toFile())
			.start();
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.until(() -> Files.readString(log).contains("waiting for OCSP client connections"));
		return responder;
	}

}
