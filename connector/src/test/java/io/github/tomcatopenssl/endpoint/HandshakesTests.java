// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.InputStream;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.stream.Stream;

import javax.net.ssl.SSLSocket;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.endpoint.HandshakeCounters.ClientCount;
import io.github.tomcatopenssl.internal.engine.Engine;
import io.github.tomcatopenssl.internal.engine.TlsEngine;
import io.github.tomcatopenssl.internal.host.ClientMaterial;
import io.github.tomcatopenssl.internal.host.PolicySettings;
import io.github.tomcatopenssl.internal.host.RevocationChecks;
import io.github.tomcatopenssl.internal.host.TlsAlpnChallenges;
import io.github.tomcatopenssl.internal.host.TlsSettings;
import io.github.tomcatopenssl.test.CapturedLog;
import io.github.tomcatopenssl.test.ClientVerifier;
import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.Http;
import io.github.tomcatopenssl.test.JavaClient;
import io.github.tomcatopenssl.test.TestCertificates;
import io.github.tomcatopenssl.test.TlsClient;
import io.github.tomcatopenssl.test.tls.RawClientHello;
import org.apache.catalina.valves.AccessLogValve;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import static io.github.tomcatopenssl.test.tls.TlsBytes.numbers;
import static io.github.tomcatopenssl.test.tls.TlsBytes.vector;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

/**
 * Tests of what is recorded about handshakes, such as the {@link FailureReason}.
 */
@Tag("jdk")
@Tag("servers")
class HandshakesTests {

	private static final String PATTERN = "%{org.apache.tomcat.util.net.secure_protocol_version}r %{jakarta.servlet.request.cipher_suite}r %{io.github.tomcatopenssl.tls.group}r %{io.github.tomcatopenssl.tls.resumed}r %{io.github.tomcatopenssl.tls.server-name}r";

	private final TestCertificates certificates = TestCertificates.get();

	@RegisterExtension
	private final CapturedLog log = new CapturedLog(FailureReport.class);

	@TempDir
	private Path folder;

