// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.concurrent.TimeUnit;

/**
 * Limits how many events are recorded in a second, so that strangers cannot fill a
 * recording.
 */
final class EventLimit {

	/**
	 * Says that an event is not to be recorded.
	 */
	static final int OMITTED = -1;

	private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

	private final int most;

	private long begin;

	private int recorded;

	private long omitted;

	/**
	 * Create a limit.
	 * @param most the maximum number of events in a second
	 */
	EventLimit(int most) {
		this.most = most;
	}

	/**
	 * Return whether an event could be recorded now.
	 * @param now the time, as {@link System#nanoTime()} returns it
	 * @return whether the limit is not reached
	 */
	synchronized boolean hasRoom(long now) {
		return this.recorded < this.most || now - this.begin >= SECOND;
	}

	/**
	 * Count an event.
	 * @param now the time, as {@link System#nanoTime()} returns it
	 * @return the number of events that were omitted since the last one that was
	 * recorded, or {@link #OMITTED} if this one is to be omitted too
	 */
	synchronized long count(long now) {
		if (this.recorded == 0 || now - this.begin >= SECOND) {
			this.begin = now;
			this.recorded = 0;
		}
		if (this.recorded == this.most) {
			this.omitted++;
			return OMITTED;
		}
		this.recorded++;
		long omitted = this.omitted;
		this.omitted = 0;
		return omitted;
	}

}
