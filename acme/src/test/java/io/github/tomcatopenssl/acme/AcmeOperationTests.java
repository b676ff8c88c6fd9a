// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;

import io.github.tomcatopenssl.internal.host.TlsAlpnChallenges;
import io.github.tomcatopenssl.test.Commands;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for what an operator changes and what fails while a server has a certificate: the
 * certificate stays in use, {@link AcmeChallenges} are answered,
 * {@link AcmeHealthIndicator} says what is wrong, and the CA is not asked too often.
 */
@Tag("servers")
@ExtendWith(OutputCaptureExtension.class)
class AcmeOperationTests {

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	@TempDir
	private Path folder;

	private ControlledCa ca;

	private final List<AcmeApplication> servers = new ArrayList<>();

	@BeforeEach
	void startCa() throws Exception {
		this.ca = new ControlledCa(this.folder.resolve("ca"));
	}

	@AfterEach
	void stop() {
		this.servers.forEach(AcmeApplication::close);
		this.ca.close();
	}

	@ParameterizedTest
	@ValueSource(strings = { "domains=new.example.com,localhost,www.example.com", "domains=www.example.com,localhost",
			"domains=localhost", "key-types=rsa" })
	void whenConfigurationChangesThenCertificateServesUntilTheNewOneIsThere(String change, CapturedOutput output)
			throws Exception {
		X509Certificate before = issued();
		this.ca.state = ControlledCa.State.UNAVAILABLE;
		AcmeApplication server = start("domains=localhost,www.example.com", change);
		assertThat(served(server)).isEqualTo(before);
		assertThat(health(server).getStatus()).isEqualTo(Status.UP);
		awaitProblem(server, change);
		assertThat(served(server)).isEqualTo(before);
		server.close();
		this.ca.state = ControlledCa.State.UP;
		server = start("domains=localhost,www.example.com", change);
		if (change.equals("domains=www.example.com,localhost")) {
			assertThat(served(server)).isEqualTo(before);
			assertThat(this.ca.issued).hasSize(1);
			return;
		}
		AcmeApplication running = server;
		Awaitility.await().atMost(PATIENCE).until(() -> !served(running).equals(before));
		assertThat(this.ca.issued).hasSize(2);
		assertThat(health(server).getDetails()).doesNotContainKey("missing");
	}

	private void awaitProblem(AcmeApplication server, String change) {
		if (!change.equals("domains=www.example.com,localhost")) {
			Awaitility.await().atMost(PATIENCE).until(() -> health(server).getDetails().containsKey("problem"));
		}
	}

	@Test
	void whenCaChangesThenCertificateServesUntilTheNewOneIsThere() throws Exception {
		X509Certificate before = issued();
		try (ControlledCa other = new ControlledCa(this.folder.resolve("other"))) {
			other.state = ControlledCa.State.UNAVAILABLE;
			ControlledCa first = this.ca;
			this.ca = other;
			AcmeApplication server = start("domains=localhost,www.example.com");
			assertThat(served(server)).isEqualTo(before);
			server.close();
			other.state = ControlledCa.State.UP;
			AcmeApplication running = start("domains=localhost,www.example.com");
			Awaitility.await().atMost(PATIENCE).until(() -> !served(running).equals(before));
			assertThat(served(running)).isEqualTo(other.issued.get(0).certificate());
			this.ca = first;
		}
	}

