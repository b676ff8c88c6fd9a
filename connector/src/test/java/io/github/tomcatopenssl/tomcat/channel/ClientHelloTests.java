// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat.channel;

import java.util.List;

import org.apache.tomcat.util.net.openssl.ciphers.Cipher;
import org.apache.tomcat.util.net.openssl.ciphers.SignatureScheme;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of {@link ClientHello}.
 */
class ClientHelloTests {

	private static final Cipher ECDSA = Cipher.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256;

	private static final Cipher RSA = Cipher.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256;

	private static final Cipher ANY = Cipher.TLS_AES_128_GCM_SHA256;

	@Test
	void whenClientVerifiesRsaOnlyThenSuitesWithEcdsaAreLeftOut() {
		assertThat(verifiableCiphers(SignatureScheme.rsa_pss_rsae_sha256)).containsExactly(RSA, ANY);
	}

	@Test
	void whenClientVerifiesEcdsaOnlyThenSuitesWithRsaAreLeftOut() {
		assertThat(verifiableCiphers(SignatureScheme.ecdsa_secp256r1_sha256)).containsExactly(ECDSA, ANY);
	}

	@Test
	void whenClientVerifiesBothThenAllSuitesStay() {
		assertThat(verifiableCiphers(SignatureScheme.rsa_pkcs1_sha256, SignatureScheme.ecdsa_secp256r1_sha256))
			.containsExactly(ECDSA, RSA, ANY);
	}

	@Test
	void whenClientDoesNotSayWhatItVerifiesThenAllSuitesStay() {
		assertThat(verifiableCiphers()).containsExactly(ECDSA, RSA, ANY);
	}

	private static List<Cipher> verifiableCiphers(SignatureScheme... schemes) {
		return new ClientHello(null, List.of(ECDSA, RSA, ANY), List.of(), List.of(), List.of(), List.of(),
				List.of(schemes), false)
			.verifiableCiphers();
	}

}
