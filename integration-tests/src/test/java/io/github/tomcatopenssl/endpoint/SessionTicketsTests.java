// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

import io.github.tomcatopenssl.certificate.CertificateReloads;
import io.github.tomcatopenssl.internal.certificate.CertificateWatcher;
import io.github.tomcatopenssl.internal.certificate.ReloadableFiles;
import io.github.tomcatopenssl.test.AbstractTlsServerTests;
import io.github.tomcatopenssl.test.JavaClient;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TestServer.Engine;
import io.github.tomcatopenssl.test.TlsClient;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import org.awaitility.Awaitility;
import org.awaitility.core.ThrowingRunnable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.actuate.endpoint.IndicatedHealthDescriptor;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.test.util.ReflectionTestUtils;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests of session tickets that work on all replicas.
 */
@Tag("jdk")
@ExtendWith(OutputCaptureExtension.class)
class SessionTicketsTests extends AbstractTlsServerTests {

	private static final List<String> VERSIONS = List.of("-tls1_2", "-tls1_3");

	@TempDir
	private Path folder;

	SessionTicketsTests() {
		super(WebApplicationType.SERVLET);
	}

	@Override
	public TestServer start(Class<?> configuration, Engine engine, String... properties) {
		return super.start(configuration, engine, with(properties, "server.test.actuator=true"));
	}

	@ParameterizedTest
	@ValueSource(ints = { 48, 80 })
	void whenReplicasShareKeyThenSessionIsResumedAtTheOther(int length) {
		Path key = key("current", length);
		String[] settings = with(pem("p256"), "session-ticket-key-file=" + key);
		try (TestServer one = start(Engine.OPENSSL, settings);
				TestServer other = start(Engine.OPENSSL, settings);
				TestServer stranger = start(Engine.OPENSSL,
						with(pem("p256"), "session-ticket-key-file=" + key("stranger", length)))) {
			for (String version : VERSIONS) {
				newSession(one, version);
				assertThat(resumes(other, version)).as(version).isTrue();
				assertThat(resumes(stranger, version)).as(version).isFalse();
			}
			assertThat(resumed(other, "TLSv1.2")).isOne();
			assertThat(resumed(other, "TLSv1.3")).isOne();
			assertThat(other.counter("tomcat.ssl.sessions.resumed")).isEqualTo(2);
			assertThat(resumed(stranger, "TLSv1.2") + resumed(stranger, "TLSv1.3")).isZero();
		}
	}

	// With keys of several types, the contexts of a host are made in another way
	@ParameterizedTest
	@ValueSource(strings = { "certificates[0].", "" })
	void whenKeyIsReplacedThenSessionsOfTheNewOneAreResumedOnly(String prefix) {
		Path key = key("current", 80);
		String[] certificate = { prefix + "certificate-file=" + file("p256.crt"),
				prefix + "certificate-key-file=" + file("p256.key") };
		String[] second = prefix.isEmpty() ? new String[0]
				: new String[] { "certificates[1].certificate-file=" + file("rsa.crt"),
						"certificates[1].certificate-key-file=" + file("rsa.key") };
		String[] settings = with(with(certificate, second), "session-ticket-key-file=" + key);
		try (TestServer one = start(Engine.OPENSSL, settings); TestServer other = start(Engine.OPENSSL, settings)) {
			VERSIONS.forEach((version) -> newSession(one, version));
			key("current", 48);
			awaitReplaced(1, one, other);
			for (String version : VERSIONS) {
				assertThat(resumes(other, version)).as("with the old key, " + version).isFalse();
				newSession(one, version);
				assertThat(resumes(other, version)).as("with the new key, " + version).isTrue();
			}
			assertThat(other.counter("tomcat.ssl.sessions.resumed")).isEqualTo(2);
			assertThat(other.counter("tomcat.ssl.handshakes.completed")).isEqualTo(4);
		}
	}

