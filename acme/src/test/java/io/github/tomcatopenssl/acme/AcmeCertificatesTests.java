// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import io.github.tomcatopenssl.autoconfigure.TomcatOpenSslProperties.Acme;
import io.github.tomcatopenssl.autoconfigure.TomcatOpenSslProperties.Acme.AcmeKeyType;
import io.github.tomcatopenssl.test.TestCertificates;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.shredzone.acme4j.Problem;
import org.shredzone.acme4j.exception.AcmeException;
import org.shredzone.acme4j.exception.AcmeRateLimitedException;
import org.shredzone.acme4j.toolbox.JSON;

import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link AcmeCertificates}: what it does when attempts fail, and when the
 * process is killed.
 */
@ExtendWith(OutputCaptureExtension.class)
class AcmeCertificatesTests {

	static final List<String> DOMAINS = List.of("localhost");

	/**
	 * Placeholder, account, key, order, certificate: before and after each.
	 */
	private static final int STEPS = 10;

	private static final int AT_ONCE = 4;

	@TempDir
	private Path folder;

	private final AtomicReference<Instant> now = new AtomicReference<>(Instant.parse("2026-01-01T00:00:00Z"));

	@Test
	void whenAttemptsFailThenTheNextOnesWaitLongerAndOneWarningADayIsLogged(CapturedOutput output) throws Exception {
		AcmeCertificates certificates = failing(new AcmeException("no luck"));
		List<Duration> waits = new ArrayList<>();
		for (int i = 0; i < 12; i++) {
			Instant next = attempt(certificates);
			waits.add(Duration.between(this.now.get(), next));
			this.now.set(next);
		}
		assertThat(waits.get(0)).isBetween(Duration.ofMinutes(2), Duration.ofMinutes(3));
		assertThat(waits.get(3)).isBetween(Duration.ofMinutes(16), Duration.ofMinutes(18));
		assertThat(waits.subList(8, 12))
			.allSatisfy((wait) -> assertThat(wait).isBetween(Duration.ofHours(6), Duration.ofHours(7)));
		assertThat(certificates.failed()).isEqualTo(12);
		long days = Duration.between(Instant.parse("2026-01-01T00:00:00Z"), this.now.get()).toDays();
		assertThat(output.toString().split("No certificate could be obtained", -1)).hasSize((int) days + 2);
	}

	@Test
	void whenCaLimitsRequestsThenItIsNotAskedBefore() throws Exception {
		Instant allowed = this.now.get().plus(Duration.ofDays(3));
		URI type = URI.create("urn:ietf:params:acme:error:rateLimited");
		Problem problem = new Problem(
				JSON.parse("{\"type\": \"%s\", \"detail\": \"too many certificates\"}".formatted(type)),
				URI.create("https://localhost").toURL());
		AcmeCertificates certificates = failing(new AcmeRateLimitedException(problem, allowed, List.of()));
		assertThat(attempt(certificates)).isEqualTo(allowed);
		assertThat(certificates.status().problem()).isEqualTo("The CA limits requests: too many certificates");
	}

	private Instant attempt(AcmeCertificates certificates) {
		long before = certificates.failed();
		certificates.start();
		Awaitility.await().until(() -> certificates.failed() > before && certificates.status().failures() > before);
		certificates.stop();
		return certificates.status().next();
	}

	private AcmeCertificates failing(AcmeException failure) throws IOException {
		Acme properties = properties(URI.create("https://localhost/dir"));
		AcmeStore store = new AcmeStore(this.folder, properties.directoryUrl(), DOMAINS);
		AcmeClient client = new AcmeClient(properties, DOMAINS, store, null, null) {

			@Override
			X509Certificate obtain(AcmeKeyType keyType, @Nullable X509Certificate previous) throws AcmeException {
				throw failure;
			}

		};
		AcmeCertificates certificates = new AcmeCertificates(properties, DOMAINS, store, () -> client, new Clock() {

			@Override
			public Instant instant() {
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
		certificates.files();
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
		assertThat(fork(pebble, store, Integer.MAX_VALUE)).as("after step %d", step).isZero();
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
			.redirectOutput(store.resolveSibling(store.getFileName() + ".log").toFile())
			.start()
			.waitFor();
	}

	static Acme properties(URI directoryUrl) {
		return new Acme(DOMAINS, true, null, directoryUrl, null, List.of(AcmeKeyType.EC), null, null, null, null);
	}

}
