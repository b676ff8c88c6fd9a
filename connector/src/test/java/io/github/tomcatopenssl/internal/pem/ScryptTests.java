// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.pem;

import java.nio.charset.StandardCharsets;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link Scrypt}.
 */
class ScryptTests {

	// RFC 7914, 12
	@ParameterizedTest
	@CsvSource({
			"password, NaCl, 1024, 8, 16, fdbabe1c9d3472007856e7190d01e9fe7c6ad7cbc8237830e77376634b3731622eaf30d92e22a3886ff109279d9830dac727afb94a83ee6d8360cbdfa2cc0640",
			"pleaseletmein, SodiumChloride, 16384, 8, 1, 7023bdcb3afd7348461c06cd81fd38ebfda8fbba904f8e3ea9b543f6545da1f2d5432955613f0fcf62d49705242a9af9e61e85dc0d651e40dfcf017b45575887" })
	void whenParametersAreThoseOfTheStandardThenKeyIsAsWell(String password, String salt, int n, int r, int p,
			String key) throws Exception {
		byte[] derived = new Scrypt(n, r, p).derive(password.toCharArray(), salt.getBytes(StandardCharsets.US_ASCII),
				64);
		assertThat(HexFormat.of().formatHex(derived)).isEqualTo(key);
	}

	@ParameterizedTest
	@CsvSource({ "32768, 8, 1", "1048576, 8, 1", "1073741824, 1024, 1", "16384, 8, 2147483647", "1000, 8, 1", "1, 8, 1",
			"-2147483648, 8, 1", "1024, 0, 1", "1024, 8, 0", "1024, 8, -1" })
	void whenMemoryIsTooMuchOrParametersAreInvalidThenFails(int n, int r, int p) {
		assertThatExceptionOfType(NoSuchAlgorithmException.class).isThrownBy(() -> new Scrypt(n, r, p));
	}

}
