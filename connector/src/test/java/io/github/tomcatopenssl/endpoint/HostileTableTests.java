// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

import io.github.tomcatopenssl.internal.engine.Engine;
import io.github.tomcatopenssl.internal.engine.NativeMemory;
import io.github.tomcatopenssl.test.Http;
import io.github.tomcatopenssl.test.JavaClient;
import io.github.tomcatopenssl.test.TestCertificates;
import io.github.tomcatopenssl.test.TlsClient;
import io.github.tomcatopenssl.test.tls.Outcome;
import io.github.tomcatopenssl.test.tls.RawClientHello;
import io.github.tomcatopenssl.test.tls.RawTlsClient;
import io.github.tomcatopenssl.test.tls.Tls12Client;
import io.github.tomcatopenssl.test.tls.Tls13Client;
import io.github.tomcatopenssl.test.tls.TlsBytes;
import io.github.tomcatopenssl.test.tls.TlsVersion;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import static io.github.tomcatopenssl.test.tls.TlsBytes.ALERT;
import static io.github.tomcatopenssl.test.tls.TlsBytes.APPLICATION_DATA;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.params.provider.Arguments.argumentSet;

/**
 * Tests of each row of the manual's table of hostile clients.
 */
@Tag("jdk")
@Tag("servers")
class HostileTableTests {

	private static final int NO_RENEGOTIATION = 100;

	private static final int NO_APPLICATION_PROTOCOL = 120;

	private static final int LARGE = 1 << 20;

	private static final Duration PATIENCE = Duration.ofSeconds(10);

	private static final Map<String, Row> ROWS = new LinkedHashMap<>();

	static {
		row("sends bytes that are not a handshake, or fails the handshake in any way",
				"the end of the connection, with an alert if the engine has one", HostileTableTests::failHandshakes);
		row("speaks HTTP without TLS", "the status 400, and the end of the connection", HostileTableTests::speakHttp);
		row("closes TLS but not the socket (`close_notify`)",
				"`close_notify`, and the end of the connection; a pending response is sent first, except by JSSE with TLS 1.2, which ends both directions at once",
				HostileTableTests::closeTls);
		row("sends an empty record before a request",
				"the answer; from JSSE with TLS 1.3, an alert and the end of the connection",
				HostileTableTests::sendEmptyRecords);
		row("asks to renegotiate (TLS 1.2)",
				"from OpenSSL the alert `no_renegotiation`, and the connection goes on; from JSSE an alert, and the end of the connection",
				HostileTableTests::renegotiate);
		row("sends a bad record after the handshake", "the alert, and the end of the connection",
				HostileTableTests::sendBadRecords);
		row("announces a record that is too long, or sends a ClientHello that cannot be parsed",
				"the end of the connection, from OpenSSL always with an alert. JSSE reads more than 16 KB in a record",
				HostileTableTests::sendLongRecords);
		row("sends nothing, or very slowly", "the end of the connection after `server.ssl.handshake-timeout` (10 s)",
				HostileTableTests::sendNothing);
		row("offers only application protocols that the server does not speak, such as `h2` if HTTP/2 is off",
				"the alert `no_application_protocol` (RFC 7301). A client that offers only `http/1.0` gets a connection without an application protocol, and HTTP/1.0 works",
				HostileTableTests::offerOtherProtocols);
		row("sends a KeyUpdate for each record that it receives, as Java's client does when a key has reached its limit",
				"the response", HostileTableTests::updateKeys);
		row("sends certificates of more than 32 KB", "the alert, and the end of the connection",
				HostileTableTests::sendLongChain);
		row("aborts its handshakes again and again", "their memory is freed with their connections",
				HostileTableTests::abortHandshakes);
	}

	private static void row(String client, String reaction, Check check) {
		ROWS.put(client, new Row(reaction, check));
	}

	static List<Object> rows() {
		List<Object> arguments = new ArrayList<>();
		for (Engine engine : Engine.values()) {
			ROWS.keySet().forEach((client) -> arguments.add(argumentSet(engine + " " + client, engine, client)));
		}
		return arguments;
	}

	@ParameterizedTest
	@MethodSource("rows")
	void whenClientIsHostileThenItGetsWhatTheTableSays(Engine engine, String client) throws Exception {
		Map<String, String> table = table();
		assertThat(table.keySet()).containsExactlyInAnyOrderElementsOf(ROWS.keySet());
		assertThat(table).containsEntry(client, ROWS.get(client).reaction());
		try (ConnectorServer server = new ConnectorServer(engine).http2()
			.answer("/hello",
					(request, response) -> response.getWriter()
						.write("hello" + " ".repeat("large".equals(request.getHeader("Size")) ? LARGE : 0)))
			.start(ConnectorServer.settings(null, null, Duration.ofSeconds(3)))) {
			ROWS.get(client).check().run(engine, server);
			assertThat(new JavaClient("p256.crt").get(server.port(), "/hello")).contains("hello");
		}
	}

