// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.time.Instant;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link RetryAfter}.
 */
class RetryAfterTests {

	private static final Instant NOW = Instant.parse("2026-01-01T00:00:00Z");

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			0                             | 2026-01-01T00:00:00Z
			600                           | 2026-01-01T00:10:00Z
			' 0600 '                      | 2026-01-01T00:10:00Z
			99999999999999999999          | 2057-09-09T01:46:39Z
			Thu, 01 Jan 2026 00:10:00 GMT | 2026-01-01T00:10:00Z
			Thu, 1 Jan 1970 00:00:00 GMT  | 1970-01-01T00:00:00Z
			Fri, 31 Dec 9999 23:59:59 GMT | 9999-12-31T23:59:59Z
			""")
	void whenValueIsSecondsOrADateThenItIsATime(String value, Instant time) {
		assertThat(RetryAfter.parse(value, NOW)).contains(time);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "soon", "-1", "1.5", "600, 600", "\u0661\u0662", "2026-01-01T00:10:00Z",
			"Mon, 01 Jan 2026 00:10:00 GMT" })
	void whenValueIsNeitherThenItIsNoTime(String value) {
		assertThat(RetryAfter.parse(value, NOW)).isEmpty();
	}

}
