// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.nio.file.Files;
import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.time.Instant;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.shredzone.acme4j.AccountBuilder;

import org.springframework.boot.test.system.CapturedOutput;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that renew certificates at a real ACME server with another account than the one
 * that they were issued to, or with one that the server refuses.
 */
class AcmeAccountTests extends AbstractAcmeTests {

	// The CA refuses to replace the certificate of another account
	@Test
	void whenAccountIsAnotherThenCertificateIsRenewed() throws Exception {
		AcmeApplication server = startWithCertificateForSeconds();
		X509Certificate issued = awaitIssued(server, this.port);
		AcmeRenewal renewal = server.bean(AcmeRenewal.class);
		renewal.stop();
		Files.delete(certificateFile().resolveSibling("account.pem"));
		this.pebble.suggestRenewal(issued, Instant.now().minusSeconds(60), Instant.now().minusSeconds(30));
		renewal.start();
		Awaitility.await().atMost(PATIENCE).until(() -> !certificate(this.port).equals(issued));
	}

	@Test
	void whenAccountIsDeactivatedThenCertificateStaysAndRemedyIsNamed(CapturedOutput output) throws Exception {
		AcmeApplication server = startWithCertificateForSeconds();
		X509Certificate issued = awaitIssued(server, this.port);
		AcmeRenewal renewal = server.bean(AcmeRenewal.class);
		renewal.stop();
		this.pebble.suggestRenewal(issued, Instant.now().minusSeconds(60), Instant.now().minusSeconds(30));
		KeyPair key = AcmeStore.key(Files.readString(certificateFile().resolveSibling("account.pem")));
		new AccountBuilder().onlyExisting().useKeyPair(key).createLogin(session()).getAccount().deactivate();
		renewal.start();
		Awaitility.await()
			.atMost(PATIENCE)
			.until(() -> output.toString().contains("If the account was deactivated, delete '" + this.folder));
		assertThat(health(server)).isEqualTo("UP");
		assertThat(certificate(this.port)).isEqualTo(issued);
	}

}
