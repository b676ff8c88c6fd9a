// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;
import java.util.Optional;

/**
 * Reads the header {@code Retry-After} (RFC 9110, 10.2.3). acme4j throws an exception if
 * the value is not valid.
 */
final class RetryAfter {

	private static final int DIGITS_OF_DECADES = 9;

	private RetryAfter() {
	}

	/**
	 * Return when to ask again.
	 * @param value seconds or a date
	 * @param now the time of the answer
	 * @return the time; empty if the value is neither
	 */
	static Optional<Instant> parse(String value, Instant now) {
		String time = value.strip();
		if (time.matches("[0-9]+")) {
			String seconds = (time.length() > DIGITS_OF_DECADES) ? "9".repeat(DIGITS_OF_DECADES) : time;
			return Optional.of(now.plusSeconds(Long.parseLong(seconds)));
		}
		try {
			return Optional.of(ZonedDateTime.parse(time, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant());
		}
		catch (DateTimeException ex) {
			return Optional.empty();
		}
	}

}