	private static Map<String, String> table() throws IOException {
		String page = Files.readString(Path.of("../docs/security-model.md"));
		String table = page.substring(page.indexOf("| if a client | the starter does this |"));
		return table.substring(0, table.indexOf("\n\n"))
			.lines()
			.skip(2)
			.map((line) -> line.substring(2, line.length() - 2).split(" \\| "))
			.collect(Collectors.toMap((cells) -> cells[0], (cells) -> cells[1]));
	}

	private static void failHandshakes(Engine engine, ConnectorServer server) throws IOException {
		for (HostileCase hostile : HostileHandshakes.all()) {
			try (RawTlsClient client = hostile.connect(server.port())) {
				hostile.attack().run(client);
				assertThat(client.outcome(PATIENCE)).as(hostile.toString()).matches(Outcome::isClosed, "is closed");
			}
		}
	}

	private static void speakHttp(Engine engine, ConnectorServer server) throws IOException {
		try (Socket socket = new Socket("localhost", server.port())) {
			socket.setSoTimeout((int) PATIENCE.toMillis());
			socket.getOutputStream().write(Http.ascii("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
			assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1))
				.startsWith("HTTP/1.1 400 ");
		}
	}

	private static void closeTls(Engine engine, ConnectorServer server) throws IOException {
		for (TlsVersion version : TlsVersion.values()) {
			try (RawTlsClient client = version.connect(server.port(), Http.HTTP_1_1)) {
				client.completeHandshake();
				client.send(client.request());
				client.answers(1);
				client.send(client.request(), client.seal(ALERT, TlsBytes.alert(1, 0)));
				Outcome outcome = client.outcome();
				assertThat(outcome).matches(Outcome::isClosed, "is closed");
				assertThat(outcome.alert()).hasValueSatisfying((alert) -> assertThat(alert.isAlert(0)).isTrue());
				boolean answered = engine == Engine.OPENSSL || version == TlsVersion.TLS_1_3;
				assertThat(outcome.answers()).as(version.name()).isEqualTo(answered ? 2 : 1);
			}
		}
	}

	private static void sendEmptyRecords(Engine engine, ConnectorServer server) throws IOException {
		for (TlsVersion version : TlsVersion.values()) {
			for (Http http : Http.values()) {
				try (RawTlsClient client = version.connect(server.port(), http)) {
					client.completeHandshake();
					client.send(client.seal(APPLICATION_DATA, new byte[0]), client.request());
					if (engine == Engine.OPENSSL || version == TlsVersion.TLS_1_2) {
						assertThat(client.answers(1).answers()).isOne();
					}
					else {
						assertAlerted(client.outcome());
					}
				}
			}
		}
	}

	private static void assertAlerted(Outcome outcome) {
		assertThat(outcome).matches(Outcome::isClosed, "is closed");
		assertThat(outcome.alert()).as("alert").isPresent();
	}

	private static void renegotiate(Engine engine, ConnectorServer server) throws IOException {
		try (RawTlsClient client = TlsVersion.TLS_1_2.connect(server.port(), Http.HTTP_1_1)) {
			client.completeHandshake();
			client.send(client.request());
			client.answers(1);
			client.send(((Tls12Client) client).renegotiation());
			if (engine == Engine.OPENSSL) {
				client.send(client.request());
				Outcome outcome = client.answers(2);
				assertThat(outcome.alert())
					.hasValueSatisfying((alert) -> assertThat(alert.isAlert(NO_RENEGOTIATION)).isTrue());
				assertThat(outcome.answers()).isEqualTo(2);
			}
			else {
				assertAlerted(client.outcome());
			}
		}
	}

	private static void sendBadRecords(Engine engine, ConnectorServer server) throws IOException {
		for (TlsVersion version : TlsVersion.values()) {
			for (Http http : Http.values()) {
				try (RawTlsClient client = version.connect(server.port(), http)) {
					client.completeHandshake();
					client.send(client.request());
					client.answers(1);
					client.send(TlsBytes.record(APPLICATION_DATA, new byte[64]));
					assertAlerted(client.outcome());
				}
			}
		}
	}

	private static void sendLongRecords(Engine engine, ConnectorServer server) throws IOException {
		for (TlsVersion version : TlsVersion.values()) {
			try (RawTlsClient client = version.connect(server.port(), Http.HTTP_1_1)) {
				client.send(TlsBytes.hex("160301ffff"));
				assertAlerted(client.outcome());
			}
			try (RawTlsClient client = version.connect(server.port(), Http.HTTP_1_1)) {
				byte[] hello = client.hello().message();
				// The length of the suites
				hello[4 + 2 + 32 + 1 + hello[4 + 2 + 32]] = 0x7f;
				client.send(TlsBytes.record(TlsBytes.HANDSHAKE, hello));
				Outcome outcome = client.outcome();
				assertThat(outcome).matches(Outcome::isClosed, "is closed");
				if (engine == Engine.OPENSSL) {
					assertThat(outcome.alert()).as("alert").isPresent();
				}
			}
			try (RawTlsClient client = version.connect(server.port(), Http.HTTP_1_1)) {
				client.completeHandshake();
				client.send(client.longRequest(1 << 14));
				if (engine == Engine.OPENSSL) {
					assertAlerted(client.outcome());
				}
				else {
					assertThat(client.answers(1).answers()).isOne();
				}
			}
		}
	}

