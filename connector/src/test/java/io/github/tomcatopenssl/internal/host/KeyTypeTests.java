// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.security.KeyPairGenerator;
import java.security.NoSuchAlgorithmException;
import java.security.PublicKey;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Set;

import io.github.tomcatopenssl.SignatureScheme;
import io.github.tomcatopenssl.test.TestCertificates;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link KeyType}.
 */
class KeyTypeTests {

	@ParameterizedTest
	@CsvSource({ "rsa, RSA", "p256, EC", "p384, EC", "ed25519, ED25519", "ml-dsa-44, ML_DSA_44", "ml-dsa-65, ML_DSA_65",
			"ml-dsa-87, ML_DSA_87" })
	void whenKeyIsInACertificateThenItsTypeIsFound(String name, KeyType type) {
		assertThat(KeyType.of(TestCertificates.get().certificate(name + ".crt").getPublicKey())).isEqualTo(type);
	}

	@ParameterizedTest
	@CsvSource({ "RSASSA-PSS, RSA_PSS", "Ed448, ED448", "X25519, OTHER", "DSA, OTHER" })
	void whenKeyIsGeneratedThenItsTypeIsFound(String algorithm, KeyType type) throws NoSuchAlgorithmException {
		assertThat(KeyType.of(KeyPairGenerator.getInstance(algorithm).generateKeyPair().getPublic())).isEqualTo(type);
	}

	@Test
	void whenTypeIsOfMlDsaThenItHasOneAlgorithm() {
		assertThat(Arrays.stream(KeyType.values()).filter(KeyType::isMlDsa)).extracting(KeyType::schemes)
			.containsExactly(Set.of(SignatureScheme.MLDSA44), Set.of(SignatureScheme.MLDSA65),
					Set.of(SignatureScheme.MLDSA87));
	}

	@Test
	void whenKeyOnlyContainsTheIdentifierOfMlDsaThenItIsAnother() {
		byte[] encoded = HexFormat.of().parseHex("30820100302006022a03040c00000609608648016503040313");
		assertThat(KeyType.of(new UnknownKey(Arrays.copyOf(encoded, 260)))).isEqualTo(KeyType.OTHER);
		assertThat(KeyType.of(new UnknownKey(encoded))).isEqualTo(KeyType.OTHER);
	}

	private record UnknownKey(byte[] encoded) implements PublicKey {

		@Override
		public String getAlgorithm() {
			return "unknown";
		}

		@Override
		public String getFormat() {
			return "X.509";
		}

		@Override
		public byte[] getEncoded() {
			return this.encoded;
		}

	}

}
