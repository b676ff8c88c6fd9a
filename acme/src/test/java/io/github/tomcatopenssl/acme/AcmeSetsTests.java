// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.SettingText;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.host.CertificateHost;
import io.github.tomcatopenssl.internal.host.CertificateHosts;
import io.github.tomcatopenssl.internal.store.SharedStore;
import io.github.tomcatopenssl.test.TestCertificates;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link AcmeSets} whose certificates come and go at the worst moments.
 */
@Tag("servers")
@ExtendWith(OutputCaptureExtension.class)
class AcmeSetsTests {

	private static final Duration SOON = Duration.ofMillis(50);

	private static final AcmeSchedule SCHEDULE = new AcmeSchedule(SOON, SOON, SOON, Duration.ofSeconds(5), SOON,
			Duration.ofDays(1), SOON);

	@TempDir
	private Path folder;

	private ControlledCa ca;

	private final CertificateHosts hosts = new CertificateHosts();

	private final List<List<String>> wanted = new CopyOnWriteArrayList<>();

	private final AtomicBoolean noMemory = new AtomicBoolean();

	private final AtomicBoolean away = new AtomicBoolean();

	private final AtomicInteger questions = new AtomicInteger();

	private @Nullable Collection<List<String>> answer;

	private AcmeWork work;

	private AcmeSets sets;

	@BeforeEach
	void start() throws Exception {
		this.ca = new ControlledCa(this.folder.resolve("ca"));
		this.ca.verifiedBefore = true;
		CaClock clock = new CaClock(Clock.systemUTC());
		this.work = new AcmeWork(clock, SCHEDULE);
		this.sets = new AcmeSets(this.hosts, this.work, SCHEDULE, new Factory(clock), this::answer, null);
		this.sets.load(List.of(), SOON);
		this.sets.start();
		this.work.start();
	}

	private Collection<List<String>> answer() {
		this.questions.incrementAndGet();
		if (this.away.get()) {
			throw new IllegalStateException("The database is away");
		}
		return (this.answer != null) ? this.answer : List.copyOf(this.wanted);
	}

	@AfterEach
	void stop() {
		this.sets.stop();
		this.work.stop();
		this.ca.close();
	}

	@Test
	void whenHostIsRefusedThenItIsTriedAgain() {
		this.wanted.add(List.of("one.test"));
		awaitServed("one.test");
		CertificateHost refused = this.hosts.find("one.test");
		this.hosts.refuse(refused, new TlsSettingException(SettingName.CERTIFICATE, new SettingText("no memory"),
				new SettingText("wait"), null));
		assertThat(this.hosts.find("one.test")).isNull();
		awaitServed("one.test");
		assertThat(this.sets.summary()).isEqualTo(new AcmeSets.Summary(1, 1, 0, 0, List.of()));
		assertThat(this.ca.issued).hasSize(1);
	}

	@Test
	void whenDomainsAreRemovedAndAddedAgainDuringAnOrderThenTheyAreServed() throws Exception {
		CountDownLatch ordered = new CountDownLatch(1);
		CountDownLatch goOn = new CountDownLatch(1);
		this.ca.renewal = (certificate) -> {
			ordered.countDown();
			await(goOn);
			return Instant.now().plus(Duration.ofDays(30));
		};
		this.wanted.add(List.of("one.test"));
		assertThat(ordered.await(30, TimeUnit.SECONDS)).isTrue();
		this.wanted.clear();
		Awaitility.await().until(() -> this.sets.summary().sets() == 0);
		Awaitility.await().pollDelay(SOON.multipliedBy(4)).until(() -> true);
		this.wanted.add(List.of("one.test"));
		awaitServed("one.test");
		goOn.countDown();
		Awaitility.await().during(Duration.ofMillis(400)).until(() -> this.hosts.find("one.test") != null);
	}

