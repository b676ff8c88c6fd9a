// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import io.github.tomcatopenssl.TlsSettingException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link TlsFailureAnalyzer}.
 */
class TlsFailureAnalyzerTests {

	private static final String PROPERTY = "server.ssl.certificate-file";

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '"', textBlock = """
			"tls.crt"        | "tls.crt"
			"my tls.crt"     | "my tls.crt"
			"tls.crt "       | "'tls.crt '"
			" tls.crt"       | "' tls.crt'"
			"tls.crt\u00a0" | "'tls.crt\\u00A0'"
			"tls\u200b.crt" | "'tls\\u200B.crt'"
			"tls\t.crt"     | "'tls\\u0009.crt'"
			""")
	void whenValueHasCharactersThatNobodySeesThenTheyAreShown(String value, String shown) {
		TlsSettingException failure = new TlsSettingException(PROPERTY, value, "it does not exist", "Correct it", null);
		assertThat(new TlsFailureAnalyzer(new MockEnvironment().withProperty(PROPERTY, value)).analyze(failure)
			.getDescription()).contains("    Value: %s%n".formatted(shown), "    File: %s%n".formatted(shown));
	}

}
