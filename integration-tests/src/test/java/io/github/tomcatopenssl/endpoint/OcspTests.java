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
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.tomcatopenssl.endpoint.OcspResponder.Answer;
import io.github.tomcatopenssl.test.AbstractTlsServerTests;
import io.github.tomcatopenssl.test.FreePorts;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TestServer.Engine;
import io.github.tomcatopenssl.test.TlsClient;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
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

	/**
	 * The rows of the manual's table.
	 */
	private static final Map<String, Set<Answer>> ROWS = Map.of("the responder says that the certificate is good",
			EnumSet.of(Answer.GOOD), "the responder says that the certificate is revoked",
			EnumSet.of(Answer.REVOKED, Answer.REVOKED_STALE), "the certificate names no responder",
			EnumSet.of(Answer.NO_RESPONDER),
			"the responder cannot be reached, or answers with an HTTP error or with something else than OCSP",
			EnumSet.of(Answer.UNREACHABLE, Answer.NOT_FOUND, Answer.NO_OCSP, Answer.EMPTY),
			"the responder answers `internalError` or `tryLater`", EnumSet.of(Answer.INTERNAL_ERROR, Answer.TRY_LATER),
			"the responder answers `unauthorized`, `malformedRequest` or `sigRequired`",
			EnumSet.of(Answer.UNAUTHORIZED, Answer.MALFORMED_REQUEST, Answer.SIGNATURE_REQUIRED),
			"the responder does not know the certificate (`unknown`)", EnumSet.of(Answer.UNKNOWN),
			"the answer is out of date, not valid yet, about another certificate, or not signed by the CA",
			EnumSet.of(Answer.STALE, Answer.WITHOUT_NEXT_UPDATE, Answer.EARLY, Answer.ABOUT_ANOTHER,
					Answer.SIGNED_BY_ANOTHER),
			"the responder accepts the connection but does not answer", EnumSet.of(Answer.SILENT));

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
	 * The manual's table says who is served.
	 */
	@ParameterizedTest
	@EnumSource
	void whenResponderAnswersThenClientsAreServedAsTheTableSays(Engine engine) throws Exception {
		Map<String, List<String>> table = table();
		assertThat(table.keySet()).containsExactlyInAnyOrderElementsOf(ROWS.keySet());
		String[] settings = with(pem("p256"), "client-auth=need", "ca-certificate-file=" + file("ca.crt"),
				"ocsp-enabled=true");
		ExecutorService executor = Executors.newCachedThreadPool();
		try (OcspResponder responder = new OcspResponder(certificates());
				TestServer strict = start(engine, settings);
				TestServer lenient = start(engine, with(settings, "ocsp-soft-fail=true"));
				TestServer patient = start(engine, with(settings, "ocsp-soft-fail=true", "handshake-timeout=20s"))) {
			Map<Answer, List<CompletableFuture<Boolean>>> served = new EnumMap<>(Answer.class);
			for (Answer answer : Answer.values()) {
				String name = engine + "-" + answer;
				issue(name, responder.url(answer));
				served.put(answer,
						Stream.of(strict, lenient, patient)
							.map((server) -> CompletableFuture
								.supplyAsync(() -> connectAs(server, name, "-tls1_3").isServed(), executor))
							.toList());
			}
			assertThat(served.get(Answer.SILENT).get(2).join()).as("with a longer timeout").isTrue();
			ROWS.forEach((row, answers) -> answers.forEach((answer) -> {
				for (int i = 0; i < 2; i++) {
					assertThat(served.get(answer).get(i).join()).as(row + ", " + answer + ", column " + (i + 1))
						.isEqualTo(isServed(table.get(row).get(i)));
				}
			}));
		}
		finally {
			executor.shutdownNow();
		}
	}

	private static Map<String, List<String>> table() throws IOException {
		String page = Files.readString(Path.of("../docs/certificates.md"));
		String table = page.substring(page.indexOf("| what happens | by default | with `ocsp-soft-fail: true` |"));
		return table.substring(0, table.indexOf("\n\n"))
			.lines()
			.skip(2)
			.map((line) -> line.substring(2, line.length() - 2).split(" \\| "))
			.collect(Collectors.toMap((cells) -> cells[0], (cells) -> List.of(cells[1], cells[2])));
	}

	private static boolean isServed(String cell) {
		String outcome = cell.replace("*", "");
		assertThat(outcome).matches("(served|refused)( after 15 seconds)?");
		return outcome.startsWith("served");
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
		issue(name, "http://127.0.0.1:" + port);
	}

	private void issue(String name, @Nullable String responder) {
		String named = (responder != null) ? "\nauthorityInfoAccess=OCSP;URI:" + responder : "";
		certificates().issue("ca", name, "extendedKeyUsage=clientAuth" + named, "20250101000000Z", "20980101000000Z");
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
