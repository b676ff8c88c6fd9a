// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;

import io.github.tomcatopenssl.ProxyProcess;
import io.github.tomcatopenssl.internal.engine.Engine;
import io.github.tomcatopenssl.internal.host.ServerNameRules;
import io.github.tomcatopenssl.internal.host.TrustedProxies;
import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.FreePorts;
import io.github.tomcatopenssl.test.Http;
import io.github.tomcatopenssl.test.JavaClient;
import io.github.tomcatopenssl.test.Provided;
import io.github.tomcatopenssl.test.TlsClient;
import io.github.tomcatopenssl.test.tls.RawClientHello;
import io.github.tomcatopenssl.test.tls.RawTlsClient;
import io.github.tomcatopenssl.test.tls.TlsVersion;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.catalina.valves.AccessLogValve;
import org.apache.catalina.valves.RemoteIpValve;
import org.assertj.core.api.InstanceOfAssertFactories;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.github.tomcatopenssl.test.Http.ascii;
import static io.github.tomcatopenssl.test.tls.TlsBytes.concat;
import static io.github.tomcatopenssl.test.tls.TlsBytes.hex;
import static io.github.tomcatopenssl.test.tls.TlsBytes.number;
import static io.github.tomcatopenssl.test.tls.TlsBytes.vector;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests of servers that trust a proxy at 127.0.0.1, with raw clients and real proxies.
 */
class ProxyProtocolTests extends AbstractEngineTests {

	private static final String PROXY = "127.0.0.1";

	private static final String ANYONE = "127.0.0.2";

	private static final byte[] TEXT = ascii("PROXY TCP4 192.0.2.1 192.0.2.2 4660 443\r\n");

	private static final byte[] BINARY = binary(0x21, 0x11, hex("c0000201c0000202123401bb"));

	private static final byte[] LOCAL = binary(0x20, 0);

	private static final Duration HANDSHAKE_TIMEOUT = Duration.ofSeconds(4);

	/**
	 * Time in which a refused connection has ended, which is less than the timeout.
	 */
	private static final Duration AT_ONCE = Duration.ofSeconds(2);

	private static final int MUTATIONS = 200;

	@TempDir
	private static Path folder;

	private JavaClient client;

	@Override
	ConnectorServer start(ConnectorServer server) {
		AccessLogValve accessLog = new AccessLogValve();
		accessLog.setDirectory(accessLog(server).toString());
		accessLog.setBuffered(false);
		accessLog.setPattern("%a %{remote}p %U %s %{" + TlsHttp11NioProtocol.UNIQUE_ID_ATTRIBUTE + "}r");
		server.tomcat().getEngine().getPipeline().addValve(accessLog);
		server.tomcat().getEngine().getPipeline().addValve(new RemoteIpValve());
		return start(server, PROXY + ",::1");
	}

	private static ConnectorServer start(ConnectorServer server, String trusted) {
		return server.answer("/addresses", ProxyProtocolTests::answer)
			.start(ConnectorServer.settings(null, TrustedProxies.of(List.of(trusted.split(","))), HANDSHAKE_TIMEOUT));
	}

	private static void answer(HttpServletRequest request, HttpServletResponse response) throws IOException {
		response.getWriter()
			.write("%s:%d %s:%d %s".formatted(request.getRemoteAddr(), request.getRemotePort(), request.getLocalAddr(),
					request.getLocalPort(), request.getAttribute(TlsHttp11NioProtocol.UNIQUE_ID_ATTRIBUTE)));
	}

	private static Path accessLog(ConnectorServer server) {
		return folder.resolve("access-log-" + server.hashCode());
	}

	private static byte[] binary(int command, int family, byte[]... content) {
		return concat(hex("0d0a0d0a000d0a515549540a"), number(1, command), number(1, family), vector(2, content));
	}

	@BeforeEach
	void createClient() {
		this.client = new JavaClient("p256.crt");
	}

	@ParameterizedTest
	@EnumSource
	void whenProxyIsTrustedThenItsClientIsThatOfTheConnection(Engine engine) throws IOException {
		for (byte[] header : List.of(TEXT, BINARY)) {
			assertThat(get(engine, header)).isEqualTo("192.0.2.1:4660 192.0.2.2:443 null");
		}
		assertThat(get(engine, ascii("PROXY TCP6 2001:db8::1 2001:db8::2 65535 1\r\n")))
			.isEqualTo("2001:db8:0:0:0:0:0:1:65535 2001:db8:0:0:0:0:0:2:1 null");
		assertThat(get(engine,
				binary(0x21, 0x21, hex("20010db8000000000000000000000001"), hex("20010db8000000000000000000000002"),
						hex("ffff0001"), number(1, 5), vector(2, ascii("id-of-the-proxy")))))
			.isEqualTo("2001:db8:0:0:0:0:0:1:65535 2001:db8:0:0:0:0:0:2:1 id-of-the-proxy");
		assertThat(accessLog(server(engine)).toFile().listFiles()).singleElement(InstanceOfAssertFactories.FILE)
			.content()
			.contains("192.0.2.1 4660 /addresses 200 -", "2001:db8:0:0:0:0:0:1 65535 /addresses 200 id-of-the-proxy");
	}

