// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import javax.net.ssl.SSLContext;

import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.ForkedApplication;
import io.github.tomcatopenssl.test.JavaClient;
import io.github.tomcatopenssl.test.Provided;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TestServer.Engine;
import io.github.tomcatopenssl.test.TlsClient;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of servers with a {@link DevelopmentCertificate}, and of their clients.
 */
@Tag("jdk")
@ExtendWith(OutputCaptureExtension.class)
@Tag("servers")
class DevelopmentServerTests {

	private static final String IN_USE = "A development certificate is in use";

	@TempDir
	private Path folder;

	@BeforeEach
	void provide() {
		Provided.openssl();
	}

	@ParameterizedTest
	@CsvSource({ "SERVLET,OPENSSL", "SERVLET,JSSE", "REACTIVE,OPENSSL", "REACTIVE,JSSE" })
	void whenClientsTrustTheFileThenAreServed(WebApplicationType type, Engine engine, CapturedOutput output)
			throws Exception {
		try (TestServer server = start(type, engine)) {
			int port = server.port();
			assertThat(output).contains(engine.logLine().formatted(port));
			assertThat(output.toString().split(IN_USE)).hasSize(2);
			Path trusted = trusted();
			assertThat(new JavaClient(trusted.toString()).get(port, "/hello")).endsWith("hello");
			for (String host : List.of("localhost:" + port, "127.0.0.1:" + port, "app.test:" + port)) {
				assertThat(curl(trusted, port, "https://%s/hello".formatted(host)).output()).isEqualTo("hello");
			}
			assertThat(curl(trusted, port, "https://other.test:%d/hello".formatted(port)).status()).isEqualTo(60);
			assertThat(TlsClient
				.connect(port, "-CAfile", trusted.toString(), "-verify_return_error", "-verify_hostname", "app.test")
				.isServed()).isTrue();
			assertThat(TlsClient.connect(port, "-verify_return_error", "-no-CAfile", "-no-CApath").isServed())
				.isFalse();
			SSLContext bundle = server.bean(SslBundles.class).getBundle("server-ssl").createSslContext();
			assertThat(HttpClient.newBuilder()
				.sslContext(bundle)
				.build()
				.send(HttpRequest.newBuilder(URI.create("https://localhost:%d/hello".formatted(port))).build(),
						HttpResponse.BodyHandlers.ofString())
				.body()).isEqualTo("hello");
			int managementPort = Integer.parseInt(server.property("local.management.port"));
			assertThat(curl(trusted, port, "https://localhost:%d/actuator/health".formatted(managementPort)).output())
				.contains("\"status\":\"UP\"");
			assertIsReloaded(port, trusted);
		}
	}

	// By another application that finds it damaged
	private void assertIsReloaded(int port, Path trusted) throws IOException {
		String before = Files.readString(trusted);
		Files.writeString(trusted, "");
		MockEnvironment other = new MockEnvironment().withProperty("XDG_CACHE_HOME", this.folder.toString())
			.withProperty("CAROOT", this.folder.resolve("none").toString());
		CertificateSource.development(other, List.of("app.test"), false).validateAndWriteFiles();
		assertThat(Files.readString(trusted)).startsWith("-----BEGIN CERTIFICATE").isNotEqualTo(before);
		await().atMost(Duration.ofMinutes(1))
			.untilAsserted(() -> assertThat(curl(trusted, port, "https://localhost:%d/hello".formatted(port)).output())
				.isEqualTo("hello"));
	}

	@Test
	void whenFolderIsReadOnlyThenUsesWhatIsThere() throws IOException {
		assertThat(fork("").status()).isZero();
		String before = Files.readString(trusted());
		String readOnly = "mount --bind %1$s %1$s && mount -o remount,ro,bind %1$s && "
			.formatted(trusted().getParent());
		Commands.Result same = fork(readOnly);
		assertThat(same.status()).as(same.output()).isZero();
		assertThat(same.output()).contains(IN_USE);
		assertThat(Files.readString(trusted())).isEqualTo(before);
		Commands.Result other = fork(readOnly, "--server.ssl.development-certificate-names=b.test");
		assertThat(other.status()).isOne();
		assertThat(other.output())
			.contains("APPLICATION FAILED TO START", "    Property: server.ssl.development-certificate\n",
					"    File: " + trusted().getParent() + "\n",
					"    Reason: the certificate cannot be stored in this folder: Read-only file system\n",
					"Make sure that the user that runs the application")
			.doesNotContain(IN_USE);
	}

	@Test
	void whenFileSystemIsFullThenSaysSoAndSpaceHelps() {
		String fileSystem = "mount -t tmpfs -o size=64k tmpfs %s && ".formatted(this.folder);
		Commands.Result full = fork(
				fileSystem + "{ head -c 1M /dev/zero >%s/rest || true; } && ".formatted(this.folder));
		assertThat(full.status()).isOne();
		assertThat(full.output()).contains("    Property: server.ssl.development-certificate\n",
				"    Reason: the certificate cannot be stored in this folder: No space left on device\n",
				"Free space on the file system.");
		Commands.Result freed = fork(fileSystem);
		assertThat(freed.status()).as(freed.output()).isZero();
		assertThat(freed.output()).contains(IN_USE);
	}

	@Test
	void whenPlatformIsKubernetesThenFailsUnlessSaidTwice() {
		String pod = "export KUBERNETES_SERVICE_HOST=10.0.0.1 KUBERNETES_SERVICE_PORT=443 && ";
		Commands.Result once = fork(pod);
		assertThat(once.status()).isOne();
		assertThat(once.output()).contains("APPLICATION FAILED TO START",
				"    Reason: the application runs in Kubernetes, but the development certificate is not for production\n",
				"'server.ssl.development-certificate-in-production' to 'true' as well");
		Commands.Result twice = fork(pod, "--server.ssl.development-certificate-in-production=true");
		assertThat(twice.status()).as(twice.output()).isZero();
		assertThat(twice.output()).contains(IN_USE);
	}

	private Commands.Result fork(String mount, String... arguments) {
		Provided.root();
		List<String> command = new ArrayList<>(List.of("unshare", "--mount", "sh", "-c", mount + "exec \"$@\"", "sh"));
		List<String> all = new ArrayList<>(List.of(arguments));
		all.add("--server.ssl.openssl.mode=never");
		properties().forEach((property) -> all.add("--" + property));
		command.addAll(ForkedApplication.command(ForkedApplication.class,
				List.of("-Dspring.devtools.restart.enabled=false"), all));
		return Commands.run("", command);
	}

	private TestServer start(WebApplicationType type, Engine engine) {
		List<String> properties = new ArrayList<>(engine.properties());
		properties.addAll(properties());
		properties.addAll(List.of("server.ssl.development-certificate-names=app.test", "management.server.port=0"));
		return TestServer.start(type, Object.class, properties);
	}

	private List<String> properties() {
		return List.of("server.ssl.development-certificate=true", "XDG_CACHE_HOME=" + this.folder,
				"CAROOT=" + this.folder.resolve("none"));
	}

	private Path trusted() throws IOException {
		try (Stream<Path> files = Files.list(this.folder.resolve("tomcat-openssl/development-certificate"))) {
			return files.filter((file) -> file.toString().endsWith(".crt")).findFirst().orElseThrow();
		}
	}

	private static Commands.Result curl(Path trusted, int port, String uri) {
		return Commands.run("", List.of("curl", "--silent", "--cacert", trusted.toString(), "--resolve",
				"app.test:%d:127.0.0.1".formatted(port), "--resolve", "other.test:%d:127.0.0.1".formatted(port), uri));
	}

}
