// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.io.InputStream;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

import io.github.tomcatopenssl.internal.engine.Engine;
import io.github.tomcatopenssl.internal.host.ServerNameRules;
import io.github.tomcatopenssl.internal.host.TlsSettings;
import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.Http;
import io.github.tomcatopenssl.test.JavaClient;
import io.github.tomcatopenssl.test.TestCertificates;
import io.github.tomcatopenssl.test.TlsClient;
import io.github.tomcatopenssl.test.TlsClient.Handshake;
import io.github.tomcatopenssl.test.tls.HelloSegments;
import io.github.tomcatopenssl.test.tls.RawClientHello;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.github.tomcatopenssl.test.tls.TlsBytes.concat;
import static io.github.tomcatopenssl.test.tls.TlsBytes.hex;
import static io.github.tomcatopenssl.test.tls.TlsBytes.number;
import static io.github.tomcatopenssl.test.tls.TlsBytes.vector;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of servers that reject unknown server names, with a server of each engine.
 */
class UnknownServerNameTests extends AbstractEngineTests {

	private static final String ALERT = hex(new byte[] { 21, 3, 3, 0, 2, 2, 112 });

	private static final String ILLEGAL_PARAMETER = hex(new byte[] { 21, 3, 3, 0, 2, 2, 47 });

	private static final String PROBE = "127.0.0.2";

	private static final String OTHER_PROBE = "127.0.9.1";

	private static final int SERVER_NAME = 0;

	@BeforeAll
	static void makeCertificates() {
		certificate("names", "DNS:localhost,DNS:*.wild.test,DNS:xn--bcher-kva.test,DNS:own.test,IP:127.0.0.1,IP:::1");
		certificate("next", "DNS:localhost,DNS:next.test");
	}