	@Test
	void whenReplicaHasOtherDomainsThenItAnswersChallengesForTheNewOnes() throws Exception {
		AcmeApplication old = start("domains=localhost");
		await(old);
		int before = this.ca.issued.size();
		this.ca.verifyAt(old.port());
		AcmeApplication replica = start("domains=localhost,new.example.com");
		Awaitility.await().atMost(PATIENCE).until(() -> this.ca.issued.size() > before);
		Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> served(replica).equals(this.ca.issued.get(before).certificate()));
		assertThat(served(old)).isEqualTo(this.ca.issued.get(before - 1).certificate());
	}

	@Test
	void whenNameIsLongThenServerAnswersItsChallenge() {
		CompletableFuture<Integer> port = new CompletableFuture<>();
		this.ca.verification = (name) -> ControlledCa.isVerified(name, port.join());
		AcmeApplication server = start("domains=" + "a.".repeat(125) + "com");
		port.complete(server.port());
		await(server);
	}

	// A pipe takes as long to read as a network file system that does not respond
	@Test
	void whenFolderHangsThenHealthAndHandshakesDoNot() throws Exception {
		AcmeApplication server = start("domains=localhost");
		await(server);
		hang(certificateFile());
		Path challenge = certificateFile().resolveSibling("challenges").resolve("localhost.pem");
		hang(challenge);
		assertThat(CompletableFuture.supplyAsync(() -> health(server).getStatus()))
			.succeedsWithin(Duration.ofSeconds(5))
			.isEqualTo(Status.UP);
		TlsAlpnChallenges challenges = server.bean(TlsAlpnChallenges.class);
		List<Thread> handshakes = new ArrayList<>();
		for (int i = 0; i < 50; i++) {
			Thread handshake = new Thread(() -> challenges.find("localhost"));
			handshake.setDaemon(true);
			handshake.start();
			handshakes.add(handshake);
		}
		Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> handshakes.stream().filter(Thread::isAlive).count() <= AcmeChallenges.AT_ONCE);
	}

	@Test
	void whenFilesAreLostThenHealthIsThatOfTheServedCertificate() throws Exception {
		AcmeApplication server = start("domains=localhost");
		await(server);
		Files.delete(certificateFile());
		assertThat(health(server).getStatus()).isEqualTo(Status.UP);
	}

	@Test
	void whenBundleRefusesTheNewCertificateThenHealthSaysIt() throws Exception {
		this.ca.lifetime = Duration.ofDays(3);
		this.ca.backdated = Duration.ofDays(1);
		AcmeApplication server = start("domains=localhost");
		await(server);
		X509Certificate before = served(server);
		assertThat(health(server).getDetails()).doesNotContainKey("refused");
		server.bean(SslBundles.class).addBundleUpdateHandler("server-ssl", (bundle) -> {
			if (!AcmeCertificate.of(bundle).get(0).leaf().equals(before)) {
				throw new IllegalStateException("not this one");
			}
		});
		this.ca.renewal = (certificate) -> Instant.now().plusSeconds(certificate.equals(before) ? -60 : 3600);
		// More than a third of the time for which it can be in use
		this.ca.ahead = Duration.ofHours(17);
		server.bean(AcmeRenewal.class).stop();
		server.bean(AcmeRenewal.class).start();
		Awaitility.await().atMost(PATIENCE).until(() -> health(server).getDetails().containsKey("refused"));
		assertThat(this.ca.issued).hasSize(2);
		assertThat(health(server).getDetails().get("refused")).asString().contains("not this one");
		assertThat(health(server).getStatus()).isEqualTo(Status.UP);
		assertThat(served(server)).isEqualTo(before);
	}

	@Test
	void whenServedCertificateHasExpiredThenHealthSaysIt() throws Exception {
		this.ca.lifetime = this.ca.backdated.plusSeconds(8);
		AcmeApplication server = start("domains=localhost");
		await(server);
		this.ca.state = ControlledCa.State.UNAVAILABLE;
		assertThat(health(server).getStatus()).isEqualTo(Status.UP);
		Awaitility.await().atMost(PATIENCE).until(() -> health(server).getStatus().equals(Status.OUT_OF_SERVICE));
	}

	@Test
	void whenCaAlwaysSuggestsRenewalThenServersThatAreStartedAgainDoNotOrder() throws Exception {
		this.ca.renewal = (certificate) -> Instant.now().minusSeconds(60);
		for (int i = 0; i < 5; i++) {
			AcmeApplication server = start("domains=localhost");
			await(server);
			Awaitility.await().atMost(PATIENCE).until(() -> health(server).getDetails().containsKey("next"));
			server.close();
		}
		assertThat(this.ca.issued).hasSize(1);
	}

	// As if the clock of this machine were ahead
	@Test
	void whenClockIsAheadThenNoCertificateIsOrdered() throws Exception {
		this.ca.ahead = Duration.ofDays(-70);
		for (int i = 0; i < 3; i++) {
			AcmeApplication server = start("domains=localhost");
			await(server);
			Awaitility.await().atMost(PATIENCE).until(() -> health(server).getDetails().containsKey("next"));
			server.close();
		}
		assertThat(this.ca.issued).hasSize(1);
	}

	@Test
	void whenCaLimitsOrdersThenServersThatAreStartedAgainWait() throws Exception {
		this.ca.state = ControlledCa.State.RATE_LIMITED;
		this.ca.retryAfter = "86400";
		for (int i = 0; i < 3; i++) {
			AcmeApplication server = start("domains=localhost");
			Awaitility.await().atMost(PATIENCE).until(() -> health(server).getDetails().containsKey("next"));
			server.close();
		}
		assertThat(this.ca.orderRequests).hasValue(1);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					classic | not with this profile. If it issues certificates for IP addresses with another profile than 'classic', remove 'server.ssl.acme.profile'
					other | does not offer the profile 'other'. Set 'server.ssl.acme.profile' to one of [classic], or remove it
					""")
	void whenProfileIsRefusedThenThePropertyIsNamed(String profile, String expected) {
		this.ca.state = ControlledCa.State.REJECTING;
		AcmeApplication server = start("domains=localhost,192.0.2.1", "profile=" + profile);
		Awaitility.await().atMost(PATIENCE).until(() -> health(server).getDetails().containsKey("problem"));
		assertThat(health(server).getDetails().get("problem")).asString().endsWith(expected);
	}

	// CAs name a date, or seconds, and the clock of this machine may be wrong
	@ParameterizedTest
	@ValueSource(strings = { "PT0S", "PT-30M", "PT30M" })
	void whenCaNamesADateThenTheClockDoesNotMatter(Duration ahead) {
		this.ca.ahead = ahead;
		this.ca.state = ControlledCa.State.RATE_LIMITED;
		Instant date = this.ca.now().plus(Duration.ofMinutes(20)).truncatedTo(ChronoUnit.SECONDS);
		this.ca.retryAfter = ControlledCa.date(date);
		for (int i = 0; i < 2; i++) {
			AcmeApplication server = start("domains=localhost");
			Awaitility.await().atMost(PATIENCE).until(() -> health(server).getDetails().containsKey("next"));
			assertThat(health(server).getDetails()).containsEntry("next", date.toString());
			server.close();
		}
		assertThat(this.ca.orderRequests).hasValue(1);
	}

	@ParameterizedTest
	@ValueSource(strings = { "PT0S", "PT-30M", "PT30M" })
	void whenCaNamesADateForTheRenewalThenTheClockDoesNotMatter(Duration ahead) {
		this.ca.ahead = ahead;
		this.ca.renewal = (certificate) -> this.ca.now().plus(Duration.ofDays(60));
		Instant date = this.ca.now().plus(Duration.ofMinutes(20)).truncatedTo(ChronoUnit.SECONDS);
		this.ca.retryAfter = ControlledCa.date(date);
		AcmeApplication server = start("domains=localhost");
		Awaitility.await().atMost(PATIENCE).until(() -> health(server).getDetails().containsKey("next"));
		assertThat(health(server).getDetails()).containsEntry("next", date.toString());
		await(server);
	}

	@Test
	void whenNameCannotBeVerifiedThenServersThatAreStartedAgainDoNotExceedTheLimit() throws Exception {
		this.ca.verification = (name) -> false;
		for (int i = 0; i < 4; i++) {
			AcmeApplication server = start("domains=localhost");
			Awaitility.await().atMost(PATIENCE).until(() -> health(server).getDetails().containsKey("next"));
			server.close();
		}
		assertThat(this.ca.verifications).hasValueLessThanOrEqualTo(2);
	}

	// Beyond the hour by which CAs backdate
	@Test
	void whenClockIsSlowThenOneCertificateIsOrdered(CapturedOutput output) throws Exception {
		this.ca.ahead = Duration.ofHours(3);
		for (int i = 0; i < 3; i++) {
			AcmeApplication server = start("domains=localhost");
			Awaitility.await().atMost(PATIENCE).until(() -> health(server).getDetails().containsKey("next"));
			server.close();
		}
		assertThat(this.ca.issued).hasSize(1);
		assertThat(output).contains("Correct the clock of this machine");
	}

	@ParameterizedTest
	@ValueSource(strings = { "UNAVAILABLE", "INTERNAL_ERROR" })
	void whenCaFailsWhileAnOrderIsOpenThenTheOrderIsContinued(ControlledCa.State failure) throws Exception {
		this.ca.verification = (name) -> {
			this.ca.state = failure;
			return true;
		};
		AcmeApplication server = start("domains=localhost");
		Awaitility.await().atMost(PATIENCE).until(() -> health(server).getDetails().containsKey("problem"));
		server.close();
		AcmeApplication second = start("domains=localhost");
		Awaitility.await().atMost(PATIENCE).until(() -> health(second).getDetails().containsKey("problem"));
		second.close();
		this.ca.state = ControlledCa.State.UP;
		deleteFailures();
		await(start("domains=localhost"));
		assertThat(this.ca.orderRequests).hasValue(1);
	}

	private void deleteFailures() throws IOException {
		try (Stream<Path> files = Files.walk(this.folder.resolve("store"))) {
			for (Path file : files.filter((any) -> any.toString().endsWith(".failures")).toList()) {
				Files.delete(file);
			}
		}
	}

	// Such as one with other key types
	@Test
	void whenAnotherReplicaIsAtWorkThenServerStartsWithAPlaceholder() throws Exception {
		AcmeStore store = new AcmeStore(this.folder.resolve("store"), this.ca.directoryUrl(), List.of("localhost"));
		store.create();
		try (Closeable lock = store.tryLock()) {
			assertThat(lock).isNotNull();
			AcmeApplication server = start("domains=localhost", "key-types=rsa");
			assertThat(health(server).getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
		}
	}

	@Test
	void whenCaNamesAnotherDomainThenNoFileIsTouched(CapturedOutput output) throws Exception {
		this.ca.identifier = (name) -> "../account";
		AcmeApplication server = start("domains=localhost");
		Awaitility.await().atMost(PATIENCE).until(() -> health(server).getDetails().containsKey("problem"));
		assertThat(find("account.pem")).isPresent();
		assertThat(output).contains("The CA wants to verify '../account'");
	}

	private X509Certificate issued() throws Exception {
		AcmeApplication server = start("domains=localhost,www.example.com");
		await(server);
		X509Certificate certificate = served(server);
		server.close();
		return certificate;
	}

	private void await(AcmeApplication server) {
		Awaitility.await().atMost(PATIENCE).until(() -> {
			X509Certificate served = served(server);
			return this.ca.issued.stream().anyMatch((issued) -> issued.certificate().equals(served));
		});
	}

	private AcmeApplication start(String... properties) {
		List<String> all = new ArrayList<>(this.ca.properties(this.folder.resolve("store")));
		for (String property : properties) {
			all.removeIf((other) -> other.startsWith("server.ssl.acme." + property.split("=")[0] + "="));
			all.add("server.ssl.acme." + property);
		}
		all.add("server.ssl.openssl.mode=never");
		AcmeApplication server = AcmeApplication.start(Object.class, all);
		this.servers.add(server);
		return server;
	}

	private static X509Certificate served(AcmeApplication server) throws KeyStoreException {
		KeyStore keys = server.bean(SslBundles.class).getBundle("server-ssl").getStores().getKeyStore();
		return (X509Certificate) keys.getCertificate(keys.aliases().nextElement());
	}

	private static Health health(AcmeApplication server) {
		return ((HealthIndicator) server.bean(AcmeHealthIndicator.class)).health();
	}

	private Path certificateFile() throws IOException {
		return find("-ec.pem").orElseThrow();
	}

	private Optional<Path> find(String name) throws IOException {
		try (Stream<Path> files = Files.walk(this.folder.resolve("store"))) {
			return files.filter((file) -> file.toString().endsWith(name)).findFirst();
		}
	}

	private static void hang(Path file) throws IOException {
		Files.deleteIfExists(file);
		Commands.run("", List.of("mkfifo", file.toString())).orFail();
	}

}
