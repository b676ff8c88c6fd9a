// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import javax.net.ssl.SNIHostName;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.engine.Engine;
import io.github.tomcatopenssl.test.CapturedLog;
import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.Http;
import io.github.tomcatopenssl.test.JavaClient;
import io.github.tomcatopenssl.test.Provided;
import io.github.tomcatopenssl.test.TestCertificates;
import io.github.tomcatopenssl.test.tls.RawClientHello;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import org.apache.catalina.valves.RemoteIpValve;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLSessionManager;
import org.apache.tomcat.util.net.SSLSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static io.github.tomcatopenssl.test.tls.TlsBytes.concat;
import static io.github.tomcatopenssl.test.tls.TlsBytes.hex;
import static io.github.tomcatopenssl.test.tls.TlsBytes.number;
import static io.github.tomcatopenssl.test.tls.TlsBytes.vector;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests of which requests {@link TlsRequestAdapter} accepts on a connection, where
 * virtual hosts verify their clients differently: the default host does not,
 * {@code localhost}, which is also the name of Tomcat's host, and {@code partner.test}
 * do.
 */
@Tag("servers")
class RequestedHostTests {

	private static final String ILLEGAL_PARAMETER = "1503030002022f";

	private static final String MISDIRECTED = "421";

	private final TestCertificates certificates = TestCertificates.get();

	@RegisterExtension
	private final CapturedLog log = new CapturedLog(FailureReport.class);

	private ConnectorServer server;

	private String verification = "required";

	private boolean alone;

	@AfterEach
	void stop() {
		this.server.close();
	}

	private void start(Engine engine, SSLHostConfig... more) throws Exception {
		start(new ConnectorServer(engine), more);
	}

	private void start(ConnectorServer configured, SSLHostConfig... more) throws Exception {
		List<SSLHostConfig> hosts = new ArrayList<>(List.of(more));
		hosts.add(host("_default_", "p256", "none"));
		if (!this.alone) {
			hosts.add(host("localhost", "other", this.verification));
			hosts.add(host("Partner.test", "p384", this.verification));
		}
		configured.tomcat().getEngine().getPipeline().addValve(forwarding());
		this.server = configured.answer("/", RequestedHostTests::answer)
			.start(ConnectorServer.settings(), hosts.toArray(SSLHostConfig[]::new));
	}

	private static void answer(HttpServletRequest request, HttpServletResponse response) throws IOException {
		if ("forget".equals(request.getQueryString())) {
			((SSLSessionManager) request.getAttribute(SSLSupport.SESSION_MGR)).invalidateSession();
		}
		byte[] answer = "%s %s %s"
			.formatted(request.getServerName(), request.getAttribute(TlsHttp11NioProtocol.HOST_ATTRIBUTE),
					request.getAttribute(TlsHttp11NioProtocol.CLIENT_VERIFIED_ATTRIBUTE))
			.getBytes(StandardCharsets.US_ASCII);
		response.setContentLength(answer.length);
		response.getOutputStream().write(answer);
	}

	private static RemoteIpValve forwarding() {
		RemoteIpValve valve = new RemoteIpValve();
		valve.setHostHeader("X-Forwarded-Host");
		valve.setProtocolHeader("X-Forwarded-Proto");
		return valve;
	}

	private SSLHostConfig host(String name, String certificate, String verification) throws Exception {
		SSLHostConfig host = ConnectorServer.host(certificate);
		host.setHostName(name);
		return ConnectorServer.verifying(host, verification, "ca.crt");
	}