	@ParameterizedTest
	@EnumSource
	void whenHandshakeIsCompletedThenItsKeyExchangeIsCounted(Engine engine) throws Exception {
		try (ConnectorServer server = logging(engine).start(ConnectorServer.settings(), rsa())) {
			assertThat(TlsClient.connect(server.port(), "-groups", "P-384").isServed()).isTrue();
			assertThat(TlsClient.connect(server.port(), "-tls1_2", "-groups", "P-256").isServed()).isTrue();
			assertThat(TlsClient.connect(server.port(), "-tls1_2", "-cipher", "DHE").isServed()).isTrue();
			assertThat(exchanges(server, "TLSv1.3", "secp384r1", false)).isOne();
			assertThat(exchanges(server, "TLSv1.2", "secp256r1", false)).isOne();
			assertThat(exchanges(server, "TLSv1.2", "dhe-2048", false)).isOne();
			assertThat(accessLog()).containsExactly("TLSv1.3 TLS_AES_256_GCM_SHA384 secp384r1 false -",
					"TLSv1.2 TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384 secp256r1 false -",
					"TLSv1.2 TLS_DHE_RSA_WITH_AES_256_GCM_SHA384 dhe-2048 false -");
			assertThat(Path.of("../docs/operations.md")).content().contains(" " + PATTERN + "'");
			server.protocol().addSslHostConfig(rsa(), true);
			assertThat(TlsClient.connect(server.port(), "-groups", "P-384").isServed()).isTrue();
			assertThat(exchanges(server, "TLSv1.3", "secp384r1", false)).isEqualTo(2);
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenSessionIsResumedThenSaysSo(Engine engine) {
		try (ConnectorServer server = new ConnectorServer(engine).start()) {
			for (String version : List.of("-tls1_3", "-tls1_2")) {
				String session = this.folder.resolve("session" + version).toString();
				TlsClient.connect(server.port(), version, "-groups", "P-256", "-sess_out", session);
				assertThat(TlsClient.connect(server.port(), version, "-groups", "P-256", "-sess_in", session).output())
					.contains("Reused, TLSv1.");
			}
			assertThat(exchanges(server, "TLSv1.3", "secp256r1", true)).isOne();
			assertThat(exchanges(server, "TLSv1.2", "none", true)).isOne();
		}
	}

	@ParameterizedTest
	@MethodSource("enginesWithConfigurableGroups")
	void whenClientHasToSendAnotherKeyShareThenItIsCounted(Engine engine) {
		try (ConnectorServer server = new ConnectorServer(engine).start()) {
			assertThat(TlsClient.connect(server.port(), "-groups", "ffdhe8192:P-384").isServed()).isTrue();
			assertThat(server.handshakes().countRetried()).isOne();
			assertThat(exchanges(server, "TLSv1.3", "secp384r1", false)).isOne();
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenRequestComesThenHasTheGroupAsItsAttribute(Engine engine) throws Exception {
		// JSSE is the client
		String group = (isHybrid(engine) && isHybrid(Engine.JSSE)) ? "X25519MLKEM768" : "x25519";
		try (ConnectorServer server = logging(engine).http2()
			.answer("/group",
					(request, response) -> response.getWriter()
						.print(request.getAttribute(TlsHttp11NioProtocol.GROUP_ATTRIBUTE)))
			.start()) {
			for (HttpClient.Version version : HttpClient.Version.values()) {
				HttpClient client = HttpClient.newBuilder()
					.version(version)
					.sslContext(this.certificates.trusting("p256.crt"))
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
					.allSatisfy((line) -> assertThat(line).matches(".* " + group + " false localhost")));
			assertThat(exchanges(server, "TLSv1.3", group, false)).isPositive();
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenFingerprintIsComputedThenRequestsHaveItAndFailuresShowIt(Engine engine) throws Exception {
		this.log.all();
		String attribute = TlsHttp11NioProtocol.CLIENT_FINGERPRINT_ATTRIBUTE;
		try (ConnectorServer server = logging(engine, "%{" + attribute + "}r").http2()
			.answer("/fingerprint", (request, response) -> response.getWriter().print(request.getAttribute(attribute)))
			.start(ConnectorServer.fingerprinting())) {
			List<String> fingerprints = new ArrayList<>();
			for (HttpClient.Version version : HttpClient.Version.values()) {
				HttpClient client = HttpClient.newBuilder()
					.version(version)
					.sslContext(this.certificates.trusting("p256.crt"))
					.build();
				for (int i = 0; i < 2; i++) {
					HttpRequest request = HttpRequest
						.newBuilder(URI.create("https://localhost:%d/fingerprint".formatted(server.port())))
						.build();
					fingerprints.add(client.send(request, BodyHandlers.ofString()).body());
				}
			}
			assertThat(fingerprints).allMatch((text) -> text.matches("t13d\\d{4}(h2|00)_[0-9a-f]{12}_[0-9a-f]{12}"));
			assertThat(fingerprints.get(0)).isEqualTo(fingerprints.get(1)).isNotEqualTo(fingerprints.get(2));
			// Written after the answer
			Awaitility.await()
				.atMost(Duration.ofSeconds(10))
				.untilAsserted(() -> assertThat(accessLog()).isEqualTo(fingerprints));
			TlsClient.connect(server.port(), "-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-SHA");
			assertFailed(server, "no shared suite", 1);
			Awaitility.await()
				.atMost(Duration.ofSeconds(10))
				.untilAsserted(() -> assertThat(this.log.messages())
					.filteredOn(
							(line) -> line.matches(".* failed: no shared suite, JA4 t12i\\d{4}00_\\w{12}_\\w{12}\\W.*"))
					.hasSize(2));
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenClientSharesNothingThenReasonIsCounted(Engine engine) {
		try (ConnectorServer server = new ConnectorServer(engine).start()) {
			TlsClient.connect(server.port(), "-tls1_2", "-cipher", "ECDHE-ECDSA-AES128-SHA");
			TlsClient.connect(server.port(), "-tls1_3", "-ciphersuites", "TLS_AES_128_CCM_SHA256");
			assertFailed(server, "no shared suite", 2);
			TlsClient.connect(server.port(), "-tls1_1", "-cipher", "ALL:@SECLEVEL=0");
			assertFailed(server, "protocol version", 1);
		}
	}

	// The server has an EC key. Suites of TLS 1.2 with DHE, and with ECDHE for RSA and EC
	// keys; groups that the server does not have
	@ParameterizedTest
	@CsvSource({ "0x009e, 0x0100, no shared suite", "0x009e, 0x0019, no shared suite",
			"0xc02f, 0x0019, no shared suite", "0xc02b, 0x0019, no shared group" })
	void whenClientOfTls12SharesNothingThenReasonIsWhatWouldHelp(String suite, String group, String reason)
			throws Exception {
		RawClientHello hello = RawClientHello.tls12(Http.HTTP_1_1)
			.suites(Integer.decode(suite))
			.extension(RawClientHello.SUPPORTED_GROUPS, vector(2, numbers(Integer.decode(group))));
		for (Engine engine : enginesWithConfigurableGroups()) {
			try (ConnectorServer server = new ConnectorServer(engine).start();
					Socket client = new Socket("localhost", server.port())) {
				client.getOutputStream().write(hello.record());
				client.getInputStream().readAllBytes();
				assertFailed(server, reason, 1);
			}
		}
	}

	@ParameterizedTest
	@MethodSource("enginesWithConfigurableGroups")
	void whenClientSharesNoGroupThenReasonIsCountedAlsoAfterAReload(Engine engine) {
		try (ConnectorServer server = new ConnectorServer(engine).start()) {
			for (int i = 1; i <= 2; i++) {
				for (String version : List.of("-tls1_2", "-tls1_3")) {
					assertThat(TlsClient.connect(server.port(), version, "-groups", "P-521").isServed()).isFalse();
				}
				assertFailed(server, "no shared group", 2 * i);
				server.protocol().addSslHostConfig(ConnectorServer.host("p256"), true);
			}
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenClientIsNotAcceptedThenReasonIsCountedAndLogged(Engine engine) throws Exception {
		issueRefused();
		Map<String, String> reasons = Map.of("forged", "issuer unknown", "outdated", "expired", "early",
				"not yet valid", "server-only", "without clientAuth", "sign-only", "rejected", "revoked", "revoked",
				"other-client", "revocation unknown");
		X509CRL list = revocationList();
		TlsSettings settings = new TlsSettings(List.of(), PolicySettings.NONE, new RevocationChecks(true, false, false),
				(host) -> new ClientMaterial(null, List.of(list), List.of()), null, null, null, null, null, false,
				TlsAlpnChallenges.NONE, (certificate) -> null);
		this.log.all();
		try (ConnectorServer server = new ConnectorServer(engine).start(settings,
				verifying("ca.crt", "other-ca.crt"))) {
			for (String version : List.of("-tls1_2", "-tls1_3")) {
				assertThat(TlsClient.connect(server.port(), version).isServed()).isFalse();
				for (String client : reasons.keySet()) {
					assertThat(server.connectAs(client, version).isServed()).as(client).isFalse();
				}
				assertThat(server.connectAs("client", version).isServed()).isTrue();
			}
			assertFailed(server, "client certificate missing", 2);
			for (Map.Entry<String, String> expected : reasons.entrySet()) {
				assertFailed(server, "client certificate " + expected.getValue(), 2);
				String line = " on port %d failed: client certificate %s, subject 'CN=%s".formatted(server.port(),
						expected.getValue(), expected.getKey());
				String serialNumber = "', serial number " + serialNumber(expected.getKey());
				assertThat(server.handshakes().failedClients().claimedSubjects())
					.filteredOn((claimed) -> claimed.reason().equals("client certificate " + expected.getValue()))
					.singleElement()
					.returns(2L, ClientCount::handshakes)
					.satisfies((claimed) -> assertThat(claimed.client()).startsWith("CN=" + expected.getKey())
						.matches("[ -~]+"));
				// Each in detail, and the first one as a warning
				assertThat(this.log.records()).filteredOn((logged) -> logged.getMessage().contains(line))
					.hasSize(3)
					.allSatisfy((logged) -> assertThat(logged.getMessage()).contains(serialNumber))
					.allSatisfy((logged) -> assertThat(logged.getThrown()).isNull())
					// The cause in the words of the trust manager
					.allSatisfy((logged) -> assertThat(logged.getMessage().contains("Exception: "))
						.isEqualTo(logged.getLevel() == Level.FINE))
					.filteredOn((logged) -> logged.getLevel() == Level.WARNING)
					.hasSize(1);
			}
			assertThat(failed(server)).isEqualTo(16);
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenCertificatesCertifyEachOtherThenClientIsRefusedAndOthersAreServed(Engine engine) throws Exception {
		// JSSE of Java 25 itself refuses more than 8 certificates
		this.certificates.crossed(2, 3);
		this.certificates.issue("crossed-2-0", "crossed-client", "extendedKeyUsage=clientAuth", "20250101000000Z",
				"20980101000000Z");
		try (ConnectorServer server = new ConnectorServer(engine).start(ConnectorServer.settings(),
				verifying("ca.crt"))) {
			for (String version : List.of("-tls1_2", "-tls1_3")) {
				assertThat(server
					.connectAs("crossed-client", version, "-cert_chain",
							this.certificates.file("crossed-2.crt").toString())
					.isServed()).isFalse();
				assertThat(server.connectAs("client", version).isServed()).isTrue();
			}
			assertFailed(server, "client certificate rejected", 2);
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenClientIsNotAcceptedThenTheCauseIsLoggedInDetail(Engine engine) throws Exception {
		SSLHostConfig host = ConnectorServer.host("p256");
		host.setCertificateVerification("required");
		host.setTrustManagerClassName(RefusingTrustManager.class.getName());
		try (ConnectorServer server = new ConnectorServer(engine).start(ConnectorServer.settings(), host)) {
			server.connectAs("client", "-tls1_3");
			assertFailed(server, "client certificate rejected", 1);
			assertThat(this.log.text()).doesNotContain("night");
			this.log.all();
			for (String version : List.of("-tls1_2", "-tls1_3")) {
				server.connectAs("client", version);
			}
			assertFailed(server, "client certificate rejected", 3);
			assertThat(this.log.records()).filteredOn((logged) -> logged.getLevel() == Level.FINE)
				.extracting(LogRecord::getMessage)
				.hasSize(2)
				.allSatisfy((line) -> assertThat(line)
					.endsWith(": CertificateException: closed; caused by IllegalStateException: it is\\u000Anight"));
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenClientHasTooManyCertificatesThenTheCauseIsLoggedInDetail(Engine engine) throws Exception {
		Path chain = this.certificates.join("many.crt", Collections.nCopies(12, "ca.crt").toArray(String[]::new));
		this.log.all();
		try (ConnectorServer server = new ConnectorServer(engine).start(ConnectorServer.settings(),
				verifying("ca.crt"))) {
			for (String version : List.of("-tls1_2", "-tls1_3")) {
				assertThat(TlsClient
					.connect(server.port(), version, "-cert", this.certificates.file("client.crt").toString(), "-key",
							this.certificates.file("client.key").toString(), "-cert_chain", chain.toString())
					.isServed()).isFalse();
			}
			assertFailed(server, "client certificate rejected", 2);
			assertThat(this.log.records()).filteredOn((logged) -> logged.getLevel() == Level.FINE)
				.extracting(LogRecord::getMessage)
				.hasSize(2)
				.allSatisfy((line) -> assertThat(line).matches(".*Exception: .*\\d+.* maximum .*"));
		}
	}

	private void issueRefused() {
		if (Files.exists(this.certificates.file("forged.crt"))) {
			return;
		}
		String forClients = "extendedKeyUsage=clientAuth";
		this.certificates.openssl("req", "-x509", "-utf8", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
				"-nodes", "-subj", "/CN=forged\nERROR 'x' \u202e" + "y".repeat(20), "-keyout", "forged.key", "-out",
				"forged.crt");
		this.certificates.issue("ca", "outdated", forClients, "20250101000000Z", "20250201000000Z");
		this.certificates.issue("ca", "early", forClients, "20970101000000Z", "20980101000000Z");
		this.certificates.issue("ca", "server-only", "extendedKeyUsage=serverAuth", "20250101000000Z",
				"20980101000000Z");
		this.certificates.issue("ca", "sign-only", "keyUsage=critical,keyCertSign", "20250101000000Z",
				"20980101000000Z");
		this.certificates.issue("ca", "revoked", forClients, "20250101000000Z", "20980101000000Z");
		this.certificates.revoke("ca", "revoked");
	}

	private String serialNumber(String name) {
		return this.certificates.certificate(name + ".crt").getSerialNumber().toString(16);
	}

	@ParameterizedTest
	@EnumSource
	void whenClientWithoutCertificateSendsItsRequestAtOnceThenReasonIsCounted(Engine engine) {
		try (ConnectorServer server = new ConnectorServer(engine).http2()
			.start(ConnectorServer.settings(), verifying("ca.crt"))) {
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
	void whenJavaClientDoesNotTrustTheServerThenReasonIsLoggedAtOnce(Engine engine) throws Exception {
		try (ConnectorServer server = new ConnectorServer(engine).start(ConnectorServer.settings(),
				verifying("ca.crt"))) {
			JavaClient client = new JavaClient("ca.crt");
			for (String version : List.of("TLSv1.2", "TLSv1.3")) {
				try (SSLSocket socket = client.connect(server.port())) {
					socket.setEnabledProtocols(new String[] { version });
					assertThatIOException().isThrownBy(socket::startHandshake);
				}
			}
			assertFailed(server, "server certificate rejected", 2);
			assertThat(this.log.text())
				.containsOnlyOnce("A handshake on port %d failed: server certificate rejected. The client may not trust"
					.formatted(server.port()));
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenClientLeavesThenReasonIsCounted(Engine engine) throws Exception {
		try (ConnectorServer server = new ConnectorServer(engine)
			.start(ConnectorServer.settings(null, null, Duration.ofSeconds(1)))) {
			new Socket("localhost", server.port()).close();
			assertThat(TlsClient
				.connect(server.port(), "-tls1_2", "-verify_return_error", "-CAfile",
						this.certificates.file("ca.crt").toString())
				.isServed()).isFalse();
			assertThat(TlsClient
				.connect(server.port(), "-tls1_3", "-verify_return_error", "-CAfile",
						this.certificates.file("ca.crt").toString())
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
			assertThat(failed(server)).isEqualTo(5);
		}
	}

	private ConnectorServer logging(Engine engine) {
		return logging(engine, PATTERN);
	}

	private ConnectorServer logging(Engine engine, String pattern) {
		AccessLogValve accessLog = new AccessLogValve();
		accessLog.setDirectory(this.folder.toString());
		accessLog.setSuffix(".log");
		accessLog.setBuffered(false);
		accessLog.setPattern(pattern);
		ConnectorServer server = new ConnectorServer(engine);
		server.tomcat().getEngine().getPipeline().addValve(accessLog);
		return server;
	}

	private static SSLHostConfig rsa() {
		SSLHostConfig host = ConnectorServer.host("rsa");
		host.setCiphers(
				"TLS_AES_256_GCM_SHA384,TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,TLS_DHE_RSA_WITH_AES_256_GCM_SHA384");
		return host;
	}

	private static SSLHostConfig verifying(String... authorities) {
		return ConnectorServer.verifying(ConnectorServer.host("p256"), "required", authorities);
	}

	private X509CRL revocationList() throws Exception {
		try (InputStream in = Files.newInputStream(this.certificates.revocationList("ca", "reasons.crl"))) {
			return (X509CRL) CertificateFactory.getInstance("X.509").generateCRL(in);
		}
	}

	static List<Engine> enginesWithConfigurableGroups() {
		return !TlsEngine.jsse().capabilities().groups().isEmpty() ? List.of(Engine.values()) : List.of(Engine.OPENSSL);
	}

	private static boolean isHybrid(Engine engine) {
		Engine.load();
		return engine.served().capabilities().groups().contains(KeyExchangeGroup.X25519MLKEM768);
	}

	private List<String> accessLog() throws Exception {
		try (Stream<Path> files = Files.list(this.folder)) {
			return Files
				.readAllLines(files.filter((file) -> file.toString().endsWith(".log")).findFirst().orElseThrow());
		}
	}

	private static void assertFailed(ConnectorServer server, String reason, long count) {
		Awaitility.await()
			.atMost(Duration.ofSeconds(10))
			.untilAsserted(() -> assertThat(server.failedHandshakes()).containsEntry(reason, count));
	}

	private static long failed(ConnectorServer server) {
		return server.failedHandshakes().values().stream().mapToLong(Long::longValue).sum();
	}

	private static long exchanges(ConnectorServer server, String protocol, String group, boolean resumed) {
		return server.handshakes().countCompleted(new KeyExchange(protocol, group, resumed)::equals);
	}

	/**
	 * Refuses everybody.
	 */
	public static final class RefusingTrustManager implements ClientVerifier {

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
			throw new CertificateException("closed", new IllegalStateException("it is\nnight"));
		}

	}

}
