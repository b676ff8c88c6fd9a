// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * A thread that serves all connections of an endpoint. If an error ends its work, it
 * begins again, whatever has failed: without the thread, nobody would be served.
 */
final class LastingThread {

	/**
	 * After this many errors in a row, the thread counts as failed.
	 */
	private static final int MOST_ERRORS = 10;

	/**
	 * Errors are in a row if the next one comes within this time, in nanoseconds.
	 */
	private static final long IN_A_ROW = TimeUnit.SECONDS.toNanos(2);

	/**
	 * How much longer to wait after each error in a row, in milliseconds.
	 */
	private static final int WAIT = 10;

	private final Runnable work;

	private final SurvivedErrors survived;

	private final Thread thread;

	private volatile boolean ended;

	private volatile int errors;

	private volatile long lastError;

	/**
	 * Create a thread.
	 * @param work its work, which returns when the endpoint stops
	 * @param survived gets the errors
	 * @param factory creates the thread
	 */
	LastingThread(Runnable work, SurvivedErrors survived, ThreadFactory factory) {
		this.work = work;
		this.survived = survived;
		this.thread = factory.newThread(this::run);
	}

	/**
	 * Start the thread.
	 * @throws OutOfMemoryError if there are too many threads
	 */
	void start() {
		this.thread.start();
	}

	/**
	 * Wait for the end of the thread.
	 * @param deadline until when, as {@link System#nanoTime()} counts it
	 * @throws InterruptedException if the current thread is interrupted
	 */
	void join(long deadline) throws InterruptedException {
		TimeUnit.NANOSECONDS.timedJoin(this.thread, deadline - System.nanoTime());
	}

	String name() {
		return this.thread.getName();
	}

	/**
	 * Return whether the thread serves nobody, because it has died, or fails again and
	 * again.
	 * @return whether it has failed
	 */
	boolean hasFailed() {
		return !this.ended && (!this.thread.isAlive()
				|| this.errors >= MOST_ERRORS && System.nanoTime() - this.lastError < IN_A_ROW);
	}

	private void run() {
		while (!this.ended) {
			try {
				this.work.run();
				this.ended = true;
			}
			catch (Throwable ex) {
				this.survived.add(ex);
				await();
			}
		}
	}

	private void await() {
		long now = System.nanoTime();
		this.errors = (now - this.lastError < IN_A_ROW) ? Math.min(this.errors + 1, 2 * MOST_ERRORS) : 1;
		this.lastError = now;
		try {
			TimeUnit.MILLISECONDS.sleep((long) WAIT * this.errors);
		}
		catch (InterruptedException ex) {
			// The work goes on
		}
	}

}
