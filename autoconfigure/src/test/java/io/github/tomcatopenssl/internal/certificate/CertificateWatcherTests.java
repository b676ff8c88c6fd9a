// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.certificate.CertificateReloads.Status;
import io.github.tomcatopenssl.test.TestCertificates;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.web.server.Ssl;
import org.springframework.core.io.FileSystemResourceLoader;
import org.springframework.core.io.Resource;
import org.springframework.core.io.ResourceLoader;

import static org.assertj.core.api.Assertions.assertThat;

class CertificateWatcherTests {

	private final AtomicReference<Instant> now = new AtomicReference<>(Instant.now());

	private final CountDownLatch hanging = new CountDownLatch(1);

	private final CountDownLatch answer = new CountDownLatch(1);

	private CertificateWatcher watcher(ResourceLoader resourceLoader) {
		TestCertificates certificates = TestCertificates.get();
		VirtualHostFiles host = new VirtualHostFiles(null, List.of(new CertificateFiles("server.ssl.",
				certificates.file("p256.crt").toString(), certificates.file("p256.key").toString(), null, null)), null,
				List.of(), null, null);
		Clock clock = ((InstantSource) this.now::get).withZone(ZoneOffset.UTC);
		return new CertificateWatcher(List.of(host), new Ssl(), new Ssl(), resourceLoader, true, Duration.ofMillis(20),
				clock, SettingName::toString);
	}

	@Test
	@ExtendWith(OutputCaptureExtension.class)
	void whenFilesCannotBeReadForLackOfMemoryThenSaysSoOnceAndPauses(CapturedOutput output) {
		FailingLoader files = new FailingLoader();
		CertificateWatcher watcher = watcher(files);
		files.failing = true;
		watcher.start();
		try {
			Awaitility.await().untilAsserted(() -> assertThat(files.failures).hasSizeGreaterThanOrEqualTo(5));
			List<Long> failures = List.copyOf(files.failures);
			assertThat(Duration.ofNanos(failures.get(4) - failures.get(3))).isGreaterThan(Duration.ofMillis(160));
			assertThat(watcher.status()).singleElement()
				.satisfies((status) -> assertThat(status.problem()).contains("could not be checked",
						"OutOfMemoryError: Java heap space", "The heap is too small"));
			files.failing = false;
			Awaitility.await()
				.untilAsserted(() -> assertThat(watcher.status()).singleElement().returns(null, Status::problem));
			Awaitility.await()
				.untilAsserted(() -> assertThat(output).contains("The certificate files are checked again"));
			assertThat(output).containsOnlyOnce("The heap is too small");
		}
		finally {
			watcher.stop();
		}
	}

	@Test
	void whenFileSystemDoesNotAnswerThenStatusSaysSinceWhen() throws Exception {
		CertificateWatcher watcher = watcher(new HangingLoader());
		Instant since = this.now.get();
		watcher.start();
		try {
			this.hanging.await();
			this.now.set(since.plusSeconds(59));
			assertThat(watcher.status()).singleElement().returns(null, Status::problem);
			this.now.set(since.plusSeconds(61));
			assertThat(watcher.status()).singleElement()
				.satisfies((status) -> assertThat(status.problem()).contains("not been checked since " + since));
			this.answer.countDown();
			Awaitility.await()
				.untilAsserted(() -> assertThat(watcher.status()).singleElement().returns(null, Status::problem));
		}
		finally {
			this.answer.countDown();
			watcher.stop();
		}
	}

	/**
	 * Has too little memory from a moment on.
	 */
	private static final class FailingLoader extends FileSystemResourceLoader {

		private final List<Long> failures = new CopyOnWriteArrayList<>();

		private volatile boolean failing;

		@Override
		public Resource getResource(String location) {
			if (this.failing) {
				this.failures.add(System.nanoTime());
				throw new OutOfMemoryError("Java heap space");
			}
			return super.getResource("file:" + location);
		}

	}

	/**
	 * Answers once for each file.
	 */
	private final class HangingLoader extends FileSystemResourceLoader {

		private int answers = 2;

		@Override
		public Resource getResource(String location) {
			if (this.answers-- <= 0) {
				CertificateWatcherTests.this.hanging.countDown();
				try {
					CertificateWatcherTests.this.answer.await();
				}
				catch (InterruptedException ex) {
					Thread.currentThread().interrupt();
				}
			}
			return super.getResource("file:" + location);
		}

	}

}