	private static void sendNothing(Engine engine, ConnectorServer server) throws IOException {
		try (RawTlsClient silent = TlsVersion.TLS_1_3.connect(server.port(), Http.HTTP_1_1);
				RawTlsClient slow = TlsVersion.TLS_1_3.connect(server.port(), Http.HTTP_1_1)) {
			byte[] hello = slow.hello().record();
			int sent = 0;
			while (sent < 60 && !slow.outcome(Duration.ofMillis(100)).isClosed()) {
				slow.send(new byte[] { hello[sent++] });
			}
			assertThat(slow.outcome(PATIENCE)).matches(Outcome::isClosed, "is closed");
			assertThat(silent.outcome(PATIENCE)).matches(Outcome::isClosed, "is closed");
		}
	}

	private static void offerOtherProtocols(Engine engine, ConnectorServer server) throws IOException {
		try (RawTlsClient client = TlsVersion.TLS_1_3.connect(server.port(), Http.HTTP_1_1)) {
			client.send(client.hello()
				.extension(RawClientHello.ALPN, TlsBytes.vector(2, TlsBytes.vector(1, Http.ascii("h3"))))
				.record());
			Outcome outcome = client.outcome();
			assertAlerted(outcome);
			assertThat(outcome.alert())
				.hasValueSatisfying((alert) -> assertThat(alert.isAlert(NO_APPLICATION_PROTOCOL)).isTrue());
		}
		try (SSLSocket socket = new JavaClient("p256.crt").connect(server.port())) {
			SSLParameters parameters = socket.getSSLParameters();
			parameters.setApplicationProtocols(new String[] { "http/1.0" });
			socket.setSSLParameters(parameters);
			socket.getOutputStream().write(Http.ascii("GET /hello HTTP/1.0\r\n\r\n"));
			assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1))
				.contains("hello");
			assertThat(socket.getApplicationProtocol()).isEmpty();
		}
	}

	private static void updateKeys(Engine engine, ConnectorServer server) throws IOException {
		try (Tls13Client client = new Tls13Client(server.port(), Http.HTTP_1_1)) {
			client.completeHandshake();
			client.send(client.seal(APPLICATION_DATA,
					Http.ascii("GET /hello HTTP/1.1\r\nHost: localhost\r\nSize: large\r\n\r\n")));
			// As many as there are at least
			for (int i = 0; i < LARGE >> 14; i++) {
				client.responses(1);
				client.send(client.keyUpdate(0));
			}
			assertThat(length(client.outcome(Duration.ofSeconds(1)))).isGreaterThan(LARGE);
		}
	}

	private static int length(Outcome outcome) {
		return outcome.records()
			.stream()
			.filter((record) -> record.type() == APPLICATION_DATA)
			.mapToInt((record) -> record.content().length)
			.sum();
	}

	private static void sendLongChain(Engine engine, ConnectorServer server) throws IOException {
		TestCertificates certificates = TestCertificates.get();
		String[] chain = Collections.nCopies(100, "ca.crt").toArray(String[]::new);
		Path file = certificates.join("long-chain-%s.crt".formatted(engine), chain);
		SSLHostConfig host = ConnectorServer.verifying(ConnectorServer.host("p256"), "required", "ca.crt");
		try (ConnectorServer verifying = new ConnectorServer(engine).start(ConnectorServer.settings(), host)) {
			for (String version : List.of("-tls1_2", "-tls1_3")) {
				assertThat(TlsClient
					.connect(verifying.port(), version, "-cert", certificates.file("client.crt").toString(), "-key",
							certificates.file("client.key").toString(), "-cert_chain", file.toString())
					.output()).contains("SSL alert number").doesNotContain("hello");
			}
		}
	}

	private static void abortHandshakes(Engine engine, ConnectorServer server) throws IOException {
		for (int i = 0; i < 50; i++) {
			RawTlsClient client = TlsVersion.values()[i % 2].connect(server.port(), Http.HTTP_1_1);
			client.send(client.hello().record());
			client.flight();
			client.reset();
		}
		Awaitility.await().atMost(PATIENCE).untilAsserted(() -> {
			assertThat(NativeMemory.sessions()).isZero();
			// The next one is already counted
			assertThat(server.endpoint().getConnectionCount()).isLessThanOrEqualTo(1);
		});
	}

	private record Row(String reaction, Check check) {

	}

	/**
	 * Does what the client does, and asserts the reaction.
	 */
	private interface Check {

		void run(Engine engine, ConnectorServer server) throws IOException;

	}

}