	@Test
	void whenReplacementIsBadThenTheKeyStays(CapturedOutput output) throws Exception {
		Path key = key("current", 80);
		byte[] good = Files.readAllBytes(key);
		try (TestServer server = start(Engine.OPENSSL, with(pem("p256"), "session-ticket-key-file=" + key,
				"management.endpoint.health.show-details=always"))) {
			newSession(server, "-tls1_3");
			Files.write(key, new byte[79]);
			await(() -> assertThat(status(server).problem()).contains(
					"'server.ssl.session-ticket-key-file' ('" + key + "'): it has 79 bytes, but a key has 48 or 80"));
			assertThat(resumes(server, "-tls1_3")).isTrue();
			assertThat(((IndicatedHealthDescriptor) server.bean(HealthEndpoint.class).healthForPath("tomcatOpenSsl"))
				.getDetails()
				.toString()).contains("session-ticket-key", "it has 79 bytes");
			assertThat(server.counter("tomcat.ssl.certificate.reloads", "bundle", "session-ticket-key", "outcome",
					"failure"))
				.isOne();
			Files.write(key, good);
			await(() -> assertThat(status(server).problem()).isNull());
			assertThat(resumes(server, "-tls1_3")).isTrue();
			assertThat(output.getAll().lines().filter((line) -> line.contains(" WARN ") && line.contains("ticket")))
				.hasSize(1);
		}
	}

	@Test
	void whenHostsDifferThenSessionOfOneIsNotResumedAtTheOther() {
		String[] settings = with(pem("p256"), "session-ticket-key-file=" + key("current", 80),
				"server-name-certificates[0].server-name=other.example.com",
				"server-name-certificates[0].certificate-file=" + file("other.crt"),
				"server-name-certificates[0].certificate-key-file=" + file("other.key"));
		try (TestServer server = start(Engine.OPENSSL, settings);
				TestServer verifying = start(Engine.OPENSSL,
						with(settings, "client-auth=need", "ca-certificate-file=" + file("ca.crt")))) {
			for (String version : VERSIONS) {
				newSession(server, version);
				assertThat(resumes(server, version, "-servername", "other.example.com")).as(version).isFalse();
				assertThat(connect(verifying, version, "-sess_in").isServed()).as(version).isFalse();
				newSession(server, version, "-servername", "other.example.com");
				assertThat(resumes(server, version, "-servername", "other.example.com")).as(version).isTrue();
				assertThat(resumes(server, version)).as(version).isFalse();
			}
		}
	}

	@Test
	void whenClientsAreVerifiedThenSaysThatTheKeyIsNotUsed(CapturedOutput output) {
		try (TestServer server = start(Engine.OPENSSL,
				with(pem("p256"), "session-ticket-key-file=" + key("current", 80), "client-auth=need",
						"ca-certificate-file=" + file("ca.crt")))) {
			String[] client = { "-cert", file("client.crt"), "-key", file("client.key") };
			newSession(server, "-tls1_3", client);
			assertThat(resumes(server, "-tls1_3", client)).isFalse();
			assertThat(output.getAll().lines().filter((line) -> line.contains("is not used for the virtual host")))
				.hasSize(1);
		}
	}

	@Test
	void whenKeyCannotBeUsedThenFailsWithItsReason(CapturedOutput output) {
		Path key = key("current", 79);
		assertThatExceptionOfType(Exception.class)
			.isThrownBy(() -> start(Engine.OPENSSL, with(pem("p256"), "session-ticket-key-file=" + key)).close());
		assertThat(output).contains("A TLS setting of the web server cannot be used:",
				"    Property: server.ssl.session-ticket-key-file", "    File: " + key,
				"    Reason: it has 79 bytes, but a key has 48 or 80",
				"Create another file with '(umask 077 && openssl rand -out FILE 80)', and set 'server.ssl.session-ticket-key-file' to it.");
	}

	@Test
	void whenJsseServesThenWarnsOnce(CapturedOutput output) {
		try (TestServer server = start(Engine.JSSE,
				with(pem("p256"), "session-ticket-key-file=/nowhere", "management.server.port=0"))) {
			assertThat(TlsClient.connect(server.port()).isServed()).isTrue();
			assertThat(output.getAll().lines().filter((line) -> line.contains("session-ticket-key-file")))
				.singleElement()
				.asString()
				.contains(" WARN ", "has no effect on JSSE");
		}
	}

	@Test
	void whenKeyIsReplacedAgainAndAgainThenNoRequestFails() throws Exception {
		Path key = key("current", 80);
		try (TestServer server = start(Engine.OPENSSL,
				with(pem("p256"), "reload-on-update=false", "session-ticket-key-file=" + key))) {
			ReloadableFiles<?> keys = polled(server);
			AtomicBoolean ended = new AtomicBoolean();
			List<CompletableFuture<Long>> clients = List.of(client(server, ended), client(server, ended));
			for (int i = 0; i < 100; i++) {
				key("current", 80);
				keys.poll(Duration.ZERO, System.nanoTime());
				assertThat(status(server).succeeded()).isEqualTo(i + 1);
			}
			await(() -> assertThat(resumed(server, "TLSv1.3")).isPositive());
			ended.set(true);
			for (CompletableFuture<Long> client : clients) {
				assertThat(client.get()).isPositive();
			}
			assertThat(status(server)).returns(0L, CertificateReloads.Status::failed)
				.returns(null, CertificateReloads.Status::problem);
		}
	}

