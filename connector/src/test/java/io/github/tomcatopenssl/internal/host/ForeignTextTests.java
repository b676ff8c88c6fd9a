// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.io.IOException;
import java.security.cert.CertificateException;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ForeignText}.
 */
class ForeignTextTests {

	@ParameterizedTest
	@CsvSource(quoteCharacter = '`', value = { "`CN=a b, O=\"c\"`, `CN=a b, O=\"c\"`", "`a\nERROR b`, a\\u000AERROR b",
			"`a\r\tb`, a\\u000D\\u0009b", "`a\u001b[2Jb`, a\\u001B[2Jb", "`a\u007f\u0085b`, a\\u007F\\u0085b",
			"`a\u2028\u2029b`, a\\u2028\\u2029b", "`a\u202e\u2066b`, a\\u202E\\u2066b", "`M\u00fcller`, M\\u00FCller",
			"`\ud83d\ude00`, \\uD83D\\uDE00", "`it's`, it\\u0027s", "`a\\nb ${jndi:x} %s`, a\\nb ${jndi:x} %s" })
	void whenTextHasUnsafeCharactersThenTheyAreEscaped(String text, String safe) {
		assertThat(ForeignText.of(text)).isEqualTo(safe);
		assertThat(ForeignText.of(safe)).isEqualTo(safe);
	}

	@Test
	void whenTextIsMissingThenSaysSo() {
		assertThat(ForeignText.of((String) null)).isEqualTo("null");
		assertThat(ForeignText.of("")).isEmpty();
	}

	@Test
	void whenTextIsLongThenItIsCutOff() {
		assertThat(ForeignText.of("x".repeat(200))).isEqualTo("x".repeat(200));
		assertThat(ForeignText.of("x".repeat(201))).isEqualTo("x".repeat(200) + "...");
		assertThat(ForeignText.of("\u202e".repeat(1 << 20))).isEqualTo("\\u202E".repeat(33) + "...");
	}

	@Test
	void whenFailureHasCausesThenEachIsSaidOnce() {
		Exception invalid = new CertificateException("'CN=x' is\nrevoked");
		assertThat(ForeignText.of(new IOException("no path", new IllegalStateException("no path", invalid))))
			.isEqualTo("IOException: no path; caused by IllegalStateException"
					+ "; caused by CertificateException: 'CN=x' is\\u000Arevoked");
		assertThat(ForeignText.of(new IOException(invalid)))
			.isEqualTo("IOException: java.security.cert.CertificateException: 'CN=x' is\\u000Arevoked");
		assertThat(ForeignText.of(new IOException())).isEqualTo("IOException");
	}

	@Test
	void whenFailureIsLargeThenItsTextIsNot() {
		Exception failure = new IOException("x".repeat(1 << 20));
		for (int i = 0; i < 1000; i++) {
			failure = new IOException("\u0000" + i, failure);
		}
		assertThat(ForeignText.of(failure)).hasSizeLessThan(1100);
		Exception circular = new IOException("a");
		circular.initCause(new IOException("b", circular));
		assertThat(ForeignText.of(circular)).hasSizeLessThan(1100);
	}

}
