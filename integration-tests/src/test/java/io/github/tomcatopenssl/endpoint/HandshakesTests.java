// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import javax.net.ssl.SSLSocket;

import io.github.tomcatopenssl.test.AbstractTlsServerTests;
import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.JavaClient;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TestServer.Engine;
import io.github.tomcatopenssl.test.TlsClient;
import jakarta.servlet.http.HttpServletRequest;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.server.reactive.ServerHttpRequest;
import org.springframework.http.server.reactive.ServerHttpRequestDecorator;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

/**
 * Tests of what is recorded about handshakes.
 */
@Tag("jdk")
@ParameterizedClass
@EnumSource(names = { "SERVLET", "REACTIVE" })
@ExtendWith(OutputCaptureExtension.class)
class HandshakesTests extends AbstractTlsServerTests {

	private static final String PATTERN = "%{org.apache.tomcat.util.net.secure_protocol_version}r %{jakarta.servlet.request.cipher_suite}r %{io.github.tomcatopenssl.tls.group}r";

	@TempDir
	private Path folder;

	HandshakesTests(WebApplicationType type) {
		super(type);
	}

	@ParameterizedTest
	@EnumSource
	void whenHandshakeIsCompletedThenItsKeyExchangeIsCounted(Engine engine) throws Exception {
		try (TestServer server = startLogging(engine, with(pem("rsa"),
				"ciphers=TLS_AES_256_GCM_SHA384,TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,TLS_DHE_RSA_WITH_AES_256_GCM_SHA384"))) {
			assertThat(TlsClient.connect(server.port(), "-groups", "P-384").isServed()).isTrue();
			assertThat(TlsClient.connect(server.port(), "-tls1_2", "-groups", "P-256").isServed()).isTrue();
			assertThat(TlsClient.connect(server.port(), "-tls1_2", "-cipher", "DHE").isServed()).isTrue();
			assertThat(exchanges(server, "TLSv1.3", "secp384r1", "false")).isOne();
			assertThat(exchanges(server, "TLSv1.2", "secp256r1", "false")).isOne();
			assertThat(exchanges(server, "TLSv1.2", "dhe-2048", "false")).isOne();
			// Tomcat's OpenSSL engine adds to the version
			assertThat(accessLog()).map((line) -> line.replace(":TLS ", " "))
				.containsExactly("TLSv1.3 TLS_AES_256_GCM_SHA384 secp384r1",
						"TLSv1.2 TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384 secp256r1",
						"TLSv1.2 TLS_DHE_RSA_WITH_AES_256_GCM_SHA384 dhe-2048");
			server.bundles().updateBundle("server-ssl", server.bean(SslBundles.class).getBundle("server-ssl"));
			assertThat(TlsClient.connect(server.port(), "-groups", "P-384").isServed()).isTrue();
			assertThat(exchanges(server, "TLSv1.3", "secp384r1", "false")).isEqualTo(2);
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenSessionIsResumedThenSaysSo(Engine engine) {
		try (TestServer server = start(engine, pem("p256"))) {
			for (String version : List.of("-tls1_3", "-tls1_2")) {
				String session = this.folder.resolve("session" + version).toString();
				TlsClient.connect(server.port(), version, "-groups", "P-256", "-sess_out", session);
				assertThat(TlsClient.connect(server.port(), version, "-groups", "P-256", "-sess_in", session).output())
					.contains("Reused, TLSv1.");
			}
			assertThat(exchanges(server, "TLSv1.3", "secp256r1", "true")).isOne();
			assertThat(exchanges(server, "TLSv1.2", "none", "true")).isOne();
		}
	}

	@ParameterizedTest
	@MethodSource("io.github.tomcatopenssl.endpoint.GroupsTests#configurable")
	void whenClientHasToSendAnotherKeyShareThenItIsCounted(Engine engine) {
		try (TestServer server = start(engine, pem("p256"))) {
			assertThat(TlsClient.connect(server.port(), "-groups", "ffdhe8192:P-384").isServed()).isTrue();
			assertThat(server.counter("tomcat.ssl.hello.retries")).isOne();
			assertThat(exchanges(server, "TLSv1.3", "secp384r1", "false")).isOne();
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenRequestComesThenHasTheGroupAsItsAttribute(Engine engine) throws Exception {
		// JSSE is the client
		String group = (GroupsTests.isHybrid(engine) && GroupsTests.isHybrid(Engine.JSSE)) ? "X25519MLKEM768"
				: "x25519";
		try (TestServer server = startLogging(engine, with(pem("p256"), "server.http2.enabled=true"))) {
			for (HttpClient.Version version : HttpClient.Version.values()) {
				HttpClient client = HttpClient.newBuilder()
					.version(version)
					.sslContext(certificates().trusting("p256.crt"))
					.build();
				for (int i = 0; i < 2; i++) {
					HttpRequest request = HttpRequest
						.newBuilder(URI.create("https://localhost:%d/group".formatted(server.port())))
						.build();
					assertThat(client.send(request, BodyHandlers.ofString()))
						.returns(group, (response) -> response.body())
						.returns(version, (response) -> response.version());
				}
			}
			// Written after the answer
			Awaitility.await()
				.atMost(Duration.ofSeconds(10))
				.untilAsserted(() -> assertThat(accessLog()).hasSize(4)
					.allSatisfy((line) -> assertThat(line).endsWith(" " + group)));
			assertThat(exchanges(server, "TLSv1.3", group, "false")).isPositive();
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenClientSharesNothingThenReasonIsCounted(Engine engine) {
		try (TestServer server = start(engine, pem("p256"))) {
			TlsClient.connect(server.port(), "-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-SHA");
			TlsClient.connect(server.port(), "-tls1_3", "-ciphersuites", "TLS_AES_128_CCM_SHA256");
			assertFailed(server, "no shared suite", 2);
			TlsClient.connect(server.port(), "-tls1_1", "-cipher", "ALL:@SECLEVEL=0");
			assertFailed(server, "protocol version", 1);
		}
	}

	@ParameterizedTest
	@MethodSource("io.github.tomcatopenssl.endpoint.GroupsTests#configurable")
	void whenClientSharesNoGroupThenReasonIsCountedAlsoAfterAReload(Engine engine) {
		try (TestServer server = start(engine, pem("p256"))) {
			for (int i = 1; i <= 2; i++) {
				for (String version : List.of("-tls1_2", "-tls1_3")) {
					assertThat(TlsClient.connect(server.port(), version, "-groups", "P-521").isServed()).isFalse();
				}
				assertFailed(server, "no shared group", 2 * i);
				server.bundles().updateBundle("server-ssl", server.bean(SslBundles.class).getBundle("server-ssl"));
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenClientIsNotAcceptedThenReasonIsCountedAndLogged(Engine engine, CapturedOutput output) throws Exception {
		certificates().join("cas.crt", "ca.crt", "other-ca.crt");
		issueRefused();
		Map<String, String> reasons = Map.of("forged", "issuer unknown", "outdated", "expired", "early",
				"not yet valid", "server-only", "without clientAuth", "sign-only", "rejected", "revoked", "revoked",
				"other-client", "revocation unknown");
		try (TestServer server = start(engine,
				with(pem("p256"), "client-auth=need", "ca-certificate-file=" + file("cas.crt"),
						"certificate-revocation-list-file=" + certificates().revocationList("ca", "reasons.crl"),
						"logging.level." + FailureReport.class.getName() + "=debug"))) {
			for (String version : List.of("-tls1_2", "-tls1_3")) {
				assertThat(TlsClient.connect(server.port(), version).isServed()).isFalse();
				for (String client : reasons.keySet()) {
					assertThat(connectAs(server, client, version).isServed()).as(client).isFalse();
				}
				assertThat(connectAs(server, "client", version).isServed()).isTrue();
			}
			assertFailed(server, "client certificate missing", 2);
			for (Map.Entry<String, String> expected : reasons.entrySet()) {
				assertFailed(server, "client certificate " + expected.getValue(), 2);
				String line = " on port %d failed: client certificate %s, subject 'CN=%s".formatted(server.port(),
						expected.getValue(), expected.getKey());
				String serialNumber = "', serial number " + serialNumber(expected.getKey());
				// Each in detail, and the first one as a warning
				assertThat(output.getAll().lines().filter((logged) -> logged.contains(line))).hasSize(3)
					.allSatisfy((logged) -> assertThat(logged).contains(serialNumber))
					.filteredOn((logged) -> logged.contains(" WARN "))
					.hasSize(1);
			}
			assertThat(server.counter("tomcat.ssl.handshakes.failed")).isEqualTo(16);
		}
	}

	private void issueRefused() {
		if (Files.exists(certificates().file("forged.crt"))) {
			return;
		}
		String forClients = "extendedKeyUsage=clientAuth";
		certificates().openssl("req", "-x509", "-utf8", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
				"-nodes", "-subj", "/CN=forged\nERROR 'x' \u202e" + "y".repeat(20), "-keyout", "forged.key", "-out",
				"forged.crt");
		certificates().issue("ca", "outdated", forClients, "20250101000000Z", "20250201000000Z");
		certificates().issue("ca", "early", forClients, "20970101000000Z", "20980101000000Z");
		certificates().issue("ca", "server-only", "extendedKeyUsage=serverAuth", "20250101000000Z", "20980101000000Z");
		certificates().issue("ca", "sign-only", "keyUsage=critical,keyCertSign", "20250101000000Z", "20980101000000Z");
		certificates().issue("ca", "revoked", forClients, "20250101000000Z", "20980101000000Z");
		certificates().revoke("ca", "revoked");
	}

	private String serialNumber(String name) {
		return certificates().certificate(name + ".crt").getSerialNumber().toString(16);
	}

	@ParameterizedTest
	@EnumSource
	void whenClientWithoutCertificateSendsItsRequestAtOnceThenReasonIsCounted(Engine engine) {
		try (TestServer server = start(engine, with(pem("p256"), "client-auth=need",
				"ca-certificate-file=" + file("ca.crt"), "server.http2.enabled=true"))) {
			for (int i = 0; i < 5; i++) {
				assertThat(Commands
					.run("", List.of("curl", "--silent", "--insecure", "--tlsv1.3", "--http2",
							"https://localhost:" + server.port()))
					.status()).isNotZero();
			}
			assertFailed(server, "client certificate missing", 5);
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenJavaClientHasNoCertificateThenReasonIsCounted(Engine engine) throws Exception {
		try (TestServer server = start(engine,
				with(pem("p256"), "client-auth=need", "ca-certificate-file=" + file("ca.crt")))) {
			JavaClient client = new JavaClient("p256.crt");
			for (String suite : List.of("TLS_AES_128_GCM_SHA256", "TLS_AES_256_GCM_SHA384",
					"TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256")) {
				try (SSLSocket socket = client.connect(server.port())) {
					socket.setEnabledCipherSuites(new String[] { suite });
					assertThatIOException().isThrownBy(() -> JavaClient.get(socket, "/hello"));
				}
			}
			assertFailed(server, "client certificate missing", 3);
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenJavaClientDoesNotTrustTheServerThenReasonIsLoggedAtOnce(Engine engine, CapturedOutput output)
			throws Exception {
		try (TestServer server = start(engine,
				with(pem("p256"), "client-auth=need", "ca-certificate-file=" + file("ca.crt")))) {
			JavaClient client = new JavaClient("ca.crt");
			for (String version : List.of("TLSv1.2", "TLSv1.3")) {
				try (SSLSocket socket = client.connect(server.port())) {
					socket.setEnabledProtocols(new String[] { version });
					assertThatIOException().isThrownBy(socket::startHandshake);
				}
			}
			assertFailed(server, "server certificate rejected", 1);
			assertFailed(server, "alert from the client", 1);
			for (String reason : List.of("server certificate rejected", "alert from the client")) {
				assertThat(output).containsOnlyOnce(
						"A handshake on port %d failed: %s. The client may not trust".formatted(server.port(), reason));
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenClientLeavesThenReasonIsCounted(Engine engine) throws Exception {
		try (TestServer server = start(engine, with(pem("p256"), "handshake-timeout=1s"))) {
			new Socket("localhost", server.port()).close();
			assertThat(TlsClient.connect(server.port(), "-tls1_2", "-verify_return_error", "-CAfile", file("ca.crt"))
				.isServed()).isFalse();
			assertThat(TlsClient.connect(server.port(), "-tls1_3", "-verify_return_error", "-CAfile", file("ca.crt"))
				.isServed()).isFalse();
			// In TLS 1.3, OpenSSL's clients do not encrypt it either
			assertFailed(server, "server certificate rejected", 2);
			try (Socket socket = new Socket("localhost", server.port())) {
				socket.getOutputStream().write(22);
			}
			assertFailed(server, "closed by the client", 1);
			try (Socket socket = new Socket("localhost", server.port())) {
				socket.getOutputStream().write(22);
				assertFailed(server, "timeout", 1);
			}
			try (Socket socket = new Socket("localhost", server.port())) {
				socket.getOutputStream().write("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".getBytes());
				assertFailed(server, "other", 1);
			}
			assertThat(server.counter("tomcat.ssl.handshakes.failed")).isEqualTo(5);
		}
	}

	@Override
	public TestServer start(Class<?> configuration, Engine engine, String... properties) {
		return super.start(configuration, engine, with(properties, "server.test.actuator=true"));
	}

	private TestServer startLogging(Engine engine, String... properties) {
		return start(GroupControllers.class, engine,
				with(properties, "server.tomcat.accesslog.enabled=true", "server.tomcat.accesslog.buffered=false",
						"server.tomcat.accesslog.directory=" + this.folder,
						"server.tomcat.accesslog.pattern=" + PATTERN));
	}

	private List<String> accessLog() throws Exception {
		try (Stream<Path> files = Files.list(this.folder)) {
			return Files
				.readAllLines(files.filter((file) -> file.toString().endsWith(".log")).findFirst().orElseThrow());
		}
	}

	private static void assertFailed(TestServer server, String reason, double count) {
		Awaitility.await()
			.atMost(Duration.ofSeconds(10))
			.untilAsserted(() -> assertThat(server.counter("tomcat.ssl.handshakes.failed", "reason", reason))
				.isEqualTo(count));
	}

	private static double exchanges(TestServer server, String protocol, String group, String resumed) {
		return server.counter("tomcat.ssl.key.exchange", "protocol", protocol, "group", group, "resumed", resumed);
	}

	@Configuration(proxyBeanMethods = false)
	@Import({ ServletGroupController.class, ReactiveGroupController.class })
	static class GroupControllers {

	}

	@RestController
	@ConditionalOnWebApplication(type = Type.SERVLET)
	static class ServletGroupController {

		@GetMapping("/group")
		String group(HttpServletRequest request) {
			return String.valueOf(request.getAttribute(TlsHttp11NioProtocol.GROUP_ATTRIBUTE));
		}

	}

	@RestController
	@ConditionalOnWebApplication(type = Type.REACTIVE)
	static class ReactiveGroupController {

		@GetMapping("/group")
		String group(ServerHttpRequest request) {
			HttpServletRequest servletRequest = ServerHttpRequestDecorator.getNativeRequest(request);
			return String.valueOf(servletRequest.getAttribute(TlsHttp11NioProtocol.GROUP_ATTRIBUTE));
		}

	}

}