	@Test
	void whenKeysAreRotatedThenSessionsAreResumedAtEachReplica() throws Exception {
		Path store = this.folder.resolve("store");
		String[] settings = with(pem("p256"), "session-ticket-keys=shared", "store=jdbc", "test.store=" + store);
		try (TestServer one = start(Engine.OPENSSL, settings); TestServer other = start(Engine.OPENSSL, settings)) {
			for (String version : VERSIONS) {
				newSession(one, version);
				assertThat(resumes(other, version)).as(version).isTrue();
			}
			Path keys = store.resolve("session-ticket-keys");
			List<String> lines = Files.readAllLines(keys);
			Instant before = Instant.parse(lines.get(0)).minus(Duration.ofHours(13));
			Files.writeString(keys, before + "\n" + String.join("\n", lines.subList(1, 4)));
			rotate(one);
			for (String version : VERSIONS) {
				assertThat(resumes(one, version)).as("with the key before, " + version).isTrue();
				newSession(one, version);
				assertThat(resumes(other, version)).as("with the next key, " + version).isTrue();
				newSession(other, version);
				assertThat(resumes(one, version)).as("with the key before, " + version).isTrue();
			}
			rotate(other);
			for (String version : VERSIONS) {
				assertThat(resumes(other, version)).as("with the key before, " + version).isTrue();
			}
			assertThat(status(one)).returns(1L, CertificateReloads.Status::succeeded)
				.returns(null, CertificateReloads.Status::problem);
			assertThat(status(other).succeeded()).isOne();
		}
	}

	private static void rotate(TestServer server) {
		ReflectionTestUtils.invokeMethod(polled(server), "rotate");
	}

	private static ReloadableFiles<?> polled(TestServer server) {
		List<?> polled = (List<?>) ReflectionTestUtils.getField(server.bean(CertificateWatcher.class), "others");
		assertThat(polled).hasSize(1);
		return (ReloadableFiles<?>) polled.get(0);
	}

	private static CompletableFuture<Long> client(TestServer server, AtomicBoolean ended) {
		JavaClient client = new JavaClient("p256.crt");
		return CompletableFuture.supplyAsync(() -> {
			long served = 0;
			while (!ended.get()) {
				assertThat(unchecked(() -> client.get(server.port(), "/hello"))).contains("hello");
				served++;
			}
			return served;
		}, (task) -> new Thread(task).start());
	}

	private static <T> T unchecked(Callable<T> callable) {
		try {
			return callable.call();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private Path key(String name, int length) {
		byte[] content = new byte[length];
		new SecureRandom().nextBytes(content);
		Path file = this.folder.resolve(name);
		try {
			Path next = Files.createTempFile(this.folder, "next", "",
					PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("r--r-----")));
			Files.write(next, content);
			return Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private void newSession(TestServer server, String version, String... options) {
		assertThat(connect(server, version, "-sess_out", options).isServed()).as(version).isTrue();
	}

	private boolean resumes(TestServer server, String version, String... options) {
		TlsClient.Handshake handshake = connect(server, version, "-sess_in", options);
		assertThat(handshake.isServed()).as(handshake.output()).isTrue();
		return handshake.output().contains("Reused, TLSv1.");
	}

	private TlsClient.Handshake connect(TestServer server, String version, String session, String... options) {
		return TlsClient.connect(server.port(),
				with(options, version, session, this.folder.resolve("session" + version).toString()));
	}

	private static CertificateReloads.Status status(TestServer server) {
		return server.bean(CertificateReloads.class)
			.status()
			.stream()
			.filter((status) -> status.name().equals("session-ticket-key"))
			.findFirst()
			.orElseThrow();
	}

	private static void awaitReplaced(long times, TestServer... servers) {
		for (TestServer server : servers) {
			await(() -> assertThat(status(server).succeeded()).isGreaterThanOrEqualTo(times));
		}
	}

	private static void await(ThrowingRunnable assertion) {
		Awaitility.await().atMost(Duration.ofSeconds(30)).untilAsserted(assertion);
	}

	private static double resumed(TestServer server, String protocol) {
		return server.bean(MeterRegistry.class)
			.find("tomcat.ssl.key.exchange")
			.tags("protocol", protocol, "resumed", "true")
			.functionCounters()
			.stream()
			.mapToDouble(FunctionCounter::count)
			.sum();
	}

}
