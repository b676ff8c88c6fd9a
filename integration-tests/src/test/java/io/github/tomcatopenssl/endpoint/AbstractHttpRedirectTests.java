// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import io.github.tomcatopenssl.test.AbstractTlsServerTests;
import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TestServer.Engine;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Tests for {@link HttpRedirectProtocol}.
 */
@ExtendWith(OutputCaptureExtension.class)
abstract class AbstractHttpRedirectTests extends AbstractTlsServerTests {

	private static final int CONNECTION_TIMEOUT = 2000;

	AbstractHttpRedirectTests(WebApplicationType type) {
		super(type);
	}

	@ParameterizedTest
	@EnumSource
	void whenClientUsesHttpThenItGetsToTheApplicationWithHttps(Engine engine, CapturedOutput output) {
		try (TestServer server = start(engine, with(pem("p256"), "http-redirect-port=0"))) {
			int port = redirectPort(server);
			assertThat(output).contains("Port %d redirects HTTP to HTTPS on port %d,".formatted(port, server.port()));
			assertThat(follow(port)).isEqualTo("hello 200 1 https://localhost:%d/hello".formatted(server.port()));
			server.restart();
			assertThat(follow(redirectPort(server))).startsWith("hello 200 1 ");
		}
	}

	private static String follow(int port) {
		return Commands.run("", List.of("curl", "-sSkL", "-w", " %{http_code} %{num_redirects} %{url_effective}",
				"http://localhost:" + port + "/hello"))
			.orFail()
			.output();
	}

	@Test
	void whenRequestIsRedirectedThenNothingElseAnswers() throws IOException {
		String response = send("GET /hello HTTP/1.1\r\nHost: a.test\r\nConnection: keep-alive\r\n"
				+ "Cookie: JSESSIONID=1\r\n\r\nGET /second HTTP/1.1\r\nHost: a.test\r\n\r\n");
		assertThat(response.replaceFirst("Date: .*", "Date: now")).isEqualTo(
				"HTTP/1.1 308 \r\nLocation: https://a.test/hello\r\nContent-Length: 0\r\nDate: now\r\nConnection: close\r\n\r\n");
	}

	// PLAIN is the port of the redirect, SECURE that of TLS
	@ParameterizedTest
	@ValueSource(strings = { "GET /?a=b&c HTTP/1.1|Host: localhost:PLAIN|https://localhost:SECURE/?a=b&c",
			"GET /%0d%0aX:%20y? HTTP/1.1|Host: 127.0.0.1:PLAIN|https://127.0.0.1:SECURE/%0d%0aX:%20y?",
			"HEAD / HTTP/1.1|Host: [::1]:PLAIN|https://[::1]:SECURE/", "GET / HTTP/1.1|Host: a.test|https://a.test/",
			"POST / HTTP/1.1|Host: A.test.:80|https://A.test./", "GET / HTTP/1.1|Host: a.test:9080|https://a.test/",
			"OPTIONS / HTTP/1.1|Host: a.test:|https://a.test/", "TRACE / HTTP/1.1|Host: a-b.test|https://a-b.test/",
			"GET //evil.test/.. HTTP/1.1|Host: a.test|https://a.test//evil.test/..",
			"GET http://a.test/b HTTP/1.1|Host: a.test|https://a.test/b",
			"GET https://x@a.test?b HTTP/1.1|Host: a.test|https://a.test/?b",
			"GET http://a.test:PLAIN/b HTTP/1.0|X: y|https://a.test:SECURE/b",
			"GET / HTTP/1.0|Host: a.test|https://a.test/",
			"GET / HTTP/1.1|Host: a.test\r\nX-Forwarded-Host: evil.test\r\nX-Forwarded-Port: 1|https://a.test/",
			"GET / HTTP/1.1|Host: a.test\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__|https://a.test/" })
	void whenRequestIsValidThenItsAddressIsKept(String test) throws IOException {
		TestServer server = server();
		String[] parts = test.replace("SECURE", String.valueOf(server.port()))
			.replace("PLAIN", String.valueOf(redirectPort(server)))
			.split("\\|");
		assertThat(send(parts[0] + "\r\n" + parts[1] + "\r\n\r\n")).startsWith("HTTP/1.1 308 \r\n")
			.contains("\r\nLocation: " + parts[2] + "\r\n")
			.endsWith("\r\n\r\n");
	}

