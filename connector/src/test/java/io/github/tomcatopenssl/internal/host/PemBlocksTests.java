// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import io.github.tomcatopenssl.test.TestCertificates;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link PemBlocks}: they are as OpenSSL writes them.
 */
class PemBlocksTests {

	private static final TestCertificates certificates = TestCertificates.get();

	@ParameterizedTest
	@ValueSource(strings = { "rsa", "p256", "ed25519" })
	void whenBlockIsWrittenThenItIsThatOfOpenSsl(String name) {
		certificates.openssl("x509", "-in", name + ".crt", "-out", "written.crt");
		certificates.openssl("pkey", "-in", name + ".key", "-out", "written.key");
		certificates.openssl("pkey", "-in", name + ".key", "-pubout", "-out", "public.key");
		assertThat(PemBlocks.of(certificates.certificate(name + ".crt"))).isEqualTo(certificates.read("written.crt"));
		assertThat(PemBlocks.of(certificates.privateKey(name))).isEqualTo(certificates.read("written.key"));
		assertThat(PemBlocks.of(certificates.certificate(name + ".crt").getPublicKey()))
			.isEqualTo(certificates.read("public.key"));
	}

}
