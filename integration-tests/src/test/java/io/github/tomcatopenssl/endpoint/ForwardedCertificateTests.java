// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.CertificateEncodingException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.net.ssl.SSLSocket;

import io.github.tomcatopenssl.test.AbstractTlsServerTests;
import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.JavaClient;
import io.github.tomcatopenssl.test.TestCertificates;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TestServer.Engine;
import jakarta.servlet.http.HttpServletRequest;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

import static io.github.tomcatopenssl.test.tls.TlsBytes.concat;
import static io.github.tomcatopenssl.test.tls.TlsBytes.hex;
import static io.github.tomcatopenssl.test.tls.TlsBytes.number;
import static io.github.tomcatopenssl.test.tls.TlsBytes.vector;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of servers that accept the certificates of clients from proxies: one at 127.0.0.3
 * with the PROXY protocol, and those with a certificate of the CA 'proxy-ca'.
 */
@ParameterizedClass
@EnumSource(names = { "SERVLET", "REACTIVE" })
class ForwardedCertificateTests extends AbstractTlsServerTests {

	private static final String PROXY = "127.0.0.3";

	private static final String START = "20250101000000Z";

	private static final String END = "20980101000000Z";

	private static final String FOR_CLIENTS = "extendedKeyUsage=clientAuth";

	private static final List<String> HTTP = List.of("--http1.1", "--http2");

	private static final String NOBODY = "nobody false [] 200";

	private static final String CLIENT = "client true";

	ForwardedCertificateTests(WebApplicationType type) {
		super(type);
	}

	@BeforeEach
	void issueCertificates() {
		issueCertificates(certificates());
	}

	static void issueCertificates(TestCertificates certificates) {
		if (!Files.exists(certificates.file("forwarded-leaf.crt"))) {
			certificates.issue("ca", "forwarded-server", "extendedKeyUsage=serverAuth", START, END);
			certificates.issue("ca", "forwarded-old", FOR_CLIENTS, START, "20250201000000Z");
			certificates.issue("intermediate", "forwarded-leaf", FOR_CLIENTS, START, END);
		}
	}

	private TestServer server(Engine engine, String header) {
		return shared(engine + header, () -> start(Forwarding.class, engine, properties(header)));
	}

	private String[] properties(String header, String... more) {
		Map<String, String> properties = new LinkedHashMap<>();
		for (String property : with(with(pem("p256"), "server.http2.enabled=true", "server.test.actuator=true",
				"client-auth=want", "ca-certificate-file=" + file("ca.crt"), "proxy-protocol.trusted=" + PROXY,
				"forwarded-client-certificate.header=" + header,
				"forwarded-client-certificate.proxy-ca-certificate-file=" + file("proxy-ca.crt")), more)) {
			properties.put(property.replaceFirst("=.*", ""), property);
		}
		return properties.values().toArray(String[]::new);
	}

