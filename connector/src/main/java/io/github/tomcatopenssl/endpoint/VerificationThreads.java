// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.apache.tomcat.util.threads.TaskQueue;
import org.apache.tomcat.util.threads.TaskThreadFactory;
import org.apache.tomcat.util.threads.ThreadPoolExecutor;

/**
 * The threads that take steps of handshakes in which a client may be verified. A
 * verification can block, for example while an OCSP responder does not answer. A step of
 * OpenSSL would hold up the other handshakes of its thread ({@link HandshakeThreads}), or
 * pin the carrier of a virtual thread, and a step of JSSE would take one of Tomcat's
 * workers away from other clients. The threads are limited in number, and end soon when
 * there is nothing to do. A connection that waits for one of them, or for its
 * verification, is closed when the time of its handshake is over.
 */
final class VerificationThreads {

	/**
	 * After how long a thread with nothing to do ends.
	 */
	static final Duration IDLE = Duration.ofSeconds(10);

	/**
	 * The steps that wait for a thread, or are being taken.
	 */
	private final Set<Step> steps = ConcurrentHashMap.newKeySet();

	private final Threads executor;

	/**
	 * Create a new instance.
	 * @param name the prefix of the threads' names
	 * @param most the maximum number of threads
	 * @param idle after how long a thread with nothing to do ends
	 */
	VerificationThreads(String name, int most, Duration idle) {
		TaskQueue queue = new TaskQueue();
		// Daemon threads do not keep the JVM alive: a stop does not wait for a responder
		this.executor = new Threads(most, idle, queue, new TaskThreadFactory(name, true, Thread.NORM_PRIORITY));
		queue.setParent(this.executor);
	}

	/**
	 * Take a step on one of the threads.
	 * @param connection the connection
	 * @param step the step
	 * @throws RejectedExecutionException after the stop
	 */
	void execute(Waiting connection, Runnable step) {
		Step task = new Step(connection, step);
		boolean accepted = false;
		this.steps.add(task);
		try {
			this.executor.execute(task);
			accepted = true;
		}
		finally {
			if (!accepted) {
				this.steps.remove(task);
			}
		}
	}

	/**
	 * Close the connections that have waited for too long. What a running step holds is
	 * released when it returns.
	 */
	void endOverdue() {
		boolean ended = false;
		for (Step step : this.steps) {
			if (step.connection.isOverdue() && this.steps.remove(step)) {
				step.connection.close();
				ended = true;
			}
		}
		if (ended) {
			this.executor.getQueue()
				.stream()
				.filter((task) -> task instanceof Step step && !this.steps.contains(step))
				.forEach(this.executor::remove);
		}
	}

	/**
	 * Stop the threads, without waiting for a verification.
	 */
	void stop() {
		this.executor.shutdownNow();
	}

	/**
	 * A connection in its handshake.
	 */
	interface Waiting {

		boolean isOverdue();

		/**
		 * Close the connection.
		 */
		void close();

	}

	/**
	 * Tomcat's count of the submitted tasks, by which its queue asks for another thread,
	 * still has those that were removed.
	 */
	private static final class Threads extends ThreadPoolExecutor {

		private final AtomicInteger removed = new AtomicInteger();

		Threads(int most, Duration idle, TaskQueue queue, ThreadFactory factory) {
			super(0, most, idle.toMillis(), TimeUnit.MILLISECONDS, queue, factory);
		}

		@Override
		public boolean remove(Runnable task) {
			boolean removed = super.remove(task);
			if (removed) {
				this.removed.incrementAndGet();
			}
			return removed;
		}

		@Override
		public int getSubmittedCount() {
			return super.getSubmittedCount() - this.removed.get();
		}

	}

	private final class Step implements Runnable {

		private final Waiting connection;

		private final Runnable step;

		Step(Waiting connection, Runnable step) {
			this.connection = connection;
			this.step = step;
		}

		@Override
		public void run() {
			boolean taken = false;
			try {
				this.step.run();
				taken = true;
			}
			finally {
				VerificationThreads.this.steps.remove(this);
				if (!taken) {
					// An error that has not been caught ends the thread
					this.connection.close();
				}
			}
		}

	}

}
