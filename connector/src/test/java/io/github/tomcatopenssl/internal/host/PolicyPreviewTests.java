// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.security.cert.X509Certificate;
import java.util.List;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.SecurityPolicy;
import io.github.tomcatopenssl.SignatureScheme;
import io.github.tomcatopenssl.internal.host.PolicyPreview.Offer;
import io.github.tomcatopenssl.internal.host.PolicyPreview.Refusal;
import io.github.tomcatopenssl.test.TestCertificates;
import org.apache.tomcat.util.net.openssl.ciphers.Cipher;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link PolicyPreview}.
 */
class PolicyPreviewTests {

	private static final X509Certificate[] NOBODY = {};

	private static final int[] TLS_1_2 = { 0x0303 };

	private static final int[] TLS_1_2_AND_1_3 = { 0x0304, 0x0303 };

	private static final int[] SUITES = { Cipher.TLS_AES_256_GCM_SHA384.getId(),
			Cipher.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256.getId() };

	private static final int[] P256 = { KeyExchangeGroup.SECP256R1.id() };

	private static final int[] ECDSA = { SignatureScheme.ECDSA_SECP256R1_SHA256.id() };

	private static final Offer ALLOWED = new Offer(TLS_1_2_AND_1_3, SUITES, P256, ECDSA);

	@Test
	void whenClientOffersWhatThePolicyAllowsThenItIsNotRefused() {
		assertThat(refusal(SecurityPolicy.NIST_SP_800_52R2, ALLOWED)).isNull();
		assertThat(refusal(SecurityPolicy.MODERN, ALLOWED)).isNull();
	}

	@Test
	void whenClientLacksTheVersionThenThatIsTheReason() {
		assertThat(refusal(SecurityPolicy.MODERN, new Offer(TLS_1_2, SUITES, P256, ECDSA)))
			.isEqualTo(Refusal.PROTOCOL_VERSION);
	}

	// A server that supports TLS 1.3 does not go back to TLS 1.2
	@Test
	void whenClientLacksTheSuitesOfTheVersionThenThatIsTheReason() {
		int[] chacha = { Cipher.TLS_CHACHA20_POLY1305_SHA256.getId(),
				Cipher.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256.getId() };
		assertThat(refusal(SecurityPolicy.NIST_SP_800_52R2, new Offer(TLS_1_2_AND_1_3, chacha, P256, ECDSA)))
			.isEqualTo(Refusal.SUITE);
		assertThat(refusal(SecurityPolicy.NIST_SP_800_52R2, new Offer(TLS_1_2, chacha, P256, ECDSA))).isNull();
	}

	@Test
	void whenNoSuiteFitsTheKeyThenThatIsTheReason() {
		int[] rsa = { Cipher.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256.getId() };
		assertThat(refusal(SecurityPolicy.NIST_SP_800_52R2, new Offer(TLS_1_2, rsa, P256, ECDSA)))
			.isEqualTo(Refusal.SUITE);
	}

	@Test
	void whenClientLacksTheGroupsThenThatIsTheReason() {
		int[] x25519 = { KeyExchangeGroup.X25519.id() };
		assertThat(refusal(SecurityPolicy.NIST_SP_800_52R2, new Offer(TLS_1_2_AND_1_3, SUITES, x25519, ECDSA)))
			.isEqualTo(Refusal.GROUP);
		assertThat(refusal(SecurityPolicy.CNSA_2, ALLOWED)).isEqualTo(Refusal.GROUP);
	}

	// It does not have to (RFC 8422, 4)
	@Test
	void whenClientOfTls12ListsNoGroupsThenItIsNotRefused() {
		int[] nothing = {};
		assertThat(refusal(SecurityPolicy.NIST_SP_800_52R2, new Offer(TLS_1_2, SUITES, nothing, ECDSA))).isNull();
		assertThat(refusal(SecurityPolicy.NIST_SP_800_52R2, new Offer(TLS_1_2_AND_1_3, SUITES, nothing, ECDSA)))
			.isEqualTo(Refusal.GROUP);
	}

	@Test
	void whenClientOfTls12ListsNoSignatureAlgorithmsThenThatIsTheReason() {
		int[] nothing = {};
		assertThat(refusal(SecurityPolicy.NIST_SP_800_52R2, new Offer(TLS_1_2, SUITES, P256, nothing)))
			.isEqualTo(Refusal.SIGNATURE_ALGORITHM);
	}

	@Test
	void whenNoSignatureAlgorithmFitsThenThatIsTheReason() {
		int[] others = { SignatureScheme.RSA_PSS_RSAE_SHA256.id(), SignatureScheme.ECDSA_SECP384R1_SHA384.id() };
		assertThat(refusal(SecurityPolicy.NIST_SP_800_52R2, new Offer(TLS_1_2_AND_1_3, SUITES, P256, others)))
			.isEqualTo(Refusal.SIGNATURE_ALGORITHM);
		assertThat(refusal(SecurityPolicy.NIST_SP_800_52R2, new Offer(TLS_1_2, SUITES, P256, others))).isNull();
	}

	@Test
	void whenCertificateOfClientIsNotAllowedThenThatIsTheReason() {
		assertThat(preview(SecurityPolicy.BSI_TR_02102_2, "p256").refusal(ALLOWED,
				new X509Certificate[] { TestCertificates.get().certificate("rsa.crt") }))
			.isEqualTo(Refusal.CLIENT_CERTIFICATE);
	}

	@Test
	void whenOnlyCertificateOfServerIsNotAllowedThenThatIsTheReason() {
		PolicyPreview preview = preview(SecurityPolicy.MODERN, "rsa");
		assertThat(preview.violation()).contains("'CN=rsa' has an RSA key");
		assertThat(preview.refusal(ALLOWED, NOBODY)).isEqualTo(Refusal.SERVER_CERTIFICATE);
		assertThat(preview.refusal(new Offer(TLS_1_2, SUITES, P256, ECDSA), NOBODY))
			.isEqualTo(Refusal.PROTOCOL_VERSION);
	}

	@Test
	void whenClientLacksTls13OrTheHybridGroupThenItIsClassical() {
		int[] hybrid = { KeyExchangeGroup.X25519.id(), KeyExchangeGroup.X25519MLKEM768.id() };
		assertThat(PolicyPreview.classical(ALLOWED)).isEqualTo(Refusal.GROUP);
		assertThat(PolicyPreview.classical(new Offer(TLS_1_2, SUITES, hybrid, ECDSA)))
			.isEqualTo(Refusal.PROTOCOL_VERSION);
		assertThat(PolicyPreview.classical(new Offer(TLS_1_2_AND_1_3, SUITES, hybrid, ECDSA))).isNull();
	}

	private static Refusal refusal(SecurityPolicy policy, Offer offer) {
		return preview(policy, "p256").refusal(offer, NOBODY);
	}

	private static PolicyPreview preview(SecurityPolicy policy, String key) {
		return new PolicyPreview(policy,
				List.of(new HostKey(null, List.of(TestCertificates.get().certificate(key + ".crt")))));
	}

}