	@ParameterizedTest
	@EnumSource
	void whenProxyNamesNoClientThenAddressesOfTheConnectionHold(Engine engine) throws IOException {
		for (byte[] header : List.of(LOCAL, binary(0x20, 0x11, hex("c0000201c0000202123401bb")), binary(0x21, 0),
				binary(0x21, 0x31, new byte[216]), ascii("PROXY UNKNOWN\r\n"),
				ascii("PROXY UNKNOWN 192.0.2.1 192.0.2.2 4660 443\r\n"))) {
			assertThat(get(engine, header)).matches("127\\.0\\.0\\.1:\\d+ 127\\.0\\.0\\.1:" + port(engine) + " null");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenClientOfTheProxyForwardsAddressesThenItIsNoProxyItself(Engine engine) throws IOException {
		String forwarded = "GET /addresses HTTP/1.1\r\nHost: localhost\r\nX-Forwarded-For: 203.0.113.9\r\nConnection: close\r\n\r\n";
		assertThat(exchange(engine, TEXT, forwarded)).startsWith("192.0.2.1:");
		// Tomcat trusts private addresses
		assertThat(exchange(engine, ascii("PROXY TCP4 10.1.2.3 192.0.2.2 4660 443\r\n"), forwarded))
			.startsWith("203.0.113.9:");
	}

	@ParameterizedTest
	@EnumSource
	void whenHeaderIsMissingThenTrustedProxyIsRefused(Engine engine) throws IOException {
		byte[] hello = RawClientHello.tls13(Http.HTTP_1_1).record();
		assertRefused(engine, "no valid proxy header", PROXY, hello);
		assertRefused(engine, "no valid proxy header", PROXY, ascii("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"));
		assertRefused(engine, "no valid proxy header", PROXY, new byte[] { 22 });
	}

	@ParameterizedTest
	@EnumSource
	void whenHeaderIsInvalidThenTrustedProxyIsRefused(Engine engine) throws IOException {
		byte[] hello = RawClientHello.tls13(Http.HTTP_1_1).record();
		for (byte[] header : List.of(ascii("PROXY TCP4 2001:db8::1 2001:db8::2 1 2\r\n"),
				ascii("PROXY UNKNOWN " + "x".repeat(93)), ascii("PROXY TCP4 192.0.2.1 192.0.2.2 1 2\n"),
				binary(0x21, 0x11, hex("c0000201")), binary(0x31, 0x11), binary(0x21, 0x41),
				binary(0x21, 0x11, new byte[4081]))) {
			assertRefused(engine, "no valid proxy header", PROXY, header, hello);
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenAnyoneElseSendsHeaderThenItIsRefused(Engine engine) throws IOException {
		byte[] hello = RawClientHello.tls13(Http.HTTP_1_1).record();
		for (byte[] header : List.of(TEXT, BINARY, LOCAL)) {
			assertRefused(engine, "proxy header refused", ANYONE, header, hello);
		}
		byte[][] bytes = new byte[5][];
		Arrays.setAll(bytes, (i) -> new byte[] { TEXT[i] });
		assertRefused(engine, "proxy header refused", ANYONE, bytes);
		assertThat(curl(engine, "--interface", ANYONE)).matches(ANYONE + ":\\d+ 127\\.0\\.0\\.1:\\d+ null 2");
	}

	@ParameterizedTest
	@EnumSource
	void whenHeaderComesTwiceThenItIsRefused(Engine engine) throws IOException {
		byte[] hello = RawClientHello.tls13(Http.HTTP_1_1).record();
		assertRefused(engine, "proxy header refused", PROXY, concat(TEXT, BINARY, hello));
		assertRefused(engine, "proxy header refused", PROXY, BINARY, TEXT, hello);
		assertRefused(engine, "proxy header refused", PROXY, concat(LOCAL, LOCAL));
	}

	@ParameterizedTest
	@EnumSource
	void whenHeaderComesInPiecesThenIsServed(Engine engine) throws IOException {
		for (TlsVersion version : TlsVersion.values()) {
			for (byte[] header : List.of(TEXT, BINARY)) {
				assertServes(engine, version, (hello) -> new byte[][] { concat(header, hello) });
				assertServes(engine, version, (hello) -> new byte[][] { header, hello });
				assertServes(engine, version,
						(hello) -> new byte[][] { Arrays.copyOf(header, 7),
								concat(Arrays.copyOfRange(header, 7, header.length), Arrays.copyOf(hello, 3)),
								Arrays.copyOfRange(hello, 3, hello.length) });
				assertServes(engine, version, (hello) -> {
					byte[] all = concat(header, hello);
					byte[][] bytes = new byte[header.length + 1][];
					Arrays.setAll(bytes, (i) -> Arrays.copyOfRange(all, i, (i < header.length) ? i + 1 : all.length));
					return bytes;
				});
			}
		}
	}

	private void assertServes(Engine engine, TlsVersion version, Segments segments) throws IOException {
		try (RawTlsClient raw = version.connect(port(engine), Http.HTTP_1_1)) {
			raw.completeHandshake(segments.of(raw.hello().record()));
			raw.send(raw.request());
			assertThat(raw.answers(1).answers()).isOne();
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenHeaderDoesNotEndThenConnectionIsClosedInTime(Engine engine) throws IOException {
		long before = failed(engine, "timeout");
		try (Socket proxy = connect(engine, PROXY);
				Socket slow = connect(engine, PROXY);
				Socket finished = connect(engine, PROXY)) {
			proxy.getOutputStream().write(BINARY, 0, BINARY.length - 1);
			finished.getOutputStream().write(BINARY);
			long start = System.nanoTime();
			int sent = 0;
			while (sent < TEXT.length - 1 && isOpen(slow, Duration.ofMillis(200))) {
				slow.getOutputStream().write(TEXT, sent++, 1);
			}
			assertThat(Duration.ofNanos(System.nanoTime() - start)).isBetween(HANDSHAKE_TIMEOUT.minusSeconds(1),
					HANDSHAKE_TIMEOUT.plusSeconds(2));
			assertThat(isOpen(proxy, Duration.ofSeconds(2))).isFalse();
			assertThat(isOpen(finished, Duration.ofSeconds(2))).isFalse();
		}
		// The third has begun no handshake
		Awaitility.await().untilAsserted(() -> assertThat(failed(engine, "timeout")).isEqualTo(before + 2));
	}

	@ParameterizedTest
	@EnumSource
	void whenProxyChecksHealthThenNothingIsCounted(Engine engine) throws IOException {
		long started = started(engine);
		long failed = failed(engine);
		for (int i = 0; i < 5; i++) {
			for (byte[] header : List.of(LOCAL, TEXT, new byte[0])) {
				try (Socket proxy = connect(engine, PROXY)) {
					proxy.getOutputStream().write(header);
					proxy.shutdownOutput();
					assertThat(proxy.getInputStream().readAllBytes()).isEmpty();
				}
			}
		}
		assertThat(started(engine)).isEqualTo(started);
		assertThat(failed(engine)).isEqualTo(failed);
		try (Socket proxy = connect(engine, PROXY)) {
			proxy.getOutputStream().write(Arrays.copyOf(LOCAL, 9));
			proxy.shutdownOutput();
			assertThat(proxy.getInputStream().readAllBytes()).isEmpty();
		}
		assertThat(started(engine)).isEqualTo(started + 1);
		assertThat(failed(engine, "closed by the client")).isPositive();
	}

	@ParameterizedTest
	@EnumSource
	void whenHeadersAreMutatedThenServerServes(Engine engine) throws IOException {
		byte[] hello = RawClientHello.tls13(Http.HTTP_1_1).record();
		long seed = System.nanoTime();
		for (int i = 0; i < MUTATIONS; i++) {
			Random random = new Random(seed + i);
			byte[] header = Mutations.mutate((i % 2 == 0) ? TEXT : BINARY, random);
			try (Socket proxy = connect(engine, PROXY)) {
				for (byte[] segment : Mutations.segments(concat(header, hello), random)) {
					proxy.getOutputStream().write(segment);
				}
				proxy.shutdownOutput();
				// Nothing, a ServerHello, an alert, or an answer to HTTP
				assertThat(first(proxy)).as("seed %d", seed + i).isIn(-1, 22, 21, (int) 'H');
			}
			catch (SocketException ex) {
				// Refused with bytes that were not read
			}
		}
		TlsHttp11NioProtocol protocol = server(engine).protocol();
		Awaitility.await().atMost(Duration.ofSeconds(15)).until(() -> protocol.getConnectionCount() <= 1);
		assertThat(get(engine, BINARY)).startsWith("192.0.2.1:");
	}

	@ParameterizedTest
	@EnumSource
	void whenServerNameIsMissingThenAddressOfTheClientDecides(Engine engine) throws IOException {
		try (ConnectorServer server = new ConnectorServer(engine).start(ConnectorServer.settings(
				ServerNameRules.of(List.of("192.0.2.1")), TrustedProxies.of(List.of(PROXY)), HANDSHAKE_TIMEOUT))) {
			for (String client : List.of("192.0.2.1", "192.0.2.3")) {
				try (Socket proxy = new Socket(PROXY, server.port());
						SSLSocket socket = proxied(proxy, ascii("PROXY TCP4 " + client + " 192.0.2.2 1 2\r\n"))) {
					if (client.equals("192.0.2.1")) {
						socket.startHandshake();
					}
					else {
						assertThatExceptionOfType(SSLException.class).isThrownBy(socket::startHandshake)
							.withMessageContaining("unrecognized_name");
					}
				}
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenNothingIsSetThenHeaderIsNoTls(Engine engine) throws IOException {
		try (ConnectorServer server = new ConnectorServer(engine).start()) {
			assertThat(TlsClient.connect(server.port()).isServed()).isTrue();
			try (Socket proxy = new Socket(PROXY, server.port())) {
				proxy.setSoTimeout((int) AT_ONCE.toMillis());
				proxy.getOutputStream().write(concat(BINARY, RawClientHello.tls13(Http.HTTP_1_1).record()));
				// Nothing, or an alert
				assertThat(first(proxy)).isIn(-1, 21);
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenCurlSendsHeaderThenIsServed(Engine engine) {
		assertThat(curl(engine, "--haproxy-protocol")).matches(PROXY + ":\\d+ 127\\.0\\.0\\.1:\\d+ null 2");
	}

	@ParameterizedTest
	@EnumSource
	void whenHaProxyIsInFrontThenClientIsKnownAndHealthChecksAreNotCounted(Engine engine) throws Exception {
		Provided.haproxy();
		int text = FreePorts.next();
		int binary = FreePorts.next();
		String server = "server app 127.0.0.1:" + port(engine);
		long failed = failed(engine);
		long started = started(engine);
		try (ProxyProcess proxy = haproxy("""
				listen text
				  bind 127.0.0.1:%d
				  %s send-proxy check inter 100ms
				listen binary
				  bind 127.0.0.1:%d
				  unique-id-format connection-%%cp
				  %s send-proxy-v2 proxy-v2-options unique-id,crc32c check inter 100ms
				""".formatted(text, server, binary, server))) {
			proxy.await(text);
			assertThat(curl(text, "--interface", "127.0.0.5"))
				.matches("127\\.0\\.0\\.5:\\d+ 127\\.0\\.0\\.1:" + text + " null 2");
			assertThat(curl(binary, "--interface", "127.0.0.6", "--http1.1"))
				.matches("127\\.0\\.0\\.6:(\\d+) 127\\.0\\.0\\.1:" + binary + " connection-\\1 1\\.1");
			Thread.sleep(1000);
			assertThat(failed(engine)).isEqualTo(failed);
			// Those of curl
			assertThat(started(engine)).isEqualTo(started + 2);
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenNginxIsInFrontThenClientIsKnown(Engine engine) throws Exception {
		Provided.nginxStream();
		int port = FreePorts.next();
		try (ProxyProcess proxy = nginx("""
				server {
				  listen 127.0.0.1:%d;
				  proxy_pass 127.0.0.1:%d;
				  proxy_protocol on;
				}
				""".formatted(port, port(engine)))) {
			proxy.await(port);
			assertThat(curl(port, "--interface", "127.0.0.5"))
				.matches("127\\.0\\.0\\.5:\\d+ 127\\.0\\.0\\.1:" + port + " null 2");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenServerListensAtUnixSocketThenItCountsAsLoopback(Engine engine) throws Exception {
		Provided.haproxy();
		Path path = folder.resolve("server.socket");
		int text = FreePorts.next();
		int binary = FreePorts.next();
		String services = """
				listen text
				  bind 127.0.0.1:%d
				  server app unix@%s send-proxy
				listen binary
				  bind 127.0.0.1:%d
				  server app unix@%s send-proxy-v2
				""".formatted(text, path, binary, path);
		for (String trusted : List.of("127.0.0.1", "127.0.0.2")) {
			try (ConnectorServer server = start(
					new ConnectorServer(engine).http2().property("unixDomainSocketPath", path.toString()), trusted);
					ProxyProcess proxy = haproxy(services)) {
				proxy.await(text);
				List<String> direct = List.of("curl", "-sS", "-k", "--max-time", "20", "--unix-socket", path.toString(),
						"https://localhost/addresses");
				if (trusted.equals("127.0.0.1")) {
					for (int port : List.of(text, binary)) {
						assertThat(curl(port, "--interface", "127.0.0.5"))
							.matches("127\\.0\\.0\\.5:\\d+ 127\\.0\\.0\\.1:" + port + " null 2");
					}
					assertThat(Commands.run("", direct).status()).isNotZero();
				}
				else {
					assertThat(Commands.run("", command(binary)).status()).isNotZero();
					assertThat(Commands.run("", direct).orFail().output()).isEqualTo("127.0.0.1:0 127.0.0.1:0 null");
				}
				assertThat(server.handshakes().countStarted()).isPositive();
			}
		}
	}

	private String get(Engine engine, byte[] header) throws IOException {
		return exchange(engine, header, "GET /addresses HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
	}

	private String exchange(Engine engine, byte[] header, String request) throws IOException {
		try (Socket proxy = new Socket(PROXY, port(engine)); SSLSocket socket = proxied(proxy, header)) {
			socket.getOutputStream().write(ascii(request));
			String response = new String(socket.getInputStream().readAllBytes());
			assertThat(response).startsWith("HTTP/1.1 200");
			return response.substring(response.indexOf("\r\n\r\n") + 4);
		}
	}

	private SSLSocket proxied(Socket proxy, byte[] header) throws IOException {
		proxy.getOutputStream().write(header);
		return this.client.connect(proxy);
	}

	private void assertRefused(Engine engine, String reason, String from, byte[]... segments) throws IOException {
		long before = failed(engine, reason);
		try (Socket socket = connect(engine, from)) {
			for (byte[] segment : segments) {
				socket.getOutputStream().write(segment);
			}
			assertThat(first(socket)).isEqualTo(-1);
		}
		catch (SocketException ex) {
			// Refused before all was sent
		}
		Awaitility.await().untilAsserted(() -> assertThat(failed(engine, reason)).isEqualTo(before + 1));
	}

	private Socket connect(Engine engine, String from) throws IOException {
		Socket socket = new Socket(InetAddress.getByName("127.0.0.1"), port(engine), InetAddress.getByName(from), 0);
		socket.setTcpNoDelay(true);
		socket.setSoTimeout((int) AT_ONCE.toMillis());
		return socket;
	}

	// The end may be a reset
	private static int first(Socket socket) throws IOException {
		try {
			return socket.getInputStream().read();
		}
		catch (SocketException ex) {
			return -1;
		}
	}

	private static boolean isOpen(Socket socket, Duration patience) throws IOException {
		socket.setSoTimeout((int) patience.toMillis());
		try {
			return first(socket) != -1;
		}
		catch (SocketTimeoutException ex) {
			return true;
		}
	}

	private long started(Engine engine) {
		return server(engine).handshakes().countStarted();
	}

	private long failed(Engine engine) {
		return server(engine).failedHandshakes().values().stream().mapToLong(Long::longValue).sum();
	}

	private long failed(Engine engine, String reason) {
		return server(engine).failedHandshakes().getOrDefault(reason, 0L);
	}

	private String curl(Engine engine, String... options) {
		return curl(port(engine), options);
	}

	private static String curl(int port, String... options) {
		return Commands.run("", command(port, options)).orFail().output();
	}

	private static List<String> command(int port, String... options) {
		return Stream.concat(Stream.of("curl", "-sS", "-k", "-w", " %{http_version}", "--max-time", "20",
				"https://127.0.0.1:%d/addresses".formatted(port)), Stream.of(options))
			.toList();
	}

	private static ProxyProcess haproxy(String services) throws IOException {
		Path configuration = Files.createTempFile(folder, "haproxy", ".cfg");
		Files.writeString(configuration, """
				defaults
				  mode tcp
				  timeout connect 5s
				  timeout client 10s
				  timeout server 10s
				""" + services);
		return ProxyProcess.start(folder, "haproxy", "-db", "-f", configuration.toString());
	}

	private static ProxyProcess nginx(String servers) throws IOException {
		Path configuration = Files.writeString(folder.resolve("nginx.conf"), """
				load_module %s;
				daemon off;
				master_process off;
				pid nginx.pid;
				events {
				}
				stream {
				  %s
				}
				""".formatted(Provided.nginxStream(), servers));
		return ProxyProcess.start(folder, "nginx", "-p", folder.toString(), "-e", "stderr", "-c",
				configuration.toString());
	}

	private interface Segments {

		byte[][] of(byte[] hello);

	}

}