	@ParameterizedTest
	@ValueSource(strings = { "GET / HTTP/1.1|X: y", "GET / HTTP/1.0|X: y", "GET / HTTP/1.1|Host:",
			"GET / HTTP/1.1|Host: a.test\r\nHost: b.test", "GET / HTTP/1.1|Host: x@a.test",
			"GET / HTTP/1.1|Host: a.test/b", "GET / HTTP/1.1|Host: a b", "GET / HTTP/1.1|Host: a%0d%0a",
			"GET / HTTP/1.1|Host: a!b", "GET / HTTP/1.1|Host: b\u00fccher.test", "GET / HTTP/1.1|Host: a.test:x",
			"GET / HTTP/1.1|Host: a.test:99999999999", "GET / HTTP/1.1|Host: [::1",
			"GET / HTTP/1.1|Host: [fe80::1%25x]", "GET http://a.test/ HTTP/1.1|Host: b.test",
			"GET http://a b/ HTTP/1.1|Host: b.test", "GET ftp://a.test/ HTTP/1.1|Host: a.test",
			"CONNECT a.test:443 HTTP/1.1|Host: a.test:443", "OPTIONS * HTTP/1.1|Host: a.test",
			"GET hello HTTP/1.1|Host: a.test", "GET /\u00fc HTTP/1.1|Host: a.test", "GET /#a HTTP/1.1|Host: a.test",
			"GET /a\u0000 HTTP/1.1|Host: a.test", "GET / HTTP/1.1|Host : a.test",
			"PROXY TCP4 192.0.2.1 192.0.2.2 1 80|Host: a.test",
			"POST / HTTP/1.1|Host: a.test\r\nContent-Length: 1\r\nContent-Length: 2",
			"POST / HTTP/1.1|Host: a.test\r\nTransfer-Encoding: x" })
	void whenRequestIsInvalidThenItIsRefused(String request) throws IOException {
		assertThat(send(request.replace("|", "\r\n") + "\r\n\r\n")).matches("(?s)HTTP/1\\.1 (4\\d\\d|501) .*")
			.doesNotContain("Location")
			.endsWith("\r\n\r\n");
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "GET /\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "\u0016\u0003\u0001\u0002\u0000\u0001" })
	void whenClientSpeaksNoHttp1ThenItIsNotRedirected(String request) throws IOException {
		assertThat(send(request)).doesNotContain("308", "Location");
	}

	@Test
	void whenPathIsLongThenItIsKeptUpToTheLimit() throws IOException {
		String path = "/" + "a".repeat(8000);
		assertThat(send("GET " + path + " HTTP/1.1\r\nHost: a.test\r\n\r\n"))
			.contains("Location: https://a.test" + path + "\r\n");
		assertThat(send("GET " + path + path + " HTTP/1.1\r\nHost: a.test\r\n\r\n")).startsWith("HTTP/1.1 400 ");
	}

	@ParameterizedTest
	@ValueSource(strings = { "Content-Length: 1000", "Transfer-Encoding: chunked",
			"Expect: 100-continue\r\nContent-Length: 1000" })
	void whenBodyIsNotSentThenNobodyWaitsForIt(String header) throws IOException {
		List<Socket> clients = new ArrayList<>();
		try {
			for (int i = 0; i < 10; i++) {
				Socket client = connect();
				clients.add(client);
				write(client, "POST / HTTP/1.1\r\nHost: a.test\r\n" + header + "\r\n\r\n");
				client.setSoTimeout(CONNECTION_TIMEOUT / 2);
				assertThat(read(client)).startsWith("HTTP/1.1 308 ").endsWith("\r\n\r\n");
			}
		}
		finally {
			for (Socket client : clients) {
				client.close();
			}
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "GET / HT", "GET / HTTP/1.1\r\nHost: a.test\r\n" })
	void whenClientSendsNoMoreThenItsConnectionEnds(String start) throws IOException {
		try (Socket client = connect()) {
			write(client, start);
			client.setSoTimeout(5 * CONNECTION_TIMEOUT);
			assertThat(read(client)).isEmpty();
		}
	}

	@Test
	void whenPortIsInUseThenFailureNamesTheProperty(CapturedOutput output) throws IOException {
		try (ServerSocket other = new ServerSocket(0)) {
			assertThatException().isThrownBy(
					() -> start(Engine.JSSE, with(pem("p256"), "http-redirect-port=" + other.getLocalPort())).close());
			assertThat(output).contains("Property: server.ssl.http-redirect-port",
					"Reason: the server cannot listen on port %d: Address already in use"
						.formatted(other.getLocalPort()),
					"Set 'server.ssl.http-redirect-port' to a port that is free, and from 1024 on");
		}
	}

	@Test
	void whenTlsIsTurnedOffThenNothingIsRedirected(CapturedOutput output) {
		try (TestServer server = start(Engine.JSSE, with(pem("p256"), "enabled=false", "http-redirect-port=0"))) {
			assertThat(server.connectors()).hasSize(1);
			assertThat(output).contains("'server.ssl.http-redirect-port' has no effect: the web server serves no TLS");
		}
	}

	private TestServer server() {
		return shared("redirect", () -> start(Engine.OPENSSL, with(pem("p256"), "http-redirect-port=0",
				"server.tomcat.connection-timeout=" + CONNECTION_TIMEOUT + "ms", "server.http2.enabled=true")));
	}

	private static int redirectPort(TestServer server) {
		return server.connectors().get(1).getLocalPort();
	}

	private Socket connect() throws IOException {
		return new Socket(InetAddress.getLoopbackAddress(), redirectPort(server()));
	}

	private String send(String request) throws IOException {
		try (Socket client = connect()) {
			client.setSoTimeout(2 * CONNECTION_TIMEOUT);
			write(client, request);
			return read(client);
		}
	}

	private static void write(Socket client, String request) throws IOException {
		client.getOutputStream().write(request.getBytes(StandardCharsets.ISO_8859_1));
	}

	private static String read(Socket client) throws IOException {
		return new String(client.getInputStream().readAllBytes(), StandardCharsets.ISO_8859_1);
	}

}
