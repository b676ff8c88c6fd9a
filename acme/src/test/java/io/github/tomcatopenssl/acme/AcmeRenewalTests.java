// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.boot.test.system.CapturedOutput;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RenewalTime}, and renewals at a real ACME server.
 */
class AcmeRenewalTests extends AbstractAcmeTests {

	@Test
	void whenFilesAreDamagedThenTheyAreReplacedOrNamed(CapturedOutput output) throws Exception {
		AcmeApplication server = startWithCertificateForSeconds();
		X509Certificate issued = awaitIssued(server, this.port);
		AcmeRenewal renewal = server.bean(AcmeRenewal.class);
		renewal.stop();
		Path file = certificateFile();
		Files.writeString(Path.of(file.toString().replace(".pem", ".order")), "damaged");
		this.pebble.suggestRenewal(issued, Instant.now().minusSeconds(60), Instant.now().minusSeconds(30));
		renewal.start();
		Awaitility.await().atMost(PATIENCE).until(() -> !certificate(this.port).equals(issued));
		server.close();
		Files.writeString(file, "damaged");
		Files.writeString(file.resolveSibling("account.pem"), "damaged");
		start(this.port, Object.class, "server.ssl.acme.domains=localhost");
		assertThat(output).contains("'" + file + "' is not a certificate, and is replaced");
		Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> output.toString()
				.contains("account.pem' does not contain the key of the account. Restore it, or delete it"));
	}

	@Test
	void whenCaSuggestsRenewalAfterExpiryThenCertificateIsRenewedBefore() throws Exception {
		AcmeApplication server = start(this.port, Object.class, "server.ssl.acme.domains=localhost");
		X509Certificate issued = awaitIssued(server, this.port);
		Instant end = issued.getNotAfter().toInstant();
		Duration lifetime = Duration.between(issued.getNotBefore().toInstant(), end);
		this.pebble.suggestRenewal(issued, end, end.plusSeconds(60));
		assertThat(RenewalTime.of(new AcmeCertificate("", issued), session(), Clock.systemUTC(), AcmeSchedule.DEFAULT)
			.at()).isBetween(end.minus(lifetime.dividedBy(5)), end.minus(lifetime.dividedBy(7)));
	}

	@Test
	void whenCaSaysSoThenCertificateIsRenewedWhileRequestsAreServed() throws Exception {
		AcmeApplication server = startWithCertificateForSeconds();
		X509Certificate first = awaitIssued(server, this.port);
		assertThat(Duration.between(first.getNotBefore().toInstant(), first.getNotAfter().toInstant()).toDays())
			.isLessThan(7);
		this.pebble.suggestRenewal(first, Instant.now().minusSeconds(60), Instant.now().minusSeconds(30));
		AtomicBoolean done = new AtomicBoolean();
		AtomicInteger answers = new AtomicInteger();
		List<Throwable> failures = new ArrayList<>();
		Thread load = new Thread(() -> {
			while (!done.get()) {
				try {
					assertThat(get("/hello")).isEqualTo("hello");
					answers.incrementAndGet();
				}
				catch (Throwable ex) {
					failures.add(ex);
				}
			}
		});
		load.start();
		// As after a while
		AcmeRenewal renewal = server.bean(AcmeRenewal.class);
		renewal.stop();
		renewal.start();
		Awaitility.await().atMost(PATIENCE).until(() -> !certificate(this.port).equals(first));
		int before = answers.get();
		Awaitility.await().atMost(PATIENCE).until(() -> answers.get() > before + 20);
		done.set(true);
		load.join();
		assertThat(failures).isEmpty();
		assertThat(server.bean(AcmeCertificateSource.class).ca().issued().get()).isEqualTo(2);
	}

}