	@ParameterizedTest
	@EnumSource
	void whenRequestNamesNoHostThenItIsThatOfItsConnection(Engine engine) throws Exception {
		start(engine);
		for (String request : List.of("GET / HTTP/1.0\r\n\r\n", "GET / HTTP/1.0\r\nHost:\r\n\r\n",
				"GET / HTTP/1.1\r\nHost: \r\nConnection: close\r\n\r\n")) {
			assertThat(send(request, "-noservername")).contains("127.0.0.1 _default_ false");
			assertThat(send(request, "-servername", "127.0.0.1")).contains("127.0.0.1 _default_ false");
			assertThat(send(request, "-servername", "Unknown.test")).contains("unknown.test _default_");
			assertThat(send(request, as("localhost"))).contains("localhost localhost true");
			assertThat(send(request, as("PARTNER.test"))).contains("partner.test partner.test true");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenRequestNamesAnotherHostThenItIsMisdirected(Engine engine) throws Exception {
		start(engine);
		for (String host : List.of("partner.test", "PARTNER.TEST.", "partner.test:443", "localhost")) {
			assertThat(send(get(host), "-noservername")).as(host).contains(MISDIRECTED).doesNotContain("_default_");
		}
		for (String host : List.of("unknown.test", "127.0.0.1")) {
			assertThat(send(get(host), "-noservername")).as(host).contains(" _default_");
			assertThat(send(get(host), as("partner.test"))).as(host).contains(MISDIRECTED);
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenRequestIsMisdirectedThenItIsCountedAndLogged(Engine engine) throws Exception {
		start(engine);
		for (int i = 0; i < 3; i++) {
			send(get("localhost"), as("partner.test"));
			send(get("\u202ea.test"), as("partner.test"));
			send(get("a.test\r\nX-Forwarded-Host: localhost"), "-servername", "a.test");
		}
		try (ServedConnection open = new ServedConnection("late.test")) {
			assertThat(open.get("late.test")).contains("late.test _default_ false");
			this.server.connector().addSslHostConfig(host("late.test", "p384", "required"));
			open.get("late.test");
		}
		Map<String, Long> misdirected = new HashMap<>();
		this.server.handshakes().listenMisdirected((host, count) -> misdirected.put(host, count.sum()));
		assertThat(misdirected).containsOnly(Map.entry("partner.test", 3L), Map.entry("_default_", 4L));
		assertThat(this.log.text()).containsOnlyOnce(
				"WARNING A request on port %d failed: not for the host of the connection, 'localhost' on a connection for 'partner.test'. Have the client send"
					.formatted(this.server.port()))
			.containsOnlyOnce(
					"WARNING A request on port %d failed: forwarding header with another host, 'localhost' on a connection for 'a.test'. If the header"
						.formatted(this.server.port()))
			.doesNotContain("FINE");
		this.log.all();
		send(get("localhost"), as("partner.test"));
		assertThat(this.log.text()).containsPattern(
				"FINE A request from 127.0.0.1:\\d+ on port %d failed: not for the host of the connection, 'localhost' on a connection for 'partner.test'\n"
					.formatted(this.server.port()));
	}

	@Test
	void whenHostBeginsToRequireCertificatesThenRefusedRequestsAreLogged() throws Exception {
		this.alone = true;
		start(Engine.JSSE);
		try (ServedConnection open = new ServedConnection("late.test")) {
			open.get("late.test");
			this.server.connector().getProtocolHandler().addSslHostConfig(host("_default_", "p384", "required"), true);
			assertThat(open.get("late.test")).contains(MISDIRECTED);
			assertThat(this.log.text()).containsOnlyOnce(
					"WARNING A request on port %d failed: client certificate missing, 'late.test' on a connection for 'late.test'. Give the client"
						.formatted(this.server.port()));
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenRequestedHostIsNoNameThenItIsMisdirected(Engine engine) throws Exception {
		start(engine, host("*.wild.test", "p384", "required"));
		for (String host : List.of("a".repeat(64) + ".wild.test", "a.".repeat(122) + "b.wild.test")) {
			assertThat(send(get(host), "-noservername")).as(host).contains(MISDIRECTED).doesNotContain("_default_");
		}
		assertThat(send(get("b.wild.test"), as("a.wild.test"))).contains("b.wild.test *.wild.test true");
	}

	@ParameterizedTest
	@EnumSource
	void whenAllNamesAreLenientThenHostsThatVerifyClientsAreStillApart(Engine engine) throws Exception {
		start(new ConnectorServer(engine).property("strictSni", "false"));
		assertThat(send(get("partner.test"), "-noservername")).contains(MISDIRECTED);
		assertThat(send(get("localhost"), as("partner.test"))).contains(MISDIRECTED);
	}

	@ParameterizedTest
	@EnumSource
	void whenHostIsForwardedThenItDoesNotStandForOneThatVerifiesClients(Engine engine) throws Exception {
		start(engine);
		for (String header : List.of("X-Forwarded-Host: partner.test", "X-Forwarded-Host: a.test, Partner.test.:443",
				"X-Forwarded-Host: a.test\r\nX-Forwarded-Host: localhost", "Forwarded: for=1.2.3.4;host=partner.test",
				"Forwarded: host=a.test, HOST=\"partner.test:1\"", "X-Forwarded-Host: partner.test:+443",
				"X-Forwarded-Host: b@partner.test", "X-Forwarded-Host: partner.test/a",
				"Forwarded: host=\"\"host=partner.test", "Forwarded: host=partner.test\"a",
				"Forwarded: host=\"part\\ner.test\"", "X-Forwarded-Prefix: @partner.test",
				"X-Forwarded-Host: a\r\nX-Forwarded-Prefix: /,tner.test", "X-Forwarded-Proto: https://partner.test/?",
				"Forwarded: proto=\"https://partner.test\"", "X-Forwarded-Host: " + "a,".repeat(101))) {
			assertThat(send(get("a.test\r\n" + header), "-noservername")).as(header)
				.contains(MISDIRECTED)
				.doesNotContain("_default_");
		}
		String forwarded = "\r\nX-Forwarded-For: 1.2.3.4\r\nX-Forwarded-Proto: https\r\nX-Forwarded-Prefix: /a,/b\r\nX-Forwarded-Host: ";
		assertThat(send(get("a.test" + forwarded + "b.test:1"), "-noservername")).contains("b.test _default_");
		assertThat(send(get("partner.test" + forwarded + "b.test"), as("partner.test")))
			.contains("b.test partner.test");
		assertThat(send(get("partner.test" + forwarded + "partner.test"), as("partner.test")))
			.contains("partner.test partner.test true");
	}

	@ParameterizedTest
	@EnumSource
	void whenServerNameIsNotAsciiThenHandshakeIsRefused(Engine engine) throws Exception {
		start(engine);
		byte[] name = "b\u00fccher.test".getBytes(StandardCharsets.UTF_8);
		for (RawClientHello hello : List.of(RawClientHello.tls12(Http.HTTP_1_1), RawClientHello.tls13(Http.HTTP_1_1))) {
			try (Socket socket = new Socket("localhost", this.server.port())) {
				socket.setSoTimeout(10_000);
				socket.getOutputStream()
					.write(hello.extension(0, vector(2, concat(number(1, 0), vector(2, name)))).record());
				assertThat(hex(socket.getInputStream().readAllBytes())).isEqualTo(ILLEGAL_PARAMETER);
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenHostIsAddedWhileItRunsThenOpenConnectionsAreNotOfIt(Engine engine) throws Exception {
		start(engine);
		try (ServedConnection open = new ServedConnection("late.test")) {
			assertThat(open.get("late.test")).contains("late.test _default_");
			this.server.connector().addSslHostConfig(host("late.test", "p384", "required"));
			assertThat(open.get("late.test")).contains(MISDIRECTED);
			assertThat(open.get("a.test")).contains("a.test _default_");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenHostBeginsToRequireCertificatesThenOpenConnectionsAreNotOfIt(Engine engine) throws Exception {
		start(engine, host("late.test", "p256", "none"));
		try (ServedConnection open = new ServedConnection("late.test")) {
			assertThat(open.get("late.test")).contains("late.test late.test false");
			this.server.connector().getProtocolHandler().addSslHostConfig(host("late.test", "p384", "required"), true);
			assertThat(open.get("late.test")).contains(MISDIRECTED);
		}
		assertThat(send(get("late.test"), as("late.test"))).contains("late.test late.test true");
	}

	@ParameterizedTest
	@EnumSource
	void whenTheOnlyHostBeginsToRequireCertificatesThenOpenConnectionsAreNotOfIt(Engine engine) throws Exception {
		this.alone = true;
		start(engine);
		try (ServedConnection open = new ServedConnection("late.test")) {
			assertThat(open.get("late.test")).contains("late.test _default_ false");
			this.server.connector().getProtocolHandler().addSslHostConfig(host("_default_", "p384", "required"), true);
			assertThat(open.get("late.test")).contains(MISDIRECTED);
		}
		assertThat(send(get("late.test"), as("late.test"))).contains("late.test _default_ true");
	}

	@Test
	void whenHostBeginsToVerifyClientsThenOpenConnectionsOfOthersAreNotOfIt() throws Exception {
		start(Engine.OPENSSL, lenient("late.test"));
		try (ServedConnection open = new ServedConnection("late.test",
				new JavaClient(JavaClient.managers("other-client", "p256.crt")))) {
			assertThat(open.get("late.test")).contains("late.test late.test false");
			this.server.connector().getProtocolHandler().addSslHostConfig(host("late.test", "p384", "required"), true);
			assertThat(open.get("late.test")).contains(MISDIRECTED);
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenHostIsRemovedThenItsOpenConnectionsAreNotOfTheOneThatRequiresCertificates(Engine engine) throws Exception {
		this.alone = true;
		start(engine, host("late.test", "p256", "none"));
		try (ServedConnection open = new ServedConnection("late.test")) {
			this.server.connector().getProtocolHandler().addSslHostConfig(host("_default_", "p384", "required"), true);
			assertThat(open.get("late.test")).contains("late.test late.test false");
			this.server.endpoint().removeSslHostConfig("late.test");
			assertThat(open.get("late.test")).contains(MISDIRECTED);
		}
		assertThat(send(get("late.test"), as("late.test"))).contains("late.test _default_ true");
	}

	@ParameterizedTest
	@EnumSource
	void whenRequestEndsItsSessionThenItsConnectionGoesOn(Engine engine) throws Exception {
		start(engine);
		try (ServedConnection open = new ServedConnection("a.test")) {
			assertThat(open.get("/?forget", "a.test")).contains("a.test _default_");
			assertThat(open.get("a.test")).contains("a.test _default_");
		}
	}

	// OpenSSL leaves it to the application
	@Test
	void whenHostDoesNotVerifyWhoHasIssuedACertificateThenItsClientIsNotVerified() throws Exception {
		start(Engine.OPENSSL, lenient("lenient.test"));
		assertThat(send(get("lenient.test"), "-servername", "lenient.test", "-cert",
				this.certificates.file("other-client.crt").toString(), "-key",
				this.certificates.file("other-client.key").toString()))
			.contains("lenient.test lenient.test false");
	}

	private SSLHostConfig lenient(String name) throws Exception {
		SSLHostConfig lenient = host(name, "p256", "optionalNoCA");
		lenient.setTrustStore(null);
		lenient.setCaCertificateFile(this.certificates.file("ca.crt").toString());
		return lenient;
	}

	@Test
	void whenNoHostVerifiesClientsThenAnyHostIsForwarded() throws Exception {
		this.verification = "none";
		start(Engine.JSSE);
		assertThat(send(get("a.test\r\nX-Forwarded-Prefix: a\r\nForwarded: host=_.-"), "-noservername"))
			.contains("a.test _default_");
	}

	@Test
	void whenNoClientCanAskForANameThenItsHostIsRefused() throws Exception {
		assertThatExceptionOfType(TlsSettingException.class)
			.isThrownBy(() -> new ConnectorServer(Engine.JSSE).connector()
				.addSslHostConfig(host("partner.test:8443", "p256", "required")))
			.withMessageContaining("'partner.test:8443'");
		start(Engine.JSSE, host("B\u00fccher.test.", "p256", "required"));
		assertThat(this.server.connector().findSslHostConfigs()).extracting(SSLHostConfig::getHostName)
			.contains("xn--bcher-kva.test");
		assertThat(send(get("xn--bcher-kva.test"), "-noservername")).contains(MISDIRECTED);
		assertThat(send(get("xn--bcher-kva.test"), as("xn--bcher-kva.test"))).contains("xn--bcher-kva.test xn--bcher");
	}

	private static String get(String host) {
		return "GET / HTTP/1.1\r\nHost: %s\r\nConnection: close\r\n\r\n".formatted(host);
	}

	private String[] as(String serverName) {
		return new String[] { "-servername", serverName, "-cert", this.certificates.file("client.crt").toString(),
				"-key", this.certificates.file("client.key").toString() };
	}

	private String send(String request, String... options) {
		Provided.openssl();
		List<String> command = new ArrayList<>(List.of("openssl", "s_client", "-quiet", "-no-CAfile", "-no-CApath",
				"-no-CAstore", "-ign_eof", "-connect", "127.0.0.1:" + this.server.port()));
		command.addAll(List.of(options));
		return Commands.run(request, command).output();
	}

	/**
	 * A connection that stays open.
	 */
	private final class ServedConnection implements AutoCloseable {

		private final SSLSocket socket;

		ServedConnection(String serverName) throws Exception {
			this(serverName, new JavaClient("p256.crt"));
		}

		ServedConnection(String serverName, JavaClient client) throws Exception {
			SSLSocket socket = client.connect(RequestedHostTests.this.server.port());
			SSLParameters parameters = socket.getSSLParameters();
			parameters.setServerNames(List.of(new SNIHostName(serverName)));
			socket.setSSLParameters(parameters);
			this.socket = socket;
		}

		String get(String host) throws IOException {
			return get("/", host);
		}

		String get(String target, String host) throws IOException {
			this.socket.getOutputStream()
				.write("GET %s HTTP/1.1\r\nHost: %s\r\n\r\n".formatted(target, host)
					.getBytes(StandardCharsets.US_ASCII));
			byte[] answer = new byte[4096];
			return new String(answer, 0, this.socket.getInputStream().read(answer), StandardCharsets.US_ASCII);
		}

		@Override
		public void close() throws IOException {
			this.socket.close();
		}

	}

}
