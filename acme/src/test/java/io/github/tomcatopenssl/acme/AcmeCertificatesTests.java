// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.ByteArrayInputStream;
import java.io.Closeable;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import javax.management.JMException;
import javax.management.ObjectName;

import io.github.tomcatopenssl.test.TestCertificates;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.shredzone.acme4j.Problem;
import org.shredzone.acme4j.exception.AcmeException;
import org.shredzone.acme4j.exception.AcmeRateLimitedException;
import org.shredzone.acme4j.exception.AcmeServerException;
import org.shredzone.acme4j.exception.AcmeUserActionRequiredException;
import org.shredzone.acme4j.toolbox.JSON;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

/**
 * Tests for {@link AcmeCertificates} and {@link AcmeWork}: what they do when attempts
 * fail, and when the process is killed.
 */
@ExtendWith(OutputCaptureExtension.class)
class AcmeCertificatesTests {

	static final List<String> DOMAINS = List.of("localhost");

	private static final URI DIRECTORY = URI.create("https://localhost/dir");

	/**
	 * Placeholder, count, account, key, order, certificate: before and after each.
	 */
	private static final int STEPS = 12;

	private static final int AT_ONCE = 4;

	@TempDir
	private Path folder;

	private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));

	/**
	 * How many more times the clock cannot be read.
	 */
	private final AtomicInteger errors = new AtomicInteger();

	private boolean caSaysTime = true;

	@Test
	void whenAttemptsFailThenTheNextOnesWaitLongerAndOneWarningADayIsLogged(CapturedOutput output) throws Exception {
		CertificatesAtWork certificates = failing(refusal());
		List<Duration> waits = new ArrayList<>();
		for (int i = 0; i < 12; i++) {
			Instant next = attempt(certificates);
			waits.add(Duration.between(this.now.get(), next));
			setNow(next);
		}
		assertThat(waits.get(0)).isBetween(Duration.ofMinutes(2), Duration.ofMinutes(3));
		assertThat(waits.get(3)).isBetween(Duration.ofMinutes(16), Duration.ofMinutes(18));
		assertThat(waits.subList(8, 12))
			.allSatisfy((wait) -> assertThat(wait).isBetween(Duration.ofHours(6), Duration.ofHours(7)));
		assertThat(certificates.failed()).isEqualTo(12);
		long days = Duration.between(Instant.parse("2026-01-01T00:00:00Z"), this.now.get()).toDays();
		assertThat(output.toString().split("No certificate could be obtained", -1)).hasSize((int) days + 2);
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					2026-03-01T00:00:00Z | valid until 2026-04-01T00:00:00Z (31 days left), and its renewal is due at 2026-03-02
					2026-03-09T00:00:00Z | valid until 2026-04-01T00:00:00Z (23 days left), and its renewal has been due since 2026-03-02
					2026-03-31T00:00:00Z | valid until 2026-04-01T00:00:00Z (24 hours left), and its renewal has been due since 2026-03-02
					2026-03-31T23:10:00Z | valid until 2026-04-01T00:00:00Z (50 minutes left), and its renewal has been due since 2026-03-02
					""")
	void whenRenewalIsLateThenTheTimeThatIsLeftIsNamed(Instant now, String expected) {
		AcmeCertificates.Validity validity = new AcmeCertificates.Validity(Instant.parse("2026-03-02T00:00:00Z"),
				Instant.parse("2026-04-01T00:00:00Z"));
		assertThat(validity.describe(now)).startsWith("The one in use is " + expected);
		assertThat(validity.describe(Instant.parse("2026-04-01T00:00:00Z")))
			.isEqualTo("The one in use has expired at 2026-04-01T00:00:00Z");
	}

	@Test
	void whenOrderFailsThenFlightRecorderShowsIt() throws Exception {
		Path recorded = this.folder.resolve("order.jfr");
		CertificatesAtWork certificates = failing(refusal());
		try (Recording recording = new Recording()) {
			recording.start();
			attempt(certificates);
			recording.dump(recorded);
		}
		assertThat(RecordingFile.readAllEvents(recorded))
			.filteredOn((event) -> event.getEventType().getName().equals("io.github.tomcatopenssl.CertificateOrder"))
			.singleElement()
			.satisfies((event) -> {
				assertThat(event.getString("domains")).isEqualTo("localhost");
				assertThat(event.getString("keyType")).isEqualTo(AcmeKeyType.EC.toString());
				assertThat(event.getString("ca")).isEqualTo(DIRECTORY.toString());
				assertThat(event.getString("problem")).isEqualTo(certificates.status().problem());
			});
	}

	@Test
	void whenAnotherReplicaReplacesCertificatesThenPlaceholderWaits() throws Exception {
		CertificatesAtWork certificates = failing(refusal());
		Path file = store().certificate(AcmeKeyType.EC.toString());
		Files.delete(file);
		FutureTask<List<Path>> writing = new FutureTask<>(certificates::writeFiles);
		Thread thread = new Thread(writing);
		store().exclusively(() -> {
			thread.start();
			Awaitility.await().until(() -> writing.isDone() || thread.getState() == Thread.State.TIMED_WAITING);
			assertThat(file).doesNotExist();
			return file;
		});
		assertThat(writing.get()).containsExactly(file);
		assertThat(file).exists();
	}

	@Test
	void whenCaLimitsRequestsThenItIsNotAskedBefore() throws Exception {
		Instant allowed = this.now.get().plus(Duration.ofDays(3));
		URI type = URI.create("urn:ietf:params:acme:error:rateLimited");
		Problem problem = new Problem(
				JSON.parse("{\"type\": \"%s\", \"detail\": \"too many certificates\"}".formatted(type)),
				URI.create("https://localhost").toURL());
		CertificatesAtWork certificates = failing(new AcmeRateLimitedException(problem, allowed, List.of()));
		assertThat(attempt(certificates)).isEqualTo(allowed);
		assertThat(certificates.status().problem()).isEqualTo("The CA limits requests: too many certificates");
	}

	// Part of it can be what a server that is not ours has answered to the CA
	@Test
	void whenCaSaysWhyThenItIsOneLineOfPlainText(CapturedOutput output) throws Exception {
		Problem problem = new Problem(JSON.parse(
				"{\"type\": \"urn:ietf:params:acme:error:malformed\", \"detail\": \"it's \\n2026 WARN all is well \\u202e\\u2028\"}"),
				URI.create("https://localhost").toURL());
		CertificatesAtWork certificates = failing(new AcmeServerException(problem));
		attempt(certificates);
		assertThat(certificates.status().problem())
			.isEqualTo("The CA refuses: it's \\u000A2026 WARN all is well \\u202E\\u2028");
		assertThat(output).contains("\\u000A2026 WARN").doesNotContainPattern("(?m)^2026 WARN");
	}

	// ZeroSSL, for example, names no page
	@Test
	void whenCaRequiresAnActionAndSaysNoMoreThenTheNextAttemptIsScheduled() throws Exception {
		Problem problem = new Problem(
				JSON.parse("{\"type\": \"urn:ietf:params:acme:error:userActionRequired\", \"detail\": \"new terms\"}"),
				URI.create("https://localhost").toURL());
		CertificatesAtWork certificates = failing(new AcmeUserActionRequiredException(problem, null));
		assertThat(attempt(certificates)).isAfter(this.now.get());
		assertThat(certificates.status().problem()).isEqualTo("The CA requires you to act: new terms");
	}

	@Test
	void whenOneReplicaFailsThenTheOthersWaitAsWell() throws Exception {
		CertificatesAtWork first = failing(refusal());
		setNow(attempt(first));
		// After a restart, which does not wait
		CertificatesAtWork second = failing(refusal());
		Instant next = attempt(second);
		assertThat(Duration.between(this.now.get(), next)).isBetween(Duration.ofMinutes(4), Duration.ofMinutes(5));
		first.start();
		Awaitility.await().until(() -> next.equals(first.status().next()));
		first.stop();
		assertThat(first.failed()).isEqualTo(1);
	}

	// The times of the wait are those of the CA's clock
	@Test
	void whenCaDoesNotSayTheTimeThenTheOthersDoNotWait() throws Exception {
		this.caSaysTime = false;
		CertificatesAtWork certificates = failing(refusal());
		certificates.start();
		Awaitility.await().until(() -> certificates.failed() == 1);
		certificates.stop();
		assertThat(store().failures()).isEqualTo(AcmeStore.Failures.NONE);
	}

	@Test
	void whenOneKeyTypeFailsThenTheOtherIsTried() throws Exception {
		AcmeException failure = refusal();
		List<AcmeKeyType> tried = new CopyOnWriteArrayList<>();
		CertificatesAtWork certificates = certificates(List.of(AcmeKeyType.EC, AcmeKeyType.RSA), (keyType) -> {
			tried.add(keyType);
			throw failure;
		});
		attempt(certificates);
		assertThat(tried).containsExactly(AcmeKeyType.EC, AcmeKeyType.RSA);
	}

	@Test
	void whenTimeLimitOfAnAttemptHasPassedThenTheNextOneIsNotInterrupted() throws Exception {
		AcmeException failure = refusal();
		Duration limit = Duration.ofSeconds(4);
		AtomicInteger attempts = new AtomicInteger();
		CompletableFuture<Boolean> second = new CompletableFuture<>();
		CertificatesAtWork certificates = certificates(List.of(AcmeKeyType.EC), (keyType) -> {
			if (attempts.incrementAndGet() == 2) {
				// The limit of the first attempt passes, its own is three seconds later
				second.complete(isInterrupted(limit.dividedBy(2)));
			}
			throw failure;
		}, new AcmeSchedule(limit, limit.minusSeconds(1), limit, limit, limit, limit, limit));
		certificates.start();
		awaitFailure(certificates, 0);
		setNow(certificates.status().next());
		assertThat(second).succeedsWithin(Duration.ofSeconds(30)).isEqualTo(false);
		certificates.stop();
	}

	@Test
	void whenItWaitsForTheNextAttemptThenStopsAtOnce(CapturedOutput output) throws Exception {
		CertificatesAtWork certificates = failing(refusal());
		certificates.start();
		awaitFailure(certificates, 0);
		certificates.stop();
		assertThat(output).doesNotContain("takes too long to answer");
	}

	@Test
	void whenMemoryRunsOutBetweenAttemptsThenTheyGoOn() throws Exception {
		AcmeException failure = refusal();
		Duration wait = Duration.ofSeconds(2);
		CertificatesAtWork certificates = certificates(List.of(AcmeKeyType.EC), (keyType) -> {
			throw failure;
		}, new AcmeSchedule(wait, wait.dividedBy(2), wait, wait, wait, wait, Duration.ofMillis(20)));
		certificates.start();
		awaitFailure(certificates, 0);
		this.errors.set(20);
		Awaitility.await().until(() -> this.errors.get() == 0);
		setNow(certificates.status().next());
		awaitFailure(certificates, 1);
		certificates.stop();
	}

	// Each has a time limit of hours
	@Test
	void whenAttemptsHaveEndedThenNothingIsLeftOfThem() throws Exception {
		AcmeSchedule schedule = AcmeSchedule.DEFAULT;
		CertificatesAtWork certificates = certificates(List.of(AcmeKeyType.EC), (keyType) -> {
			throw new IllegalStateException();
		}, new AcmeSchedule(Duration.ofMillis(1), schedule.firstDelay(), schedule.afterOrder(), schedule.longestDelay(),
				schedule.restartDelay(), schedule.betweenWarnings(), schedule.clockCheck()));
		try (Closeable other = store().tryLock()) {
			assertThat(other).isNotNull();
			certificates.start();
			Awaitility.await().atMost(Duration.ofMinutes(1)).during(Duration.ofSeconds(3)).until(() -> tasks() < 100);
		}
		finally {
			certificates.stop();
		}
	}

	private static int tasks() throws JMException {
		String histogram = (String) ManagementFactory.getPlatformMBeanServer()
			.invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"), "gcClassHistogram",
					new Object[] { new String[0] }, new String[] { String[].class.getName() });
		return histogram.lines()
			.map((line) -> line.trim().split("\\s+"))
			.filter((columns) -> columns.length >= 4 && columns[3].endsWith("$ScheduledFutureTask"))
			.mapToInt((columns) -> Integer.parseInt(columns[1]))
			.sum();
	}

	private static boolean isInterrupted(Duration time) {
		try {
			Thread.sleep(time.toMillis());
			return false;
		}
		catch (InterruptedException ex) {
			return true;
		}
	}

	@Test
	@Tag("servers")
	void whenCertificateOfAnOldOrderHasExpiredThenAnotherIsOrdered() throws Exception {
		try (Pebble pebble = new Pebble(1, null, Duration.ofSeconds(6))) {
			AcmeProperties properties = new AcmeProperties(DOMAINS, List.of(), 100, true, null,
					URI.create(pebble.directoryUrl()), null, List.of(AcmeKeyType.EC), "shortlived", null, null, null,
					null);
			AtomicReference<String> lost = new AtomicReference<>();
			AcmeStore store = new AcmeStore(this.folder, properties.directoryUrl(), DOMAINS) {

				@Override
				void write(Path file, String content) throws IOException {
					if (file.equals(certificate("ec")) && lost.compareAndSet(null, content)) {
						throw new IOException("No space left on device");
					}
					super.write(file, content);
				}

			};
			store.create();
			SslBundle trust = SslBundle.of(new PemSslStoreBundle(null,
					PemSslStoreDetails.forCertificate("file:" + TestCertificates.get().file("p256.crt"))));
			CaClock clock = new CaClock(Clock.systemUTC());
			AcmeClient client = new AcmeClient(new AcmeSettings(properties, DOMAINS, this.folder), store,
					new CaSessions(properties.directoryUrl(), () -> trust, clock).get(),
					new DomainVerifier(DOMAINS, store, Pebble.dns(pebble.dnsUrl())), clock, AcmeSchedule.DEFAULT);
			assertThatIOException().isThrownBy(() -> client.obtain(AcmeKeyType.EC, null));
			Instant end = ((X509Certificate) CertificateFactory.getInstance("X.509")
				.generateCertificate(new ByteArrayInputStream(lost.get().getBytes()))).getNotAfter().toInstant();
			Awaitility.await().atMost(Duration.ofSeconds(30)).until(() -> Instant.now().isAfter(end));
			assertThatExceptionOfType(AcmeRefusedException.class).isThrownBy(() -> client.obtain(AcmeKeyType.EC, null))
				.withMessageContaining("which is not now");
			assertThat(client.obtain(AcmeKeyType.EC, null).expiry()).isAfter(end);
		}
	}

	// With a wrong clock, the time is in the past, or far in the future
	@ParameterizedTest
	@CsvSource({ "-PT1H, 1", "PT0S, 1", "PT5S, 5", "P1D, 30" })
	void whenCaSaysWhenToAskAgainThenClockDoesNotMatter(Duration again, int seconds) {
		Instant now = Instant.now();
		assertThat(CaAnswers.pause(Optional.of(now.plus(again)), now)).isEqualTo(seconds * 1000L);
	}

	@Test
	void whenCaDoesNotSayWhenToAskAgainThenAsksAfterSeconds() {
		assertThat(CaAnswers.pause(Optional.empty(), Instant.now())).isEqualTo(3000);
	}

	@Test
	void whenCaSendsTheChainInAnotherOrderThenItIsSorted() throws Exception {
		List<X509Certificate> sent = new ArrayList<>();
		for (String name : List.of("leaf", "rsa", "ca", "intermediate")) {
			sent.add(TestCertificates.get().certificate(name + ".crt"));
		}
		assertThat(AcmeClient.sorted(sent)).containsExactly(sent.get(0), sent.get(3), sent.get(2));
	}

	private Instant attempt(CertificatesAtWork certificates) throws IOException {
		long before = certificates.failed();
		certificates.start();
		awaitFailure(certificates, before);
		certificates.stop();
		return certificates.status().next();
	}

	// A stop would interrupt the writing of the failure, which is the last step
	private void awaitFailure(CertificatesAtWork certificates, long before) throws IOException {
		AcmeStore store = store();
		Awaitility.await()
			.until(() -> certificates.status().failures() > before
					&& store.failures().next().equals(certificates.status().next()));
	}

	private static AcmeException refusal() throws IOException {
		return new AcmeServerException(
				new Problem(JSON.parse("{\"type\": \"urn:ietf:params:acme:error:malformed\", \"detail\": \"no luck\"}"),
						URI.create("https://localhost").toURL()));
	}

	// The CA's answers have no parts of seconds
	private void setNow(Instant time) {
		this.now.set(time.truncatedTo(ChronoUnit.SECONDS).plusSeconds(1));
	}

	private AcmeStore store() throws IOException {
		return new AcmeStore(this.folder, DIRECTORY, DOMAINS);
	}

	private CertificatesAtWork failing(AcmeException failure) throws IOException {
		return certificates(List.of(AcmeKeyType.EC), (keyType) -> {
			throw failure;
		});
	}

	private CertificatesAtWork certificates(List<AcmeKeyType> keyTypes, Obtaining obtaining) throws IOException {
		return certificates(keyTypes, obtaining, AcmeSchedule.DEFAULT);
	}

	private CertificatesAtWork certificates(List<AcmeKeyType> keyTypes, Obtaining obtaining, AcmeSchedule schedule)
			throws IOException {
		AcmeProperties properties = new AcmeProperties(DOMAINS, List.of(), 100, true, null, DIRECTORY, null, keyTypes,
				null, null, null, null, null);
		AcmeStore store = store();
		CaClock clock = new CaClock(new Clock() {

			@Override
			public Instant instant() {
				if (AcmeCertificatesTests.this.errors.getAndUpdate((left) -> Math.max(0, left - 1)) > 0) {
					throw new OutOfMemoryError("Test");
				}
				return AcmeCertificatesTests.this.now.get();
			}

			@Override
			public ZoneId getZone() {
				return ZoneId.of("UTC");
			}

			@Override
			public Clock withZone(ZoneId zone) {
				return this;
			}

		});
		AcmeSettings settings = new AcmeSettings(properties, DOMAINS, this.folder);
		CaSessions sessions = new CaSessions(DIRECTORY, () -> null, clock);
		DomainVerifier verifier = new DomainVerifier(DOMAINS, store, null);
		AcmeClient client = new AcmeClient(settings, store, sessions.get(), verifier, clock, schedule) {

			@Override
			void contact() {
				if (AcmeCertificatesTests.this.caSaysTime) {
					clock.answered(ControlledCa.date(AcmeCertificatesTests.this.now.get()));
				}
			}

			@Override
			AcmeCertificate obtain(AcmeKeyType keyType, @Nullable X509Certificate previous) throws AcmeException {
				return obtaining.obtain(keyType);
			}

		};
		CertificatesAtWork certificates = new CertificatesAtWork(settings, store, sessions, (session) -> client, clock,
				schedule);
		certificates.writeFiles();
		return certificates;
	}

	// Each process waits for the CA most of the time
	@Test
	@Tag("forked")
	void whenProcessIsKilledAtAnyStepThenTheNextOneGoesOn() throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(AT_ONCE);
		try {
			List<Callable<Void>> all = new ArrayList<>();
			for (int i = 1; i <= AT_ONCE; i++) {
				int first = i;
				all.add(() -> {
					// One of its own, because it has one record for a name
					try (Pebble pebble = new Pebble(1)) {
						for (int step = first; step <= STEPS + 1; step += AT_ONCE) {
							assertGoesOnAfter(pebble, step);
						}
					}
					return null;
				});
			}
			for (Future<Void> some : threads.invokeAll(all)) {
				some.get();
			}
		}
		finally {
			threads.shutdownNow();
		}
	}

	private void assertGoesOnAfter(Pebble pebble, int step) throws Exception {
		Path store = this.folder.resolve(String.valueOf(step));
		assertThat(fork(pebble, store, step)).as("step %d", step)
			.isEqualTo((step <= STEPS) ? KilledApplication.STATUS : 0);
		assertThat(certificate(store)).as("after step %d", step).isNotNull();
		int status = fork(pebble, store, Integer.MAX_VALUE);
		assertThat(status).as("after step %d:%n%s", step, Files.readString(log(store))).isZero();
		assertThat(Placeholder.is(certificate(store))).isFalse();
	}

	// There is always one with its key, unless nothing was written
	private static X509Certificate certificate(Path store) throws Exception {
		String pem = Placeholder.create(AcmeKeyType.EC, DOMAINS);
		try (Stream<Path> files = Files.walk(store)) {
			for (Path file : files.filter((any) -> any.toString().endsWith("-ec.pem")).toList()) {
				pem = Files.readString(file);
			}
		}
		PemSslStoreDetails details = PemSslStoreDetails.forCertificate(pem).withPrivateKey(pem);
		return (X509Certificate) new PemSslStoreBundle(details, null).getKeyStore().getCertificate("ssl");
	}

	private static int fork(Pebble pebble, Path store, int step) throws Exception {
		return new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-cp", System.getProperty("java.class.path"),
				KilledApplication.class.getName(), String.valueOf(step), store.toString(), pebble.directoryUrl(),
				pebble.dnsUrl(), TestCertificates.get().file("p256.crt").toString())
			.redirectErrorStream(true)
			.redirectOutput(log(store).toFile())
			.start()
			.waitFor();
	}

	private static Path log(Path store) {
		return store.resolveSibling(store.getFileName() + ".log");
	}

	static AcmeProperties properties(URI directoryUrl) {
		return new AcmeProperties(DOMAINS, List.of(), 100, true, null, directoryUrl, null, List.of(AcmeKeyType.EC),
				null, null, null, null, null);
	}

	private interface Obtaining {

		AcmeCertificate obtain(AcmeKeyType keyType) throws AcmeException;

	}

}
