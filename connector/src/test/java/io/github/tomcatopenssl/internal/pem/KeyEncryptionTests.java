// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.pem;

import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;

import io.github.tomcatopenssl.test.TestCertificates;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link KeyEncryption} with keys that OpenSSL has encrypted.
 */
class KeyEncryptionTests {

	private static final TestCertificates certificates = TestCertificates.get();

	private static final PrivateKey KEY = certificates.privateKey("p256");

	@ParameterizedTest
	@ValueSource(strings = { "-v2 aes-128-cbc", "-v2 aes-192-cbc -v2prf hmacWithSHA1", "-v2 aes-256-cbc",
			"-v2 aes-256-cbc -v2prf hmacWithSHA224", "-v2 aes-256-cbc -v2prf hmacWithSHA512", "-v2 des3", "-scrypt",
			"-v1 PBE-SHA1-3DES" })
	void whenOpenSslHasEncryptedAKeyThenItIsDecrypted(String options) throws Exception {
		assertThat(KeyEncryption.decrypt(encrypt("pkcs8 -topk8 " + options), "secret")).isEqualTo(KEY.getEncoded());
	}

	@ParameterizedTest
	@ValueSource(strings = { "-v2 camellia-128-cbc", "-v2 aes-256-cfb" })
	void whenJavaLacksTheCipherThenItIsNamed(String options) {
		assertThatExceptionOfType(NoSuchAlgorithmException.class)
			.isThrownBy(() -> KeyEncryption.decrypt(encrypt("pkcs8 -topk8 " + options), "secret"))
			.withMessageStartingWith("cipher ");
	}

	@ParameterizedTest
	@ValueSource(strings = { "aes-128-cbc", "aes-192-cbc", "aes-256-cbc", "des-ede3-cbc" })
	void whenKeyIsInTheTraditionalFormatThenItIsDecrypted(String cipher) throws Exception {
		byte[] encrypted = encrypt("pkey -traditional -" + cipher);
		String header = certificates.read("encrypted.key")
			.lines()
			.filter((line) -> line.startsWith("DEK-Info:"))
			.findFirst()
			.orElseThrow();
		certificates.openssl("pkey", "-in", "p256.key", "-traditional", "-out", "plain.key");
		assertThat(KeyEncryption.decryptTraditional(header, encrypted, "secret")).isEqualTo(content("plain.key"));
	}

	private static byte[] encrypt(String command) {
		List<String> arguments = new ArrayList<>(List.of(command.split(" ")));
		arguments.addAll(List.of("-in", "p256.key", "-out", "encrypted.key", "-passout", "pass:secret"));
		certificates.openssl(arguments.toArray(String[]::new));
		return content("encrypted.key");
	}

	private static byte[] content(String file) {
		return Base64.getMimeDecoder().decode(certificates.read(file).replaceAll("(?m)^(-----|.*:).*$", ""));
	}

}
