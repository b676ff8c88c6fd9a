// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;

import javax.security.auth.x500.X500Principal;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.certificate.CertificateIssuer;
import io.github.tomcatopenssl.internal.host.TlsAlpnChallenges;
import io.github.tomcatopenssl.internal.store.SharedStore;
import io.github.tomcatopenssl.test.FreePorts;
import io.github.tomcatopenssl.test.PostgreSql;
import io.github.tomcatopenssl.test.TlsClient;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.logging.LoggingSystem;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.SimpleDriverDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests for replicas that share a database, with {@link OpenChallenges}.
 */
class AcmeDatabaseTests extends AbstractAcmeTests {

	private PostgreSql database;

	private JdbcClient client;

	@BeforeEach
	void startDatabase() throws Exception {
		this.database = new PostgreSql();
		this.client = JdbcClient.create(new DriverManagerDataSource(this.database.url()));
	}

	@AfterEach
	void stopDatabase() {
		super.stop();
		if (this.database != null) {
			this.database.close();
		}
	}

	private AcmeApplication start(int port, String... properties) {
		return start(port, Object.class,
				Stream.concat(Stream.of("server.ssl.acme.domains=localhost", "server.ssl.acme.directory=",
						"server.ssl.store=jdbc", "server.ssl.store-keys=MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=",
						"server.ssl.store-initialize-schema=always", "spring.datasource.url=" + this.database.url(),
						"spring.datasource.type=" + SimpleDriverDataSource.class.getName(),
						"server.ssl.openssl.mode=never"), Stream.of(properties))
					.toArray(String[]::new));
	}