	@ParameterizedTest
	@EnumSource
	void whenProxyForwardsCertificateThenItIsThatOfTheRequest(Engine engine) {
		TestServer clientCert = server(engine, "client-cert");
		TestServer xForwarded = server(engine, "x-forwarded-client-cert");
		for (String http : HTTP) {
			for (String[] proxy : List.of(byCertificate("proxy"), byAddress())) {
				assertThat(get(clientCert, with(proxy, http, "-H", clientCert("client"))))
					.isEqualTo(CLIENT + " [client-cert] 200");
				assertThat(get(clientCert,
						with(proxy, http, "-H", clientCert("forwarded-leaf"), "-H",
								"client-cert-chain: " + base64("intermediate") + ", " + base64("ca"))))
					.isEqualTo("forwarded-leaf true [client-cert, client-cert-chain] 200");
				assertThat(get(xForwarded,
						with(proxy, http, "-H",
								"X-Forwarded-Client-Cert: By=a;Hash=b;Cert=\"%s\";URI=".formatted(pem("client", "")))))
					.isEqualTo(CLIENT + " [x-forwarded-client-cert] 200");
				assertThat(get(xForwarded,
						with(proxy, http, "-H",
								"X-Forwarded-Client-Cert: Chain=\"%s\""
									.formatted(pem("forwarded-leaf", "intermediate")))))
					.isEqualTo("forwarded-leaf true [x-forwarded-client-cert] 200");
				assertThat(get(clientCert, with(proxy, http))).isEqualTo(NOBODY);
				assertThat(get(xForwarded, with(proxy, http, "-H", clientCert("client")))).isEqualTo(NOBODY);
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenAnybodyElseSendsHeadersThenTheyAreRemoved(Engine engine) {
		for (TestServer server : List.of(server(engine, "client-cert"), server(engine, "x-forwarded-client-cert"),
				server(engine, "proxy-protocol"))) {
			for (String http : HTTP) {
				String[] headers = { http, "-H", clientCert("client"), "-H", "CLIENT-cert: again", "-H",
						"client-CERT-chain: " + base64("ca"), "-H",
						"x-forwarded-Client-cert: Cert=\"%s\"".formatted(pem("client", "")), "-H",
						"X-Forwarded-Client-Cert: 2" };
				assertThat(get(server, headers)).isEqualTo(NOBODY);
				assertThat(get(server, with(byCertificate("client"), headers))).isEqualTo("client true [] 200");
				assertThat(get(server, with(byCertificate("forwarded-leaf", "intermediate"), headers)))
					.isEqualTo("forwarded-leaf true [] 200");
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenAnybodyForwardsInTrailerThenItIsNotRead(Engine engine) throws IOException {
		// A reactive application sees no trailers
		try (TestServer server = TestServer.start(WebApplicationType.SERVLET, Forwarding.class,
				allProperties(engine, properties("client-cert")))) {
			try (SSLSocket socket = new JavaClient(JavaClient.managers("proxy", "p256.crt")).connect(server.port())) {
				assertThat(exchange(socket, """
						POST /trailers HTTP/1.1
						Host: localhost
						Transfer-Encoding: chunked
						Connection: close

						1
						a
						0
						Client-Cert: %1$s
						client_cert: %1$s
						X-Other: b

						""".formatted(base64("client")))).contains(" 200 ").endsWith("{X-Other=b}");
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenForwardedCertificateIsNotTrustedThenRequestIsRefusedAndCounted(Engine engine) {
		TestServer server = server(engine, "client-cert");
		for (String http : HTTP) {
			for (int i = 0; i < 2; i++) {
				assertRefused(server, "client certificate issuer unknown", http, clientCert("other-client"));
				assertRefused(server, "client certificate issuer unknown", http, clientCert("proxy"));
				assertRefused(server, "client certificate issuer unknown", http, clientCert("forwarded-leaf"));
				assertRefused(server, "client certificate expired", http, clientCert("forwarded-old"));
				assertRefused(server, "client certificate without clientAuth", http, clientCert("forwarded-server"));
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenHeaderIsInvalidThenRequestIsRefusedAndCounted(Engine engine) {
		String invalid = "forwarded certificate invalid";
		String base64 = base64("client");
		for (String http : HTTP) {
			TestServer server = server(engine, "client-cert");
			assertRefused(server, invalid, http, clientCert("client"), clientCert("client"));
			assertRefused(server, invalid, http, clientCert("client"), clientCert("forwarded-leaf"));
			assertRefused(server, invalid, http, clientCert("client") + ", " + base64);
			assertRefused(server, invalid, http, "Client-Cert-Chain: " + base64);
			assertRefused(server, invalid, http, clientCert("client"), "Client-Cert-Chain: " + base64 + ",");
			assertRefused(server, invalid, http, "Client-Cert: " + base64.substring(1));
			assertRefused(server, invalid, http, "Client-Cert: :" + base64(concat(der("client"), new byte[1])) + ":");
			assertRefused(server, invalid, http, "Client-Cert: :"
					+ base64(certificates().read("client.crt").getBytes(StandardCharsets.US_ASCII)) + ":");
			TestServer xForwarded = server(engine, "x-forwarded-client-cert");
			String element = "Cert=\"%s\"".formatted(pem("client", ""));
			for (String value : List.of(element + "," + element, element + ";" + element,
					element + ";Chain=\"%s\"".formatted(pem("forwarded-leaf", "intermediate")), "Hash=a",
					"Cert=\"%s\"".formatted(pem("client", "ca")), element + ";URI=a,b", "Subject=\"a")) {
				assertRefused(xForwarded, invalid, http, "X-Forwarded-Client-Cert: " + value);
			}
			assertRefused(xForwarded, invalid, http, "X-Forwarded-Client-Cert: " + element,
					"X-Forwarded-Client-Cert: " + element);
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenClientOfTrustedAddressHasItsOwnCertificateThenNoOtherIsForwarded(Engine engine) {
		TestServer server = server(engine, "client-cert");
		String[] client = with(byAddress(), byCertificate("client"));
		assertThat(get(server, client)).isEqualTo("client true [] 200");
		assertThat(get(server,
				with(client, "-H", clientCert("forwarded-leaf"), "-H", "Client-Cert-Chain: " + base64("intermediate"))))
			.isEqualTo(" 400");
	}

	@ParameterizedTest
	@EnumSource
	void whenCertificateIsRequiredThenProxyHasToForwardOne(Engine engine) {
		try (TestServer server = start(Forwarding.class, engine, properties("client-cert", "client-auth=need"))) {
			String[] proxy = byCertificate("proxy");
			assertThat(get(server, with(proxy, "-H", clientCert("client")))).isEqualTo(CLIENT + " [client-cert] 200");
			assertThat(get(server, proxy)).isEqualTo(" 400");
			assertThat(
					server.counter("tomcat.ssl.forwarded.certificates.refused", "reason", "client certificate missing"))
				.isOne();
			assertThat(get(server, byCertificate("client"))).isEqualTo("client true [] 200");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenHostsHaveOtherCasThenCertificateMustChainToThoseOfTheRequest(Engine engine) {
		try (TestServer server = start(Forwarding.class, engine,
				properties("client-cert", "server-name-certificates[0].server-name=other.test",
						"server-name-certificates[0].certificate-file=" + file("other.crt"),
						"server-name-certificates[0].certificate-key-file=" + file("other.key"),
						"server-name-certificates[0].trust-certificate-file=" + file("other-ca.crt"),
						"server-name-certificates[1].server-name=public.test",
						"server-name-certificates[1].certificate-file=" + file("p384.crt"),
						"server-name-certificates[1].certificate-key-file=" + file("p384.key"),
						"server-name-certificates[1].client-auth=none"))) {
			for (String http : HTTP) {
				String[] proxy = with(byCertificate("proxy"), http);
				String[] other = with(proxy, "-H", clientCert("other-client"));
				assertThat(getFrom(server, "other.test", other)).isEqualTo("other-client true [client-cert] 200");
				assertThat(getFrom(server, "localhost", other)).isEqualTo(" 400");
				assertThat(getFrom(server, "localhost", with(other, "-H", "Host: other.test"))).isEqualTo(" 421");
				assertThat(getFrom(server, "other.test", with(proxy, "-H", clientCert("client")))).isEqualTo(" 400");
				assertThat(getFrom(server, "public.test", other)).isEqualTo(NOBODY);
				assertThat(getFrom(server, "public.test", with(byAddress(), http, "-H", clientCert("client"))))
					.isEqualTo(NOBODY);
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenCertificateIsInHeaderOfProxyProtocolThenItIsThatOfTheConnection(Engine engine) throws Exception {
		TestServer server = server(engine, "proxy-protocol");
		byte[] certificate = concat(number(1, 0x28), vector(2, der("client")));
		assertThat(proxied(server, tls(7, 0, certificate))).endsWith("client true []");
		assertThat(proxied(server, tls(5, 0, concat(number(1, 0x21), vector(2, new byte[3])), certificate)))
			.endsWith("client true []");
		assertThat(proxied(server, tls(7, 0))).endsWith("nobody false []");
		assertThat(proxied(server)).endsWith("nobody false []");
		for (byte[][] additions : List.of(new byte[][] { tls(7, 1, certificate) },
				new byte[][] { tls(1, 0, certificate) }, new byte[][] { tls(7, 0, certificate, certificate) },
				new byte[][] { tls(7, 0, certificate), tls(7, 0, certificate) },
				new byte[][] { tls(7, 0, new byte[] { 0x28, 0 }) },
				new byte[][] { tls(7, 0, concat(number(1, 0x28), vector(2, der("other-client")))) })) {
			assertThat(proxied(server, additions)).startsWith("HTTP/1.1 400");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenCaOfProxyIsTakenAwayThenItsConnectionsAreNotBelievedAnyMore(Engine engine) throws Exception {
		Path cas = certificates().file("proxy-cas-" + engine + type() + ".crt");
		Files.copy(certificates().file("proxy-ca.crt"), cas, StandardCopyOption.REPLACE_EXISTING);
		String[] more = { "forwarded-client-certificate.proxy-ca-certificate-file=" + cas };
		try (TestServer server = start(Forwarding.class, engine, properties("client-cert", more));
				SSLSocket proxy = new JavaClient(JavaClient.managers("proxy", "p256.crt")).connect(server.port())) {
			String request = "GET /forwarded HTTP/1.1\nHost: localhost\n%s\n\n".formatted(clientCert("client"));
			assertThat(exchange(proxy, request)).contains(" 200 ").endsWith("client true [client-cert]");
			// An idle connection would be closed
			proxy.getOutputStream().write("GET /forwarded".getBytes(StandardCharsets.US_ASCII));
			Files.copy(certificates().file("other-ca.crt"), cas, StandardCopyOption.REPLACE_EXISTING);
			Awaitility.await()
				.untilAsserted(() -> assertThat(server.counter("tomcat.ssl.certificate.reloads", "outcome", "success"))
					.isOne());
			assertThat(exchange(proxy, request.replace("GET /forwarded", ""))).contains(" 421 ")
				.contains("Connection: close");
			assertThat(server.counter("tomcat.ssl.requests.misdirected", "host", "_default_")).isOne();
			assertThat(get(server, with(byCertificate("other-client"), "-H", clientCert("client"))))
				.isEqualTo(CLIENT + " [client-cert] 200");
			// Refused, because every client would be a proxy
			Files.copy(certificates().file("ca.crt"), cas, StandardCopyOption.REPLACE_EXISTING);
			Awaitility.await()
				.untilAsserted(() -> assertThat(server.counter("tomcat.ssl.certificate.reloads", "outcome", "failure"))
					.isPositive());
			assertThat(get(server, with(byCertificate("client"), "-H", clientCert("forwarded-server"))))
				.isEqualTo("client true [] 200");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenCaOfClientsIsTakenAwayThenItsCertificatesAreRefused(Engine engine) throws Exception {
		Path cas = certificates().join("cas-" + engine + type() + ".crt", "ca.crt", "other-ca.crt");
		try (TestServer server = start(Forwarding.class, engine,
				properties("client-cert", "ca-certificate-file=" + cas))) {
			String[] request = with(byCertificate("proxy"), "-H", clientCert("client"));
			assertThat(get(server, request)).isEqualTo(CLIENT + " [client-cert] 200");
			Files.copy(certificates().file("other-ca.crt"), cas, StandardCopyOption.REPLACE_EXISTING);
			Awaitility.await()
				.untilAsserted(() -> assertThat(server.counter("tomcat.ssl.certificate.reloads", "outcome", "success"))
					.isOne());
			assertThat(get(server, request)).isEqualTo(" 400");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenClientsShareConnectionOfProxyThenTheyShareNoHttpSession(Engine engine) throws Exception {
		// A reactive application has no sessions of Tomcat
		try (TestServer server = TestServer.start(WebApplicationType.SERVLET, Forwarding.class, allProperties(engine,
				properties("client-cert", "server.servlet.session.tracking-modes=ssl", "enabled-protocols=TLSv1.2")))) {
			try (SSLSocket proxy = new JavaClient(JavaClient.managers("proxy", "p256.crt")).connect(server.port())) {
				assertThat(owners(proxy)).containsExactly("CN=client", "CN=forwarded-leaf");
			}
			try (Socket socket = connect(server)) {
				socket.getOutputStream().write("PROXY UNKNOWN\r\n".getBytes(StandardCharsets.US_ASCII));
				try (SSLSocket proxy = new JavaClient("p256.crt").connect(socket)) {
					assertThat(owners(proxy)).containsExactly("CN=client", "CN=forwarded-leaf");
				}
			}
		}
	}

	private List<String> owners(SSLSocket proxy) throws IOException {
		List<String> owners = new ArrayList<>();
		for (String client : List.of(clientCert("client"),
				clientCert("forwarded-leaf") + "\nClient-Cert-Chain: " + base64("intermediate"))) {
			owners.add(exchange(proxy, "GET /owner HTTP/1.1\nHost: localhost\n%s\n\n".formatted(client))
				.replaceFirst("(?s).*\r\n\r\n", ""));
		}
		return owners;
	}

	private static Socket connect(TestServer server) throws IOException {
		return new Socket(InetAddress.getByName("127.0.0.1"), server.port(), InetAddress.getByName(PROXY), 0);
	}

	private String proxied(TestServer server, byte[]... additions) throws IOException {
		byte[] addresses = hex("c0000201c0000202123401bb");
		try (Socket socket = connect(server)) {
			socket.getOutputStream()
				.write(concat(hex("0d0a0d0a000d0a515549540a2111"), vector(2, concat(addresses, concat(additions)))));
			try (SSLSocket tls = new JavaClient("p256.crt").connect(socket)) {
				return exchange(tls, "GET /forwarded HTTP/1.1\nHost: localhost\nConnection: close\n\n");
			}
		}
	}

	private static byte[] tls(int client, int verify, byte[]... more) {
		return concat(number(1, 0x20), vector(2, concat(number(1, client), number(4, verify), concat(more))));
	}

	// A response without chunks
	private static String exchange(SSLSocket socket, String request) throws IOException {
		socket.getOutputStream().write(request.replace("\n", "\r\n").getBytes(StandardCharsets.US_ASCII));
		byte[] answer = new byte[4096];
		return new String(answer, 0, socket.getInputStream().read(answer), StandardCharsets.US_ASCII);
	}

	private void assertRefused(TestServer server, String reason, String http, String... headers) {
		double before = server.counter("tomcat.ssl.forwarded.certificates.refused", "reason", reason);
		List<String> options = new ArrayList<>(List.of(http));
		Stream.of(headers).forEach((header) -> options.addAll(List.of("-H", header)));
		assertThat(get(server, with(byCertificate("proxy"), options.toArray(String[]::new)))).as(options.toString())
			.isEqualTo(" 400");
		assertThat(server.counter("tomcat.ssl.forwarded.certificates.refused", "reason", reason)).as(reason)
			.isEqualTo(before + 1);
	}

	private String[] byCertificate(String name, String... chain) {
		String certificate = file(name + ".crt");
		if (chain.length > 0) {
			certificate = certificates().join(name + "-chain.crt", name + ".crt", chain[0] + ".crt").toString();
		}
		return new String[] { "--cert", certificate, "--key", file(name + ".key") };
	}

	private static String[] byAddress() {
		return new String[] { "--haproxy-protocol", "--interface", PROXY };
	}

	private String get(TestServer server, String... options) {
		return getFrom(server, "localhost", options);
	}

	private String getFrom(TestServer server, String name, String... options) {
		List<String> command = new ArrayList<>(List.of("curl", "-sSk", "--max-time", "20", "-w", " %{http_code}",
				"--resolve", "%s:%d:127.0.0.1".formatted(name, server.port()),
				"https://%s:%d/forwarded".formatted(name, server.port())));
		command.addAll(List.of(options));
		return Commands.run("", command).orFail().output();
	}

	private String clientCert(String name) {
		return "Client-Cert: " + base64(name);
	}

	private String base64(String name) {
		return ":" + base64(der(name)) + ":";
	}

	private static String base64(byte[] bytes) {
		return Base64.getEncoder().encodeToString(bytes);
	}

	private byte[] der(String name) {
		try {
			return certificates().certificate(name + ".crt").getEncoded();
		}
		catch (CertificateEncodingException ex) {
			throw new IllegalStateException(ex);
		}
	}

	// As Envoy encodes it
	private String pem(String name, String issuer) {
		return Stream.of(name, issuer)
			.filter((one) -> !one.isEmpty())
			.map((one) -> "-----BEGIN CERTIFICATE-----\n%s\n-----END CERTIFICATE-----\n"
				.formatted(Base64.getMimeEncoder(64, new byte[] { '\n' }).encodeToString(der(one))))
			.collect(Collectors.joining())
			.replace("\n", "%0A")
			.replace(" ", "%20")
			.replace("+", "%2B")
			.replace("/", "%2F")
			.replace("=", "%3D");
	}

	private static String describe(HttpServletRequest request) {
		X509Certificate[] chain = (X509Certificate[]) request.getAttribute("jakarta.servlet.request.X509Certificate");
		// Tomcat fills in what it knows of the connection, whichever attribute is asked
		// for
		assertThat(request.getAttribute("jakarta.servlet.request.cipher_suite")).isNotNull();
		assertThat((Object[]) request.getAttribute("jakarta.servlet.request.X509Certificate")).isEqualTo(chain);
		List<String> headers = Collections.list(request.getHeaderNames())
			.stream()
			.map(String::toLowerCase)
			.filter((name) -> name.contains("client-cert"))
			.sorted()
			.toList();
		return "%s %s %s".formatted(
				(chain != null) ? chain[0].getSubjectX500Principal().getName().replace("CN=", "") : "nobody",
				request.getAttribute(TlsHttp11NioProtocol.CLIENT_VERIFIED_ATTRIBUTE), headers);
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ ServletForwarding.class, ReactiveForwarding.class })
	static class Forwarding {

		@Bean
		WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory> trailers() {
			return (factory) -> factory.addConnectorCustomizers(
					(connector) -> connector.setProperty("allowedTrailerHeaders", "Client-Cert,Client_Cert,X-Other"));
		}

	}

	@RestController
	@ConditionalOnWebApplication(type = Type.SERVLET)
	static class ServletForwarding {

		@GetMapping("/forwarded")
		String forwarded(HttpServletRequest request) {
			return describe(request);
		}

		// The client that has begun the session
		@GetMapping("/owner")
		String owner(HttpServletRequest request) {
			X509Certificate[] chain = (X509Certificate[]) request
				.getAttribute("jakarta.servlet.request.X509Certificate");
			if (request.getSession().isNew()) {
				request.getSession().setAttribute("owner", chain[0].getSubjectX500Principal().getName());
			}
			return (String) request.getSession().getAttribute("owner");
		}

		@PostMapping("/trailers")
		String trailers(HttpServletRequest request) throws IOException {
			request.getInputStream().readAllBytes();
			return request.getTrailerFields().toString();
		}

	}

	@RestController
	@ConditionalOnWebApplication(type = Type.REACTIVE)
	static class ReactiveForwarding {

		@GetMapping("/forwarded")
		String forwarded(ServerHttpRequest request) {
			String described = describe(ServerHttpRequestDecorator.getNativeRequest(request));
			X509Certificate[] chain = (request.getSslInfo() != null) ? request.getSslInfo().getPeerCertificates()
					: null;
			assertThat(described).startsWith((chain != null)
					? chain[0].getSubjectX500Principal().getName().replace("CN=", "") + " true" : "nobody false");
			return described;
		}

	}

}
