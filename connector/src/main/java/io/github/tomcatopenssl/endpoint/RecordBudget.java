// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;

/**
 * Limits the records without data that a client sends. It distinguishes a flood of them
 * from answers to the data that was sent to the client. When a key has reached its limit
 * (the security property {@code jdk.tls.keyLimits}), Java's client sends a KeyUpdate for
 * each record that it receives, until it receives the server's KeyUpdate. These may be
 * thousands, because that many records can be on their way.
 */
final class RecordBudget {

	/**
	 * Maximum number of consecutive records without data that do not follow data we sent,
	 * as in BoringSSL ({@code kMaxKeyUpdates}, {@code kMaxEmptyRecords}).
	 */
	private static final int MOST_IN_A_ROW = 32;

	/**
	 * Maximum number of records that count as not answered yet. That many KeyUpdates of
	 * Java's client take 2.8 MB, and answer 1 GB of data.
	 */
	private static final int MOST_ANSWERS = 1 << 16;

	/**
	 * Number of records with data that were sent.
	 */
	private volatile long sent;

	/**
	 * Number of those that are answered, or that the client can no longer answer.
	 */
	private long answered;

	private int inARow;

	/**
	 * Number of records with data that were sent before the client was last heard of.
	 */
	private long known;

	/**
	 * Count records with data that are sent. Of the threads that write, only one calls
	 * this method at a time.
	 * @param records the number of records
	 */
	void sent(int records) {
		this.sent = this.sent + records;
	}

	/**
	 * Return whether data was sent since the last call. The time in which a client has to
	 * ask for more begins after a response, however long that took.
	 * @return whether it was
	 */
	boolean hasSent() {
		long before = this.known;
		this.known = this.sent;
		return this.known != before;
	}

	/**
	 * Count a record with data that was received.
	 */
	void receivedData() {
		this.inARow = 0;
	}

	/**
	 * Count a record without data that was received.
	 * @throws IOException if there are too many of them
	 */
	void receivedNoData() throws IOException {
		long sent = this.sent;
		this.answered = Math.max(this.answered, sent - MOST_ANSWERS);
		if (this.answered < sent) {
			this.answered++;
		}
		else if (++this.inARow > MOST_IN_A_ROW) {
			throw new IOException("The client sends records without data");
		}
	}

}
