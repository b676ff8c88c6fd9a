// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.math.BigInteger;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import io.github.tomcatopenssl.test.FreePorts;
import io.github.tomcatopenssl.test.TestCertificates;
import io.github.tomcatopenssl.test.TlsClient;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.ApplicationListener;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link AcmeSets}: certificates for many domains, which come and go.
 */
class AcmeDomainsTests extends AbstractAcmeTests {

	private static final String EXCLUDED = "spring.autoconfigure.exclude=" + AcmeAutoConfiguration.class.getName();

	private static final List<List<String>> WANTED = new CopyOnWriteArrayList<>();

	private static final Set<String> ALLOWED = ConcurrentHashMap.newKeySet();

	private static final List<String> ASKED = new CopyOnWriteArrayList<>();

	@BeforeEach
	void forget() {
		WANTED.clear();
		ALLOWED.clear();
		ASKED.clear();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void whenPropertiesHaveSeveralCertificatesThenEachIsObtained(boolean openSsl, CapturedOutput output)
			throws Exception {
		String[] properties = AcmeTests.with(openSsl, "server.ssl.acme.certificates[0].domains=one.test",
				"server.ssl.acme.certificates[1].domains=two.test,www.two.test",
				"server.ssl.acme.certificates[2].domains=blocked.example.com", EXCLUDED, "test.hour=20s");
		AcmeApplication server = start(this.port, ReplicaApplication.FastConfiguration.class, properties);
		await(() -> assertServed("one.test", "one.test"));
		await(() -> assertServed("www.two.test", "two.test"));
		assertRefused("other.test");
		assertRefused("blocked.example.com");
		await(() -> assertThat(details(server)).containsEntry("certificates",
				Map.of("wanted", 3, "served", 2, "failing", 1, "waiting", 0)));
		assertThat(health(server)).isEqualTo("UP");
		assertThat(details(server).get("certificateProblems").toString())
			.contains("blocked.example.com: The CA refuses");
		await(() -> assertThat(output).contains("Of 3 sets of domains, 2 have one",
				"Sets of domains for which no certificate could be obtained: 1. blocked.example.com: The CA refuses"));
		server.close();
		start(this.port, ReplicaApplication.FastConfiguration.class, properties);
		assertServed("one.test", "one.test");
		assertThat(output.toString().split("Certificates that the CA has issued", -1).length).isLessThan(4);
	}

	@Test
	void whenThereIsACertificateOfTheServerThenItServesWhatTheOthersDoNot() throws Exception {
		TestCertificates certificates = TestCertificates.get();
		start(this.port, Object.class, "server.ssl.certificate-file=" + certificates.file("p256.crt"),
				"server.ssl.certificate-key-file=" + certificates.file("p256.key"),
				"server.ssl.acme.certificates[0].domains=one.test");
		assertServed("one.test", "localhost");
		await(() -> assertServed("one.test", "one.test"));
		assertServed("other.test", "localhost");
	}

	@Test
	void whenDomainsAreSplitDifferentlyThenTheOldCertificateServesUntilThen() throws Exception {
		AcmeApplication server = start(this.port, ReplicaApplication.FastConfiguration.class,
				"server.ssl.acme.certificates[0].domains=one.test,two.test", EXCLUDED, "test.hour=20s");
		await(() -> assertServed("two.test", "one.test"));
		server.close();
		start(this.port, ReplicaApplication.FastConfiguration.class,
				"server.ssl.acme.certificates[0].domains=one.test,blocked.example.com", EXCLUDED, "test.hour=20s");
		assertServed("one.test", "one.test");
	}

	@Test
	void whenApplicationChangesTheDomainsThenCertificatesComeAndGo(CapturedOutput output) throws Exception {
		WANTED.add(List.of("One.test"));
		WANTED.add(List.of("https://wrong"));
		AcmeApplication server = start(this.port, DomainsConfiguration.class, "server.ssl.acme.domains=localhost",
				EXCLUDED, "test.hour=20s");
		await(() -> assertServed("one.test", "one.test"));
		await(() -> assertServed("localhost", "localhost"));
		assertThat(output).contains("no certificate is possible: 1. 'https://wrong' is neither");
		WANTED.set(1, List.of("two.test", "one.test"));
		WANTED.remove(0);
		await(() -> assertServed("two.test", "two.test"));
		await(() -> assertServed("one.test", "two.test"));
		WANTED.clear();
		await(() -> assertServed("two.test", "localhost"));
		assertThat(details(server)).containsEntry("certificates",
				Map.of("wanted", 0, "served", 0, "failing", 0, "waiting", 0));
	}

	@Test
	void whenClientAsksForAllowedNameThenItsHandshakeWaitsForTheCertificate() throws Exception {
		ALLOWED.addAll(Set.of("shop.test", "blocked.example.com"));
		AcmeApplication server = start(this.port, OnDemandConfiguration.class, "server.ssl.acme.domains=localhost",
				EXCLUDED, "test.hour=60s");
		awaitIssued(server, this.port);
		assertServed("shop.test", "shop.test");
		assertServed("other.test", "localhost");
		assertServed("other.test", "localhost");
		assertServed("blocked.example.com", "localhost");
		assertServed("blocked.example.com", "localhost");
		assertThat(ASKED).containsExactly("shop.test", "other.test", "blocked.example.com");
		server.close();
		ASKED.clear();
		AcmeApplication restarted = start(this.port, OnDemandConfiguration.class, "server.ssl.acme.domains=localhost",
				EXCLUDED, "test.hour=60s");
		assertServed("shop.test", "shop.test");
		assertThat(ASKED).containsExactly("shop.test");
		assertThat(restarted.bean(AcmeCertificateSource.class).ca().issued()).hasValue(0);
	}

	@Test
	void whenNoCertificateIsPossibleForANameThenApplicationIsNotAsked() throws Exception {
		ALLOWED.add("shop.test");
		AcmeApplication server = start(this.port, OnDemandConfiguration.class, "server.ssl.acme.domains=localhost",
				EXCLUDED, "test.hour=60s");
		awaitIssued(server, this.port);
		for (String name : List.of("under_score.test", "-shop.test", "shop-.test", "shop.123", "*.shop.test",
				"..shop.test", "shop/../x.test", "a".repeat(64) + ".test", "sh\u00f6p.test", "LOCALHOST")) {
			TlsClient.connect(this.port, "-servername", name);
		}
		assertThat(ASKED).isEmpty();
		assertServed("SHOP.test", "shop.test");
		assertThat(ASKED).containsExactly("shop.test");
	}

	@Test
	void whenCertificateIsRenewedThenEachReplicaServesTheNewOne() throws Exception {
		this.pebble.close();
		this.pebble = new Pebble(this.port, null, Duration.ofSeconds(36));
		String[] properties = { "server.ssl.acme.certificates[0].domains=one.test",
				"server.ssl.acme.profile=shortlived", EXCLUDED, "test.hour=20s" };
		start(this.port, ReplicaApplication.FastConfiguration.class, properties);
		int other = FreePorts.next();
		start(other, ReplicaApplication.FastConfiguration.class, properties);
		await(() -> assertThat(serialNumber(other)).isEqualTo(serialNumber(this.port)));
		BigInteger first = serialNumber(other);
		await(() -> assertThat(serialNumber(other)).isEqualTo(serialNumber(this.port)).isNotEqualTo(first));
	}

	private static BigInteger serialNumber(int port) throws Exception {
		return certificate(port, "-servername", "one.test").getSerialNumber();
	}

	@Test
	void whenOrdersHaveToWaitThenItIsSaidAndAClientNeedNot(CapturedOutput output) throws Exception {
		// Of the orders of three hours, less than a tenth is left
		AcmeStore store = new AcmeStore(this.folder, URI.create(this.pebble.directoryUrl()), List.of());
		store.create();
		store.write(new AcmeStore.Limits(Instant.now().plus(Duration.ofMinutes(175)), Instant.EPOCH, 0));
		AcmeApplication server = start(this.port, OnDemandConfiguration.class,
				"server.ssl.acme.certificates[0].domains=one.test", EXCLUDED, "test.hour=60s");
		await(() -> assertThat(details(server)).containsEntry("certificates",
				Map.of("wanted", 1, "served", 0, "failing", 0, "waiting", 1)));
		await(() -> assertThat(output)
			.contains("Of 1 sets of domains, 0 have one, and 1 wait, because of 'server.ssl.acme.orders-per-hour'"));
		assertServed("one.test", "one.test");
		assertThat(ASKED).isEmpty();
	}

	@Test
	void whenApplicationIsStartedAgainThenItServesFromTheBeginning() throws Exception {
		WANTED.add(List.of("one.test"));
		AcmeApplication server = start(this.port, DomainsConfiguration.class,
				"server.ssl.certificate-directory=" + Files.createDirectory(this.folder.resolve("empty")), EXCLUDED,
				"test.hour=60s");
		await(() -> assertServed("one.test", "one.test"));
		server.close();
		AcmeApplication restarted = start(this.port, EarlyClientConfiguration.class,
				"server.ssl.certificate-directory=" + this.folder.resolve("empty"), EXCLUDED, "test.hour=60s");
		assertThat(restarted.bean(EarlyClient.class).subject).contains("one.test");
	}

	// Pebble's clients wait for certificates one after another
	@Test
	void whenManyClientsAskAtOnceThenEachIsServedInTheEnd() throws Exception {
		List<String> names = Stream.iterate(1, (i) -> i + 1).limit(12).map("n%d.test"::formatted).toList();
		ALLOWED.addAll(names);
		start(this.port, OnDemandConfiguration.class, "server.ssl.acme.domains=localhost", EXCLUDED, "test.hour=60s");
		names.parallelStream().forEach((name) -> {
			try {
				TlsClient.connect(this.port, "-servername", name);
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		});
		for (String name : names) {
			await(() -> assertServed(name, name));
		}
		try (Stream<Path> files = Files.walk(this.folder)) {
			assertThat(files.filter((file) -> file.toString().endsWith("-ec.pem")).collect(Collectors.toSet()))
				.hasSize(names.size() + 1);
		}
	}

	private void assertServed(String serverName, String subject) throws Exception {
		assertThat(names(serverName)).contains(subject);
	}

	private Set<String> names(String serverName) throws Exception {
		return new AcmeCertificate("", certificate(this.port, "-servername", serverName)).names();
	}

	private void assertRefused(String serverName) throws Exception {
		assertThat(TlsClient.connect(this.port, "-servername", serverName).isServed()).isFalse();
	}

	private static void await(org.awaitility.core.ThrowingRunnable assertion) {
		Awaitility.await().atMost(PATIENCE).ignoreExceptions().untilAsserted(assertion);
	}

	private static Map<String, Object> details(AcmeApplication server) {
		return ((HealthIndicator) server.bean(AcmeHealthIndicator.class)).health().getDetails();
	}

	@Configuration(proxyBeanMethods = false)
	@Import(ReplicaApplication.FastConfiguration.class)
	static class DomainsConfiguration {

		@Bean
		AcmeDomains domains() {
			return () -> List.copyOf(WANTED);
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(ReplicaApplication.FastConfiguration.class)
	static class OnDemandConfiguration {

		@Bean
		AcmeOnDemandDomains onDemandDomains() {
			return (serverName) -> {
				ASKED.add(serverName);
				return ALLOWED.contains(serverName);
			};
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(DomainsConfiguration.class)
	static class EarlyClientConfiguration {

		@Bean
		EarlyClient earlyClient() {
			return new EarlyClient();
		}

	}

	/**
	 * Connects as soon as the port is open.
	 */
	static class EarlyClient implements ApplicationListener<WebServerInitializedEvent> {

		private Set<String> subject = Set.of();

		@Override
		public void onApplicationEvent(WebServerInitializedEvent event) {
			try {
				this.subject = new AcmeCertificate("",
						certificate(event.getWebServer().getPort(), "-servername", "one.test"))
					.names();
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}

	}

}
