// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.security.cert.CertPath;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.util.List;

import io.github.tomcatopenssl.test.TestCertificates;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RefusedCertificate}.
 */
@Tag("jdk")
@Tag("servers")
class RefusedCertificateTests {

	private X509Certificate[] chain;

	@BeforeEach
	void readChain() throws IOException, CertificateException {
		this.chain = new X509Certificate[] { TestCertificates.get().certificate("leaf.crt"),
				TestCertificates.get().certificate("intermediate.crt") };
	}

	@Test
	void whenIssuerIsToBlameThenNamesIt() throws CertificateException {
		CertPath path = CertificateFactory.getInstance("X.509").generateCertPath(List.of(this.chain));
		Exception refusal = new CertificateException(
				new CertPathValidatorException("", null, path, 1, BasicReason.EXPIRED));
		assertThat(RefusedCertificate.of(this.chain, refusal, true))
			.isEqualTo(new RefusedCertificate(this.chain[0], this.chain[1], FailureReason.CERTIFICATE_EXPIRED))
			.asString()
			.startsWith("subject 'CN=Intermediate CA', serial number ");
	}

	@Test
	void whenNoPathIsFoundThenInvalidPathIsTheReason() {
		CertPathValidatorException invalid = new CertPathValidatorException("", null, null, -1, BasicReason.REVOKED);
		assertThat(RefusedCertificate.of(this.chain, new CertPathBuilderException(invalid), true).reason())
			.isEqualTo(FailureReason.CERTIFICATE_REVOKED);
		assertThat(RefusedCertificate.of(this.chain, new CertPathBuilderException(), true).reason())
			.isEqualTo(FailureReason.CERTIFICATE_ISSUER_UNKNOWN);
		assertThat(RefusedCertificate
			.of(this.chain, new CertPathBuilderException(new CertPathValidatorException("signature")), true)
			.reason()).isEqualTo(FailureReason.CERTIFICATE_REJECTED);
	}

	@Test
	void whenCertificateCannotBeReadThenItIsRejected() {
		assertThat(RefusedCertificate.of(new X509Certificate[0], new CertificateException("DER"), true))
			.isEqualTo(new RefusedCertificate(null, null, FailureReason.CERTIFICATE_REJECTED))
			.hasToString("unreadable");
	}

	@Test
	void whenTrustManagerIsTheUsersThenItsReasonIsNotGuessed() throws IOException, CertificateException {
		TestCertificates.get()
			.issue("ca", "not-for-clients", "extendedKeyUsage=serverAuth", "20250101000000Z", "20980101000000Z");
		X509Certificate[] server = { TestCertificates.get().certificate("not-for-clients.crt") };
		CertificateException refusal = new CertificateException("no");
		assertThat(RefusedCertificate.of(server, refusal, true).reason())
			.isEqualTo(FailureReason.CERTIFICATE_WITHOUT_CLIENT_AUTH);
		assertThat(RefusedCertificate.of(server, refusal, false).reason())
			.isEqualTo(FailureReason.CERTIFICATE_REJECTED);
	}

}
