// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.certificate;

import java.time.Duration;

/**
 * Where the files of a host stand beside what is in use, and when they are tried. Times
 * are in nanoseconds, as {@link System#nanoTime()} has them.
 */
class ReloadSchedule {

	/**
	 * How long the files have to stay the same before they are loaded, as a file may be
	 * half written and yet complete as PEM.
	 */
	private static final Duration QUIET_PERIOD = Duration.ofSeconds(2);

	/**
	 * How long files that cannot be used are waited for: the second one of a pair may not
	 * be written yet.
	 */
	private static final Duration GRACE_PERIOD = Duration.ofSeconds(6);

	/**
	 * How long files that never stop changing are waited for: with the second until a
	 * change is seen, at most ten.
	 */
	private static final Duration LONGEST_WAIT = Duration.ofSeconds(9);

	/**
	 * Between two tries of files that cannot be used, as a certificate becomes valid
	 * without being changed.
	 */
	private static final Duration PAUSE = Duration.ofSeconds(10);

	/**
	 * The first and the longest pause after a consumer of the bundle refused the files:
	 * it may recover soon. It doubles, since each try costs the sessions of the server.
	 */
	private static final Duration FIRST_CONSUMER_PAUSE = Duration.ofSeconds(2);

	private static final Duration LONGEST_CONSUMER_PAUSE = Duration.ofMinutes(5);

	private State state = State.IN_USE;

	private FileSnapshot contents;

	private long firstChange;

	private long lastChange;

	private Duration pause = PAUSE;

	private long nextTry;

	private boolean reported;

	ReloadSchedule(FileSnapshot used) {
		this.contents = used;
	}

	State look(FileSnapshot contents, FileSnapshot used, long now) {
		if (!contents.equals(this.contents)) {
			if (this.state != State.CHANGED) {
				this.state = State.CHANGED;
				this.firstChange = now;
				this.reported = false;
			}
			this.contents = contents;
			this.lastChange = now;
		}
		else if (this.state == State.CHANGED && contents.equals(used) && isSettled(now)) {
			used();
		}
		return this.state;
	}

	boolean isDue(long now) {
		return (this.state == State.REFUSED) ? now - this.nextTry >= 0
				: isSettled(now) || hasPassed(LONGEST_WAIT, this.firstChange, now);
	}

	boolean isReported() {
		return this.reported;
	}

	void used() {
		this.state = State.IN_USE;
	}

	// Returns whether it is to be reported
	boolean refuse(boolean byConsumer, long now) {
		boolean report = !this.reported;
		if (this.state == State.CHANGED && !isSettled(now)) {
			if (byConsumer) {
				this.firstChange = now;
			}
		}
		else if (this.state == State.CHANGED && !byConsumer && !hasPassed(GRACE_PERIOD, this.lastChange, now)) {
			return false;
		}
		else {
			this.pause = byConsumer ? consumerPause() : PAUSE;
			this.nextTry = now + this.pause.toNanos();
			this.state = State.REFUSED;
			report = true;
		}
		this.reported = true;
		return report;
	}

	private Duration consumerPause() {
		if (this.state != State.REFUSED) {
			return FIRST_CONSUMER_PAUSE;
		}
		Duration next = this.pause.multipliedBy(2);
		return (next.compareTo(LONGEST_CONSUMER_PAUSE) < 0) ? next : LONGEST_CONSUMER_PAUSE;
	}

	private boolean isSettled(long now) {
		return hasPassed(QUIET_PERIOD, this.lastChange, now);
	}

	private static boolean hasPassed(Duration period, long since, long now) {
		return now - since >= period.toNanos();
	}

	/**
	 * In use, changed since and maybe half written, or tried and refused.
	 */
	enum State {

		IN_USE, CHANGED, REFUSED

	}

}
