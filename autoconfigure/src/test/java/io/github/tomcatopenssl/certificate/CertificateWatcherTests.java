// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.certificate;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.time.ZoneOffset;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.certificate.CertificateReloads.Status;
import io.github.tomcatopenssl.test.TestCertificates;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.boot.web.server.Ssl;
import org.springframework.core.io.FileSystemResourceLoader;
import org.springframework.core.io.Resource;

import static org.assertj.core.api.Assertions.assertThat;

class CertificateWatcherTests {

	private final AtomicReference<Instant> now = new AtomicReference<>(Instant.now());

	private final CountDownLatch hanging = new CountDownLatch(1);

	private final CountDownLatch answer = new CountDownLatch(1);

	@Test
	void whenFileSystemDoesNotAnswerThenStatusSaysSinceWhen() throws Exception {
		TestCertificates certificates = TestCertificates.get();
		VirtualHostFiles host = new VirtualHostFiles(null, List.of(new CertificateFiles("server.ssl.",
				certificates.file("p256.crt").toString(), certificates.file("p256.key").toString(), null, null)), null,
				List.of(), null, null);
		Clock clock = ((InstantSource) this.now::get).withZone(ZoneOffset.UTC);
		CertificateWatcher watcher = new CertificateWatcher(List.of(host), new Ssl(), new Ssl(), new HangingLoader(),
				true, Duration.ofMillis(20), clock, SettingName::toString);
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