	@Test
	void whenCaHasIssuedACertificateThenLogCountsItAsServed(CapturedOutput output) throws Exception {
		CountDownLatch goOn = new CountDownLatch(1);
		this.ca.renewal = (certificate) -> {
			await(goOn);
			return Instant.now().plus(Duration.ofDays(30));
		};
		this.wanted.add(List.of("one.test"));
		Awaitility.await().until(() -> output.toString().contains("Certificates that the CA has issued: 1"));
		goOn.countDown();
		assertThat(output).contains("Of 1 sets of domains, 1 have one");
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await(30, TimeUnit.SECONDS);
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	@Test
	void whenWildcardTakesThePlaceOfNamesThenTheyServeUntilThen() {
		assertServesUntilThen("one.example.test", "*.example.test");
	}

	@Test
	void whenNamesTakeThePlaceOfWildcardThenItServesUntilThen() {
		assertServesUntilThen("*.example.test", "one.example.test");
	}

	private void assertServesUntilThen(String before, String after) {
		this.wanted.add(List.of(before));
		awaitServed(before);
		this.ca.state = ControlledCa.State.UNAVAILABLE;
		this.wanted.set(0, List.of(after));
		Awaitility.await().until(() -> this.sets.summary().failing() == 1);
		Awaitility.await().during(Duration.ofMillis(300)).until(() -> this.hosts.find(before) != null);
		this.ca.state = ControlledCa.State.UP;
		awaitServed(after);
		Awaitility.await().until(() -> this.hosts.find(before) == null);
	}

	@Test
	void whenMemoryRunsOutForOneSetThenTheOthersAreServed() {
		this.noMemory.set(true);
		this.answer = List.of(List.of("one.test"), List.of("two.test"), List.of("three.test"));
		awaitServed("one.test");
		awaitServed("three.test");
	}

	@Test
	void whenSomeDomainsOfTheApplicationAreWrongThenTheOthersAreServed(CapturedOutput output) {
		List<List<String>> answer = new ArrayList<>();
		answer.add(Arrays.asList("wrong.test", null));
		answer.add(null);
		answer.add(List.of("x\n2026 WARN forged"));
		answer.add(List.of("one.test"));
		this.answer = answer;
		awaitServed("one.test");
		assertThat(output).contains("for which no certificate is possible: 3.").doesNotContainPattern("(?m)^2026 WARN");
	}

	@Test
	void whenApplicationDoesNotAnswerThenItIsSaidOnce(CapturedOutput output) {
		this.wanted.add(List.of("one.test"));
		awaitServed("one.test");
		this.away.set(true);
		awaitQuestions();
		this.away.set(false);
		awaitQuestions();
		this.away.set(true);
		awaitQuestions();
		assertThat(output.toString().split("The application has not said", -1)).hasSize(3);
		assertThat(this.hosts.find("one.test")).isNotNull();
	}

	private void awaitQuestions() {
		int before = this.questions.get();
		Awaitility.await().until(() -> this.questions.get() > before + 3);
	}

	// It is the same object each time
	@Test
	void whenApplicationChangesItsAnswerThenCertificatesComeAndGo(CapturedOutput output) {
		List<String> domains = new CopyOnWriteArrayList<>(List.of("one.test"));
		List<List<String>> answer = List.of(domains, List.of("https://wrong"));
		this.answer = new ArrayDeque<>(answer);
		awaitServed("one.test");
		domains.add("two.test");
		awaitServed("two.test");
		Awaitility.await().pollDelay(SOON.multipliedBy(4)).until(() -> true);
		assertThat(output.toString().split("no certificate is possible", -1)).hasSize(3);
	}

	private void awaitServed(String name) {
		Awaitility.await().atMost(Duration.ofSeconds(20)).until(() -> this.hosts.find(name) != null);
	}

	private final class Factory implements AcmeSets.Factory {

		private final AcmeProperties properties = new AcmeProperties(List.of(), List.of(), 1000, true, null,
				AcmeSetsTests.this.ca.directoryUrl(), null, List.of(AcmeKeyType.EC), null, null, null, null, null);

		private final AcmePropertiesValidator validator = new AcmePropertiesValidator(this.properties,
				new MockEnvironment(), () -> true);

		private final AcmeCa common;

		private Factory(CaClock clock) throws IOException {
			store(List.of()).create();
			SslBundle trust = SslBundle.of(new PemSslStoreBundle(null,
					PemSslStoreDetails.forCertificate("file:" + TestCertificates.get().file("p256.crt"))));
			this.common = new AcmeCa(new CaSessions(this.properties.directoryUrl(), () -> trust, clock), clock,
					SCHEDULE, new AcmeLimits(store(List.of()), 1000, clock, SCHEDULE));
		}

		private AcmeStore store(List<String> domains) {
			return new AcmeStore(AcmeSetsTests.this.folder.resolve("store"), this.properties.directoryUrl(), domains);
		}

		@Override
		public List<String> validate(List<String> domains) {
			return this.validator.domains("domains", domains);
		}

		@Override
		public AcmeCertificates create(List<String> domains, AcmeCertificates.Host host) {
			if (domains.contains("two.test") && AcmeSetsTests.this.noMemory.getAndSet(false)) {
				throw new OutOfMemoryError("Test");
			}
			AcmeStore store = store(domains);
			AcmeSettings settings = new AcmeSettings(this.properties, domains, AcmeSetsTests.this.folder);
			return new AcmeCertificates(settings, store, this.common, (session) -> new AcmeClient(settings, store,
					session, new DomainVerifier(domains, store, null), this.common.clock(), SCHEDULE), host);
		}

		@Override
		public List<AcmeCertificate> valid() {
			return List.of();
		}

		@Override
		public SharedStore.Changes changed(@Nullable String since) throws IOException {
			return store(List.of()).changedCertificates(since);
		}

	}

}
