// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Makes the attempts of all {@link AcmeCertificates}, each when it is due, a few at once.
 */
final class AcmeWork {

	/**
	 * Maximum number of attempts at once.
	 */
	static final int AT_ONCE = 8;

	private static final Log logger = LogFactory.getLog(AcmeWork.class);

	/**
	 * How long an attempt seems to have been due that goes before all others.
	 */
	private static final long FIRST = TimeUnit.DAYS.toNanos(1);

	private final Clock clock;

	private final AcmeSchedule schedule;

	private final Map<AcmeCertificates, Task> tasks = new LinkedHashMap<>();

	private volatile @Nullable ScheduledThreadPoolExecutor threads;

	private int workers;

	/**
	 * Create a new instance.
	 * @param clock the clock of the CA
	 * @param schedule how long to wait
	 */
	AcmeWork(Clock clock, AcmeSchedule schedule) {
		this.clock = clock;
		this.schedule = schedule;
	}

	synchronized void add(AcmeCertificates certificates, Duration delay) {
		this.tasks.put(certificates, new Task(certificates, delay));
		addWorker();
		notifyAll();
	}

	synchronized void remove(AcmeCertificates certificates) {
		this.tasks.remove(certificates);
	}

	/**
	 * Return the certificates that are due.
	 * @return the domains of each
	 */
	synchronized List<String> due() {
		return this.tasks.keySet()
			.stream()
			.filter(AcmeCertificates::isDueOrUnknown)
			.map(AcmeCertificates::names)
			.toList();
	}

	/**
	 * Make the next attempt now, before all others.
	 * @param certificates the certificates
	 * @return ends with the attempt
	 */
	synchronized CompletableFuture<Void> hurry(AcmeCertificates certificates) {
		Task task = this.tasks.get(certificates);
		if (task == null) {
			return CompletableFuture.completedFuture(null);
		}
		if (!task.busy) {
			task.due = System.nanoTime() - FIRST;
			notifyAll();
		}
		return task.attempt;
	}

	synchronized void start() {
		ScheduledThreadPoolExecutor threads = new ScheduledThreadPoolExecutor(1, (work) -> {
			Thread daemon = new Thread(work, "acme");
			daemon.setDaemon(true);
			return daemon;
		});
		threads.setRemoveOnCancelPolicy(true);
		this.threads = threads;
		this.workers = 0;
		this.tasks.values().forEach((task) -> {
			task.reset();
			addWorker();
		});
	}

	// One more thread ends attempts that take too long
	private void addWorker() {
		ScheduledThreadPoolExecutor threads = this.threads;
		if (threads != null && this.workers < Math.min(this.tasks.size(), AT_ONCE)) {
			this.workers++;
			threads.setCorePoolSize(this.workers + 1);
			threads.execute(() -> work(threads));
		}
	}

	// Whatever fails, the next attempt follows
	private void work(ScheduledThreadPoolExecutor threads) {
		while (goesOn(threads)) {
			try {
				Task task = next();
				if (task != null) {
					attempt(task, threads);
				}
			}
			catch (InterruptedException ex) {
				// The thread stops, or goes on
			}
			catch (Throwable ex) {
				pause();
			}
		}
	}

	// An attempt that took too long was interrupted, perhaps after its end
	private static boolean goesOn(ScheduledThreadPoolExecutor threads) {
		Thread.interrupted();
		return !threads.isShutdown();
	}

	private void pause() {
		try {
			Thread.sleep(this.schedule.clockCheck().toMillis());
		}
		catch (InterruptedException ex) {
			// The thread stops, or goes on
		}
	}

	private synchronized @Nullable Task next() throws InterruptedException {
		long now = System.nanoTime();
		Instant time = this.clock.instant();
		Task next = null;
		for (Task task : this.tasks.values()) {
			if (!task.busy && (next == null || task.left(now, time) < next.left(now, time))) {
				next = task;
			}
		}
		long check = this.schedule.clockCheck().toMillis();
		long left = (next != null) ? next.left(now, time) : check;
		if (next == null || left > 0) {
			wait(Math.min(left, check));
			return null;
		}
		next.busy = true;
		return next;
	}

	private void attempt(Task task, ScheduledThreadPoolExecutor threads) {
		try {
			task.due = System.nanoTime() + this.schedule.longestDelay().toNanos();
			task.end = Instant.MAX;
			// A provider of DNS records, or a file system, may not answer
			Future<?> limit = threads.schedule(Thread.currentThread()::interrupt,
					this.schedule.longestDelay().toSeconds(), TimeUnit.SECONDS);
			try {
				// Times in files or from the CA must not keep it waiting
				Duration wait = shorter(task.certificates.attempt(threads::isShutdown), this.schedule.longestDelay());
				task.end = this.clock.instant().plus(wait);
				task.due = System.nanoTime() + wait.toNanos();
			}
			finally {
				limit.cancel(false);
			}
		}
		finally {
			done(task);
		}
	}

	private synchronized void done(Task task) {
		task.busy = false;
		CompletableFuture<Void> ended = task.attempt;
		task.attempt = new CompletableFuture<>();
		ended.complete(null);
		notifyAll();
	}

	private static Duration shorter(Duration one, Duration other) {
		return (one.compareTo(other) < 0) ? one : other;
	}

	void stop() {
		ScheduledThreadPoolExecutor threads = this.threads;
		this.threads = null;
		if (threads == null) {
			return;
		}
		threads.shutdownNow();
		try {
			if (!threads.awaitTermination(10, TimeUnit.SECONDS)) {
				logger.warn(
						"The CA, or the folder or the database of the certificates, takes too long to answer, and the answer is ignored");
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	boolean isRunning() {
		return this.threads != null;
	}

	/**
	 * When to make the next attempt: when the clock shows the end, or the delay has
	 * passed, because a clock can be set back.
	 */
	private static final class Task {

		private final AcmeCertificates certificates;

		private final Duration delay;

		private long due;

		private Instant end = Instant.MAX;

		private boolean busy;

		private CompletableFuture<Void> attempt = new CompletableFuture<>();

		private Task(AcmeCertificates certificates, Duration delay) {
			this.certificates = certificates;
			this.delay = delay;
			reset();
		}

		private void reset() {
			this.due = System.nanoTime() + this.delay.toNanos();
			this.end = Instant.MAX;
		}

		private long left(long now, Instant time) {
			long left = TimeUnit.NANOSECONDS.toMillis(this.due - now);
			return time.isBefore(this.end) ? left : Math.min(left, 0);
		}

	}

}