	private static void certificate(String name, String names) {
		TestCertificates.get()
			.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30",
					"-subj", "/CN=" + name, "-addext", "subjectAltName=" + names, "-keyout", name + ".key", "-out",
					name + ".crt");
	}

	@Override
	ConnectorServer start(ConnectorServer server) {
		SSLHostConfig own = ConnectorServer.host("p384");
		own.setHostName("own.test");
		return server.start(rejecting("127.0.0.2/31", "127.0.9.1", "probe.internal", "*.b\u00fccher.test"),
				ConnectorServer.host("names"), own);
	}

	private static TlsSettings rejecting(String... allowed) {
		return ConnectorServer.settings(ServerNameRules.of(List.of(allowed)), null, null);
	}

	@ParameterizedTest
	@EnumSource
	void whenServerNameIsKnownThenIsServed(Engine engine) {
		for (String name : List.of("localhost", "LocalHost", "a.wild.test", "xn--bcher-kva.test", "own.test",
				"probe.internal", "a.xn--bcher-kva.test", "127.0.0.1")) {
			assertThat(TlsClient.connect(port(engine), "-servername", name)).as(name)
				.returns(true, Handshake::isServed)
				.returns(name.equals("own.test") ? "p384" : "names", Handshake::subject);
		}
		assertThat(TlsClient.connect(port(engine), "-servername", "own.test", "-tls1_2").subject()).isEqualTo("p384");
	}

	@ParameterizedTest
	@EnumSource
	void whenServerNameIsUnknownThenGetsAlertAndNoCertificate(Engine engine) {
		for (String name : List.of("other.test", "wild.test", "a.b.wild.test", ".wild.test", "*.wild.test", "_default_",
				"names", "127.0.0.3", "1.0.0.127")) {
			assertRejected(TlsClient.connect(port(engine), "-servername", name));
		}
		assertRejected(TlsClient.connect(port(engine), "-servername", "other.test", "-tls1_2"));
		assertThat(Commands.run("",
				curl(engine, "https://other.test:%d/hello".formatted(port(engine)), "--resolve",
						"other.test:%d:127.0.0.1".formatted(port(engine)))))
			.satisfies((result) -> assertThat(result.output()).contains("curl: (35)", "unrecognized name"));
	}

	// JSSE takes it for no name (SNIHostName)
	@ParameterizedTest
	@EnumSource
	void whenServerNameEndsWithADotThenOpenSslServes(Engine engine) {
		assertThat(TlsClient.connect(port(engine), "-servername", "localhost.").isServed())
			.isEqualTo(engine == Engine.OPENSSL);
	}

	@ParameterizedTest
	@EnumSource
	void whenClientSendsNoNameThenItsAddressDecides(Engine engine) {
		assertRejected(TlsClient.connect(port(engine), "-noservername"));
		assertRejected(TlsClient.connect(port(engine), "-noservername", "-bind", "127.0.0.4"));
		for (String probe : List.of(PROBE, "127.0.0.3", OTHER_PROBE)) {
			assertRejected(TlsClient.connect(port(engine), "-servername", "other.test", "-bind", probe));
			assertThat(get(engine, "https://127.0.0.1:%d/hello", "--interface", probe)).isEqualTo("hello 200");
			assertThat(get(engine, "https://127.0.0.1:%d/hello", "--interface", probe, "-H", "Host: 10.9.8.7:8443"))
				.isEqualTo("hello 200");
			assertThat(get(engine, "https://127.0.0.1:%d/hello", "--interface", probe, "-H", "Host: probe.internal"))
				.isEqualTo("hello 200");
			assertThat(get(engine, "https://127.0.0.1:%d/hello", "--interface", probe, "-H", "Host:", "--http1.0",
					"--no-alpn"))
				.isEqualTo("hello 200");
			assertThat(get(engine, "https://127.0.0.1:%d/hello", "--interface", probe, "-H", "Host: other.test"))
				.isEqualTo(" 421");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenHandshakeIsRejectedThenItIsCounted(Engine engine) {
		long before = rejected(engine);
		assertRejected(TlsClient.connect(port(engine), "-servername", "other.test"));
		assertRejected(TlsClient.connect(port(engine), "-noservername", "-groups", "P-521"));
		Awaitility.await()
			.atMost(Duration.ofSeconds(10))
			.untilAsserted(() -> assertThat(rejected(engine)).isEqualTo(before + 2));
	}

	@ParameterizedTest
	@EnumSource
	void whenHostFitsTheCertificateThenIsServed(Engine engine) {
		for (String host : List.of("localhost", "LOCALHOST:1", "localhost.", "b.wild.test", "127.0.0.1",
				"127.0.0.1:8443", "[::1]", "[0:0:0:0:0:0:0:1]:8443", "probe.internal")) {
			for (String http : List.of("--http1.1", "--http2")) {
				assertThat(get(engine, "https://localhost:%d/hello", http, "-H", "Host: " + host)).as(host)
					.isEqualTo("hello 200");
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenHostFitsNoCertificateOfTheConnectionThenIsMisdirected(Engine engine) {
		for (String host : List.of("other.test", "other.test:443", "own.test", "OWN.test", "a.b.wild.test", "wild.test",
				"127.0.0.3", "[::2]", "[::ffff:7f00:3]")) {
			for (String http : List.of("--http1.1", "--http2")) {
				assertThat(get(engine, "https://localhost:%d/hello", http, "-H", "Host: " + host)).as(host)
					.isEqualTo(" 421");
			}
		}
		assertThat(get(engine, "https://localhost:%d/hello", "--http1.1", "-H", "Host;")).isEqualTo("hello 200");
		assertThat(get(engine, "https://own.test:%d/hello")).isEqualTo("hello 200");
		assertThat(get(engine, "https://own.test:%d/hello", "-H", "Host: localhost")).isEqualTo(" 421");
	}

	@ParameterizedTest
	@EnumSource
	void whenHostIsForwardedThenItIsNotThatOfTheConnection(Engine engine) {
		assertThat(get(engine, "https://localhost:%d/hello", "-H", "X-Forwarded-Host: other.test", "-H",
				"X-Forwarded-For: 1.2.3.4"))
			.isEqualTo("hello 200");
		assertThat(get(engine, "https://localhost:%d/hello", "-H", "Host: other.test", "-H",
				"X-Forwarded-Host: localhost", "-H", "X-Forwarded-For: 127.0.0.2"))
			.isEqualTo(" 421");
	}

	@ParameterizedTest
	@EnumSource
	void whenRequestIsMisdirectedThenItsConnectionGoesOn(Engine engine) throws IOException {
		try (SSLSocket socket = connect(port(engine))) {
			socket.getOutputStream()
				.write("POST /hello HTTP/1.1\r\nHost: other.test\r\nContent-Length: 4\r\n\r\nbody"
					.getBytes(StandardCharsets.US_ASCII));
			assertThat(JavaClient.get(socket, "/hello")).startsWith("HTTP/1.1 421 ")
				.contains("HTTP/1.1 200 ")
				.endsWith("hello");
		}
		String url = "https://localhost:%d/hello".formatted(port(engine));
		List<String> command = new ArrayList<>(curl(engine, url, "-H", "Host: other.test"));
		command.add("--next");
		command.addAll(curl(engine, url).subList(1, 11));
		assertThat(Commands.run("", command).orFail().output()).isEqualTo(" 421hello 200");
	}

	@ParameterizedTest
	@EnumSource
	void whenCertificateIsReplacedThenItsNamesCount(Engine engine) throws IOException {
		try (ConnectorServer server = new ConnectorServer(engine).start(rejecting(), ConnectorServer.host("names"));
				SSLSocket established = connect(server.port())) {
			established.startHandshake();
			assertRejected(TlsClient.connect(server.port(), "-servername", "next.test"));
			for (int i = 0; i < 2; i++) {
				server.protocol().addSslHostConfig(ConnectorServer.host("next"), true);
				assertThat(TlsClient.connect(server.port(), "-servername", "next.test"))
					.returns("next", Handshake::subject)
					.returns(true, Handshake::isServed);
				assertRejected(TlsClient.connect(server.port(), "-servername", "a.wild.test"));
			}
			established.getOutputStream()
				.write("GET /hello HTTP/1.1\r\nHost: next.test\r\n\r\nGET /hello HTTP/1.1\r\nHost: a.wild.test\r\nConnection: close\r\n\r\n"
					.getBytes(StandardCharsets.US_ASCII));
			assertThat(new String(established.getInputStream().readAllBytes(), StandardCharsets.US_ASCII))
				.startsWith("HTTP/1.1 421 ")
				.endsWith("hello");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenServerNameIsNoNameThenGetsTheSameAlert(Engine engine) throws IOException {
		List<byte[]> names = new ArrayList<>(List.of(new byte[0], vector(2), vector(2, entry(0, "")),
				vector(2, entry(0, "localhost\0")), vector(2, entry(0, "localhost\0.test")),
				vector(2, entry(0, "l\u00f6calhost")), vector(2, entry(0, new byte[] { -1, -2, -64, -128 })),
				vector(2, entry(0, "x".repeat(256))), vector(2, entry(0, "x.".repeat(5000))),
				vector(2, entry(0, ":".repeat(12_000))), vector(2, entry(0, "other.test"), entry(0, "localhost")),
				vector(2, number(1, 0), number(2, 60_000)), vector(2, entry(0, "[localhost]")),
				vector(2, entry(0, "g::1")), vector(2, entry(0, "fe80::1%lo")), vector(2, entry(0, "..")),
				vector(2, entry(0, "localhost "))));
		Random random = new Random(engine.ordinal());
		for (int i = 0; i < 300; i++) {
			byte[] garbage = new byte[random.nextInt(40)];
			random.nextBytes(garbage);
			names.add((i % 2 == 0) ? garbage : vector(2, entry(0, garbage)));
		}
		for (byte[] name : names) {
			for (RawClientHello hello : List.of(RawClientHello.tls12(Http.HTTP_1_1),
					RawClientHello.tls13(Http.HTTP_1_1))) {
				assertThat(answer(engine, hello.extension(SERVER_NAME, name).record())).as(hex(name))
					.isEqualTo(isNotAscii(name) ? ILLEGAL_PARAMETER : ALERT);
			}
		}
		assertThat(TlsClient.connect(port(engine), "-servername", "localhost").isServed()).isTrue();
	}

	@ParameterizedTest
	@EnumSource
	void whenHelloComesInPiecesThenItsNameCounts(Engine engine) throws IOException {
		for (HelloSegments segments : HelloSegments.values()) {
			RawClientHello unknown = RawClientHello.tls13(Http.HTTP_1_1)
				.extension(SERVER_NAME, vector(2, entry(0, "other.test")));
			assertThat(answer(engine, segments.of(unknown))).as(segments.name()).isEqualTo(ALERT);
			RawClientHello known = RawClientHello.tls13(Http.HTTP_1_1)
				.extension(SERVER_NAME, vector(2, entry(0, "localhost")));
			assertThat(answer(engine, segments.of(known))).as(segments.name()).startsWith("160303");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenNothingIsSetThenAnyNameIsServed(Engine engine) {
		try (ConnectorServer server = new ConnectorServer(engine).start(ConnectorServer.settings(),
				ConnectorServer.host("names"))) {
			assertThat(TlsClient.connect(server.port(), "-servername", "other.test").isServed()).isTrue();
			assertThat(TlsClient.connect(server.port(), "-noservername").isServed()).isTrue();
		}
	}

	private static boolean isNotAscii(byte[] list) {
		return list.length > 5 && list[0] == 0 && list[1] == list.length - 2 && list[2] == 0 && list[3] == 0
				&& list[4] == list.length - 5 && IntStream.range(5, list.length).anyMatch((i) -> list[i] < 0);
	}

	// Java sends no name without a dot, such as that of JavaClient
	private static SSLSocket connect(int port) throws IOException {
		SSLSocket socket = new JavaClient("names.crt").connect(port);
		SSLParameters parameters = socket.getSSLParameters();
		parameters.setServerNames(List.of(new SNIHostName("localhost")));
		socket.setSSLParameters(parameters);
		return socket;
	}

	private static byte[] entry(int type, String name) {
		return entry(type, name.getBytes(StandardCharsets.UTF_8));
	}

	private static byte[] entry(int type, byte[] name) {
		return concat(number(1, type), vector(2, name));
	}

	private String answer(Engine engine, byte[]... segments) throws IOException {
		try (Socket socket = new Socket("localhost", port(engine))) {
			socket.setTcpNoDelay(true);
			socket.setSoTimeout(10_000);
			for (byte[] segment : segments) {
				socket.getOutputStream().write(segment);
			}
			InputStream in = socket.getInputStream();
			byte[] start = in.readNBytes(7);
			return hex((start[0] == 21) ? concat(start, in.readAllBytes()) : start);
		}
	}

	private static void assertRejected(Handshake handshake) {
		assertThat(handshake.output()).contains("alert number 112", "no peer certificate available");
		assertThat(handshake.isServed()).isFalse();
	}

	private long rejected(Engine engine) {
		return server(engine).failedHandshakes().getOrDefault("unknown server name", 0L);
	}

	private String get(Engine engine, String url, String... options) {
		return Commands.run("", curl(engine, url.formatted(port(engine)), options)).orFail().output();
	}

	private List<String> curl(Engine engine, String url, String... options) {
		List<String> command = new ArrayList<>(List.of("curl", "-sS", "-k", "-w", " %{http_code}", "--resolve",
				"own.test:%d:127.0.0.1".formatted(port(engine)), "--max-time", "20", "-4", url));
		command.addAll(List.of(options));
		return command;
	}

}