	@Test
	void whenReplicasShareTheDatabaseThenOneOrdersAndAllAnswer(CapturedOutput output) throws Exception {
		int other = FreePorts.next();
		AcmeApplication replica = start(this.port);
		replica.bean(AcmeRenewal.class).stop();
		// A stranger who asks all the time has the replica know the challenges of before
		TlsAlpnChallenges challenges = replica.bean(TlsAlpnChallenges.class);
		AtomicBoolean over = new AtomicBoolean();
		CompletableFuture<Void> stranger = CompletableFuture.runAsync(() -> {
			while (!over.get()) {
				challenges.find("localhost");
			}
		});
		// It orders, and the CA looks at the other one
		AcmeApplication server = start(other);
		X509Certificate issued = awaitIssued(server, other);
		over.set(true);
		stranger.join();
		Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> certificate(this.port).equals(issued));
		assertThat(output.toString().split("The CA has issued a certificate", -1)).hasSize(2);
		assertThat(health(replica)).isEqualTo("UP");
		assertThat(names()).filteredOn((name) -> !name.endsWith(".lock"))
			.hasSize(4)
			.contains("schema")
			.anyMatch((name) -> name.endsWith("/limits"))
			.anyMatch((name) -> name.endsWith("/account.pem"))
			.anyMatch((name) -> name.endsWith("-ec.pem"));
		Path copies = server.bean(SharedStore.class).file("");
		assertThat(copies).isNotEmptyDirectory();
		server.close();
		assertThat(copies).doesNotExist();
		assertThat(Files.list(this.folder)).isEmpty();
		start(other);
		assertThat(certificate(other)).isEqualTo(issued);
	}

	private List<String> names() {
		return this.client.sql("select name from tomcat_openssl_store").query(String.class).list();
	}

	@Test
	void whenReplicasStartTogetherThenThereIsOneOrder(CapturedOutput output) throws Exception {
		int other = FreePorts.next();
		// Spring Boot's logging cannot be set up by several at once
		new SpringApplicationBuilder(Object.class).web(WebApplicationType.NONE).run().close();
		System.setProperty(LoggingSystem.SYSTEM_PROPERTY, LoggingSystem.NONE);
		try {
			ExecutorService threads = Executors.newFixedThreadPool(2);
			List<CompletableFuture<AcmeApplication>> starts = Stream.of(this.port, other)
				.map((port) -> CompletableFuture.supplyAsync(() -> start(port), threads))
				.toList();
			threads.shutdown();
			X509Certificate issued = awaitIssued(starts.get(0).join(), this.port);
			assertThat(awaitIssued(starts.get(1).join(), other)).isEqualTo(issued);
		}
		finally {
			System.clearProperty(LoggingSystem.SYSTEM_PROPERTY);
		}
		assertThat(output.toString().lines().filter((line) -> line.contains("is requested from"))).hasSize(1);
	}

	@Test
	void whenOneReplicaRenewsACertificateOfManyThenTheOthersServeIt() throws Exception {
		String[] properties = { "server.ssl.acme.certificates[0].domains=one.test", "server.ssl.acme.domains=" };
		AcmeApplication server = start(this.port, properties);
		int other = FreePorts.next();
		AcmeApplication replica = start(other, properties);
		for (int port : List.of(this.port, other)) {
			Awaitility.await()
				.atMost(PATIENCE)
				.until(() -> TlsClient.connect(port, "-servername", "one.test").isServed());
		}
		X509Certificate issued = certificate(this.port, "-servername", "one.test");
		assertThat(certificate(other, "-servername", "one.test")).isEqualTo(issued);
		List<String> domains = List.of("one.test");
		KeyPair key = AcmeKeyType.EC.createKey();
		X509Certificate renewed = new CertificateIssuer(new X500Principal("CN=Renewed"), Duration.ofDays(1))
			.selfSign(key, domains, Instant.now());
		AcmeStore store = new AcmeStore(replica.bean(SharedStore.class), URI.create(this.pebble.directoryUrl()),
				domains);
		store.write(store.certificate("ec"),
				AcmeCertificate
					.obtained(this.pebble.directoryUrl(), domains, AcmeStore.pem(key.getPrivate(), List.of(renewed)),
							renewed, Instant.now())
					.pem());
		for (int port : List.of(this.port, other)) {
			Awaitility.await()
				.atMost(Duration.ofSeconds(30))
				.until(() -> certificate(port, "-servername", "one.test").equals(renewed));
		}
		assertThat(server.bean(AcmeCertificateSource.class).sets().summary().served()).isEqualTo(1);
	}

	@Test
	void whenDatabaseIsAwayThenCertificateIsServedAndRenewalIsTriedAgain(CapturedOutput output) throws Exception {
		AcmeApplication server = start(this.port);
		X509Certificate issued = awaitIssued(server, this.port);
		AcmeRenewal renewal = server.bean(AcmeRenewal.class);
		renewal.stop();
		this.database.stop();
		renewal.start();
		AcmeCertificates certificates = server.bean(AcmeCertificateSource.class).certificates();
		Awaitility.await().atMost(PATIENCE).until(() -> certificates.status().problem() != null);
		assertThat(certificates.status().problem()).startsWith("'tomcat_openssl_store:localhost-")
			.contains(".lock' cannot be used: the database fails: ")
			.contains("Check that the application can reach its database");
		assertThat(certificate(this.port)).isEqualTo(issued);
		Health health = ((HealthIndicator) server.bean(AcmeHealthIndicator.class)).health();
		assertThat(health.getStatus()).isEqualTo(Status.UP);
		assertThat(health.getDetails()).containsEntry("validUntil", issued.getNotAfter().toInstant().toString())
			.containsKeys("problem", "failures", "next", "renewalDue");
		assertThat(output).containsPattern(
				"WARN.*No certificate could be obtained for localhost\\. The one in use is valid until \\S+ \\(\\d+ (days|hours) left\\), and its renewal is due at ");
		this.database.start();
		renewal.stop();
		renewal.start();
		Awaitility.await().atMost(PATIENCE).until(() -> certificates.status().problem() == null);
		assertThat(certificate(this.port)).isEqualTo(issued);
	}

	@Test
	void whenFolderIsStillSetThenCertificateAndAccountAreThoseOfTheFolder(CapturedOutput output) throws Exception {
		Path folder = this.folder.resolve("before");
		AcmeApplication server = start(this.port, Object.class, "server.ssl.acme.domains=localhost",
				"server.ssl.acme.directory=" + folder, "server.ssl.openssl.mode=never");
		X509Certificate issued = awaitIssued(server, this.port);
		int other = FreePorts.next();
		AcmeApplication replica = start(other, "server.ssl.acme.directory=" + folder);
		assertThat(certificate(other)).isEqualTo(issued);
		server.close();
		replica.close();
		assertThat(output).contains("Files of '%s' that were copied to the database: 3. ".formatted(folder))
			.contains("remove 'server.ssl.acme.directory'");
		start(this.port);
		assertThat(certificate(this.port)).isEqualTo(issued);
		assertThat(output.toString().lines().filter((line) -> line.contains("is requested from"))).hasSize(1);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"',
			textBlock = """
					server.ssl.acme.directory=/nothing | 'server.ssl.acme.directory' ('/nothing'): there is no such folder, from which to move to the database
					server.ssl.store-keys=MTEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE= | 'server.ssl.store': 'tomcat_openssl_store:localhost-
					""")
	void whenDatabaseCannotBeUsedThenServerDoesNotStart(String property, String reason) throws Exception {
		AcmeApplication server = start(this.port);
		awaitIssued(server, this.port);
		server.close();
		assertThat(catchThrowable(() -> start(this.port, property)))
			.hasStackTraceContaining(TlsSettingException.class.getName() + ": " + reason);
	}

	@Test
	void whenCertificateIsDamagedThenServerDoesNotStart() throws Exception {
		AcmeApplication server = start(this.port);
		awaitIssued(server, this.port);
		server.close();
		this.client.sql("update tomcat_openssl_store set content = 'damaged row' where name like '%-ec.pem'").update();
		assertThat(catchThrowable(() -> start(this.port)))
			.hasStackTraceContaining("'server.ssl.store': 'tomcat_openssl_store:localhost-")
			.hasStackTraceContaining("cannot be used: its row is damaged, or somebody has changed it");
	}

	@Test
	void whenStrangersAskForChallengesThenTheDatabaseIsAskedOnceASecond() throws Exception {
		int[] questions = { 0 };
		OpenChallenges challenges = new OpenChallenges(() -> {
			questions[0]++;
			if (questions[0] == 1) {
				throw new IOException("away");
			}
			return Map.of("open", "content");
		});
		assertThat(catchThrowable(() -> challenges.find("open"))).hasMessage("away");
		for (int i = 0; i < 1000; i++) {
			assertThat(challenges.find("stranger" + i)).isNull();
		}
		assertThat(questions).containsExactly(1);
		Awaitility.await().until(() -> "content".equals(challenges.find("open")));
		assertThat(questions).containsExactly(2);
	}

}
