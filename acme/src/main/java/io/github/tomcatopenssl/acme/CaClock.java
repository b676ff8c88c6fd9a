// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZonedDateTime;
import java.time.format.DateTimeFormatter;

import io.github.tomcatopenssl.internal.host.ForeignText;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * The clock of the CA, which the {@code Date} of each of its answers shows. Certificates,
 * suggestions and limits have times of this clock, so what this machine's clock shows
 * does not matter. Until the CA has answered, it is the clock of this machine.
 */
final class CaClock extends Clock {

	private static final Log logger = LogFactory.getLog(CaClock.class);

	/**
	 * The smallest difference at which the clock of this machine counts as wrong.
	 */
	static final Duration TOLERANCE = Duration.ofMinutes(5);

	/**
	 * How far behind the clock of this machine can be for an order. A new certificate is
	 * used as soon as it is valid by this clock.
	 */
	private static final Duration LONGEST_BEHIND = Duration.ofDays(1);

	private final Clock machine;

	private volatile Duration ahead = Duration.ZERO;

	private volatile boolean known;

	CaClock(Clock machine) {
		this.machine = machine;
	}

	/**
	 * Read the time of an answer.
	 * @param date its {@code Date}
	 */
	void answered(String date) {
		try {
			Instant time = ZonedDateTime.parse(date, DateTimeFormatter.RFC_1123_DATE_TIME).toInstant();
			boolean wasWrong = isWrong();
			this.ahead = Duration.between(this.machine.instant(), time);
			this.known = true;
			if (isWrong() && !wasWrong) {
				logger.warn(
						"The clock of this machine shows %s, but the clock of the CA shows %s. Correct the clock of this machine: if it is slow, a new certificate does not seem to be valid yet"
							.formatted(this.machine.instant(), time));
			}
		}
		catch (DateTimeException ex) {
			logger.debug("'%s' is not a date".formatted(ForeignText.of(date)));
		}
	}

	private boolean isWrong() {
		return this.ahead.abs().compareTo(TOLERANCE) > 0;
	}

	/**
	 * Check that this machine can use a new certificate within a day.
	 * @throws WrongClockException if its clock is further behind
	 */
	void requireUsable() {
		if (this.ahead.compareTo(LONGEST_BEHIND) > 0) {
			Instant now = this.machine.instant();
			throw new WrongClockException(now, now.plus(this.ahead));
		}
	}

	/**
	 * Return whether the CA has answered.
	 * @return whether it has
	 */
	boolean isKnown() {
		return this.known;
	}

	Clock machine() {
		return this.machine;
	}

	@Override
	public Instant instant() {
		return this.machine.instant().plus(this.ahead);
	}

	@Override
	public ZoneId getZone() {
		return this.machine.getZone();
	}

	@Override
	public Clock withZone(ZoneId zone) {
		throw new UnsupportedOperationException();
	}

}
