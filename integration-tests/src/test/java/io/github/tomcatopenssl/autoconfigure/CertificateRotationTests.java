// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import io.github.tomcatopenssl.certificate.CertificateReloads;
import io.github.tomcatopenssl.internal.certificate.CertificateWatcher;
import io.github.tomcatopenssl.test.AbstractTlsServerTests;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TestServer.Engine;
import io.github.tomcatopenssl.test.TlsClient;
import io.github.tomcatopenssl.test.TlsClient.Handshake;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that {@link CertificateWatcher} reloads certificate files that are replaced while
 * the server runs.
 */
@Tag("jdk")
@ParameterizedClass
@EnumSource(names = { "SERVLET", "REACTIVE" })
@ExtendWith(OutputCaptureExtension.class)
class CertificateRotationTests extends AbstractTlsServerTests {

	@TempDir
	private Path folder;

	CertificateRotationTests(WebApplicationType type) {
		super(type);
	}

	@ParameterizedTest
	@EnumSource
	void whenFilesAreReplacedThenNewConnectionsGetThemAndOthersGoOn(Engine engine) throws Exception {
		put("p256", this.folder.resolve("in-place"));
		put("p256", this.folder.resolve("renamed"));
		put("p256", this.folder.resolve("..data_1"));
		put("p384", this.folder.resolve("..data_2"));
		Path data = Files.createSymbolicLink(this.folder.resolve("..data"), Path.of("..data_1"));
		try (TestServer server = start(engine,
				with(files("", "in-place"),
						with(with(files("server-name-certificates[0].", "renamed"),
								"server-name-certificates[0].server-name=renamed.example.com"),
								with(files("server-name-certificates[1].", "..data"),
										"server-name-certificates[1].server-name=swapped.example.com"))))) {
			HttpClient established = trusting("p256");
			assertThat(leaf(get(established, server))).isEqualTo("CN=p256");
			put("p384", this.folder.resolve("in-place"));
			put("p384", this.folder.resolve("next"));
			for (String name : List.of("tls.crt", "tls.key")) {
				Files.move(this.folder.resolve("next").resolve(name), this.folder.resolve("renamed").resolve(name),
						StandardCopyOption.ATOMIC_MOVE);
			}
			Files.createSymbolicLink(this.folder.resolve("..data_tmp"), Path.of("..data_2"));
			Files.move(this.folder.resolve("..data_tmp"), data, StandardCopyOption.ATOMIC_MOVE);
			for (String host : List.of("localhost", "renamed.example.com", "swapped.example.com")) {
				await(() -> assertThat(TlsClient.connect(server.port(), "-servername", host))
					.returns("p384", Handshake::subject)
					.returns(true, Handshake::isServed));
			}
			assertThat(server.bean(CertificateReloads.class).status()).hasSize(3).allSatisfy((status) -> {
				assertThat(status.succeeded()).isOne();
				assertThat(status.problem()).isNull();
			});
			assertThat(leaf(get(established, server))).as("the established connection").isEqualTo("CN=p256");
			assertThat(leaf(get(trusting("p384"), server))).isEqualTo("CN=p384");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenFilesAreReplacedThenAllSettingsHold(Engine engine) throws Exception {
		put("p256", this.folder.resolve("tls"));
		put("rsa", this.folder.resolve("rsa"));
		String past = "20250101000000Z";
		String future = "20980101000000Z";
		String name = "rotated-" + engine + "-" + type();
		certificates().issue("ca", name, "extendedKeyUsage=clientAuth", past, future);
		Path revocationList = this.folder.resolve("ca.crl");
		Files.copy(certificates().revocationList("ca", "before.crl"), revocationList);
		String[] settings = { "client-auth=need", "ca-certificate-file=" + file("ca.crt"),
				"certificate-revocation-list-file=" + revocationList, "server.http2.enabled=true",
				"enabled-protocols=TLSv1.3", "ciphers=TLS_AES_256_GCM_SHA384" };
		try (TestServer server = start(engine,
				with(with(files("certificates[0].", "tls"), files("certificates[1].", "rsa")), settings))) {
			assertSettings(engine, server, "p256", "rsa", name);
			put("p384", this.folder.resolve("tls"));
			await(() -> assertThat(connectAs(server, name, "-tls1_3").subject()).isEqualTo("p384"));
			assertSettings(engine, server, "p384", "rsa", name);
			certificates().revoke("ca", name);
			Files.copy(certificates().revocationList("ca", "after.crl"), revocationList,
					StandardCopyOption.REPLACE_EXISTING);
			await(() -> assertThat(connectAs(server, name, "-tls1_3").isServed()).isFalse());
			assertSettings(engine, server, "p384", "rsa", "client");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenOneOfSeveralRevocationListsIsReplacedThenItsClientsAreRefused(Engine engine) throws Exception {
		Map<String, String> clients = new LinkedHashMap<>();
		for (String ca : List.of("ca", "other-ca")) {
			for (String state : List.of("good", "revoked", "rotated")) {
				String name = String.join("-", state, ca, engine.name(), type().name());
				clients.put(state + "-" + ca, name);
				certificates().issue(ca, name, "extendedKeyUsage=clientAuth", "20250101000000Z", "20980101000000Z");
			}
			certificates().revoke(ca, clients.get("revoked-" + ca));
			Files.copy(certificates().revocationList(ca, ca + "-first.crl"), this.folder.resolve(ca + ".crl"));
		}
		put("p256", this.folder.resolve("tls"));
		try (TestServer server = start(engine,
				with(files("", "tls"), "client-auth=need",
						"ca-certificate-file=" + certificates().join("several.crt", "ca.crt", "other-ca.crt"),
						"certificate-revocation-list-file=" + this.folder.resolve("ca.crl") + ","
								+ this.folder.resolve("other-ca.crl")))) {
			clients.forEach((state, name) -> assertThat(connectAs(server, name, "-tls1_3").isServed()).as(name)
				.isEqualTo(!state.startsWith("revoked")));
			certificates().revoke("other-ca", clients.get("rotated-other-ca"));
			Files.copy(certificates().revocationList("other-ca", "second.crl"), this.folder.resolve("other-ca.crl"),
					StandardCopyOption.REPLACE_EXISTING);
			await(() -> assertThat(connectAs(server, clients.get("rotated-other-ca"), "-tls1_3").isServed()).isFalse());
			clients.forEach((state, name) -> assertThat(connectAs(server, name, "-tls1_3").isServed()).as(name)
				.isEqualTo(!state.startsWith("revoked") && !state.equals("rotated-other-ca")));
		}
	}

	private void assertSettings(Engine engine, TestServer server, String first, String second, String client) {
		assertThat(connectAs(server, client, "-tls1_3")).returns(true, Handshake::isServed)
			.returns(first, Handshake::subject)
			.returns("TLS_AES_256_GCM_SHA384", Handshake::cipher);
		String[] credentials = { "-cert", file(client + ".crt"), "-key", file(client + ".key") };
		assertThat(TlsClient.connect(server.port(),
				with(credentials, "-sigalgs", "rsa_pss_rsae_sha256:ecdsa_secp256r1_sha256")))
			.returns(second, Handshake::subject);
		assertThat(TlsClient.connect(server.port(), with(credentials, "-alpn", "h2")).output())
			.contains("ALPN protocol: h2");
		assertThat(TlsClient.connect(server.port(), with(credentials, "-tls1_2")).cipher()).isEqualTo("(NONE)");
		assertThat(
				TlsClient.connect(server.port(), with(credentials, "-ciphersuites", "TLS_AES_128_GCM_SHA256")).cipher())
			.isEqualTo("(NONE)");
		if (engine == Engine.OPENSSL || Runtime.version().feature() >= 20) {
			assertThat(TlsClient.connect(server.port(), with(credentials, "-groups", "P-521")).cipher())
				.isEqualTo("(NONE)");
		}
		assertThat(TlsClient.connect(server.port(), "-tls1_3").isServed()).isFalse();
		assertThat(connectAs(server, "other-client", "-tls1_3").isServed()).isFalse();
	}

	@ParameterizedTest
	@EnumSource
	void whenReplacementIsBadThenGoesOnWithTheOldOneAndRecovers(Engine engine, CapturedOutput output) throws Exception {
		put("p256", this.folder.resolve("tls"));
		try (TestServer server = start(engine, files("", "tls"))) {
			Path key = this.folder.resolve("tls/tls.key");
			Files.copy(certificates().file("other.key"), key, StandardCopyOption.REPLACE_EXISTING);
			await(() -> assertThat(output).contains("SSL bundle 'server-ssl' was not reloaded"));
			assertThat(TlsClient.connect(server.port())).returns("p256", Handshake::subject)
				.returns(true, Handshake::isServed);
			assertThat(server.bean(CertificateReloads.class).status()).singleElement()
				.satisfies((status) -> assertThat(status.problem()).contains("tls.key'): the private key does not"));
			put("p384", this.folder.resolve("tls"));
			await(() -> assertThat(TlsClient.connect(server.port()).subject()).isEqualTo("p384"));
			assertThat(output.getAll().lines().filter((line) -> line.contains(" WARN ") && line.contains("server-ssl")))
				.hasSize(1);
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenReloadIsOffThenKeepsTheCertificate(Engine engine) throws Exception {
		put("p256", this.folder.resolve("tls"));
		Set<Thread> others = watchers();
		try (TestServer server = start(engine, with(files("", "tls"), "reload-on-update=false"))) {
			assertThat(TlsClient.connect(server.port()).subject()).isEqualTo("p256");
			assertThat(watchers()).isSubsetOf(others);
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenContextIsRestartedThenGoesOnWatching(Engine engine) throws Exception {
		put("p256", this.folder.resolve("tls"));
		Set<Thread> others = watchers();
		try (TestServer server = start(engine, files("", "tls"))) {
			server.restart();
			put("p384", this.folder.resolve("tls"));
			await(() -> assertThat(TlsClient.connect(server.port()).subject()).isEqualTo("p384"));
		}
		assertThat(watchers()).isSubsetOf(others);
	}

	// Also those of applications that other tests leave running
	private static Set<Thread> watchers() {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith("certificate-reload-"))
			.collect(Collectors.toSet());
	}

	@ParameterizedTest
	@EnumSource
	void whenBundleOfSpringBootIsReplacedThenNewConnectionsGetIt(Engine engine) throws Exception {
		put("p256", this.folder.resolve("tls"));
		String prefix = "spring.ssl.bundle.pem.mine.";
		try (TestServer server = start(engine, "server.ssl.bundle=mine", prefix + "reload-on-update=true",
				prefix + "keystore.certificate=" + this.folder.resolve("tls/tls.crt"),
				prefix + "keystore.private-key=" + this.folder.resolve("tls/tls.key"))) {
			put("p384", this.folder.resolve("tls"));
			await(() -> assertThat(TlsClient.connect(server.port()).subject()).isEqualTo("p384"));
			assertThat(TlsClient.connect(server.port(), "-tls1_2", "-cipher", "ALL:!ECDHE")
				.find(Pattern.compile("Cipher is (\\S+)"), 1)).isEqualTo("(NONE)");
		}
	}

	private static void await(ThrowingRunnable assertion) {
		Awaitility.await().atMost(Duration.ofSeconds(30)).pollInterval(Duration.ofMillis(100)).untilAsserted(assertion);
	}

	private void put(String name, Path target) throws IOException {
		Files.createDirectories(target);
		Files.copy(certificates().file(name + ".crt"), target.resolve("tls.crt"), StandardCopyOption.REPLACE_EXISTING);
		Files.copy(certificates().file(name + ".key"), target.resolve("tls.key"), StandardCopyOption.REPLACE_EXISTING);
	}

	private String[] files(String prefix, String name) {
		return new String[] { prefix + "certificate-file=" + this.folder.resolve(name).resolve("tls.crt"),
				prefix + "certificate-key-file=" + this.folder.resolve(name).resolve("tls.key") };
	}

	private HttpClient trusting(String name) throws Exception {
		return HttpClient.newBuilder()
			.version(HttpClient.Version.HTTP_1_1)
			.sslContext(certificates().trusting(name + ".crt"))
			.build();
	}

	private static HttpResponse<String> get(HttpClient client, TestServer server)
			throws IOException, InterruptedException {
		return client.send(HttpRequest.newBuilder(URI.create("https://localhost:" + server.port() + "/hello")).build(),
				BodyHandlers.ofString());
	}

	private static String leaf(HttpResponse<String> response) throws IOException {
		assertThat(response.body()).isEqualTo("hello");
		X509Certificate leaf = (X509Certificate) response.sslSession().orElseThrow().getPeerCertificates()[0];
		return leaf.getSubjectX500Principal().getName();
	}

}
