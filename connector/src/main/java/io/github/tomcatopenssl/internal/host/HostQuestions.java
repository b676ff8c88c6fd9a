// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Predicate;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Asks the application for hosts that nobody has added. Strangers choose the names, so
 * that an answer is remembered, connections that want the same name wait for the same
 * question, and there are only so many questions in a second.
 */
final class HostQuestions {

	private static final Log logger = LogFactory.getLog(HostQuestions.class);

	/**
	 * How long it holds that there is no host of a name, in nanoseconds.
	 */
	static final long REFUSED = Duration.ofMinutes(1).toNanos();

	/**
	 * How long a question that had no answer is not asked again, in nanoseconds.
	 */
	static final long PAUSE = Duration.ofSeconds(10).toNanos();

	/**
	 * How long a host is served before the application is asked for it again, in
	 * nanoseconds.
	 */
	static final long FOUND = Duration.ofHours(1).toNanos();

	/**
	 * How long a host is kept that no client asks for, in nanoseconds.
	 */
	static final long KEPT = Duration.ofDays(1).toNanos();

	/**
	 * How long a connection waits for another one's question, in nanoseconds: the default
	 * time limit of handshakes.
	 */
	private static final long LONGEST_WAIT = Duration.ofSeconds(10).toNanos();

	/**
	 * Maximum number of questions in a second.
	 */
	static final int MOST_IN_A_SECOND = 100;

	/**
	 * Maximum number of questions at once: twice the connections to its database that an
	 * application of Spring Boot has by default.
	 */
	static final int MOST_AT_ONCE = 20;

	/**
	 * Maximum number of names whose refusal is remembered: those of a minute.
	 */
	private static final int MOST_REFUSED = 60 * MOST_IN_A_SECOND;

	private static final long SECOND = Duration.ofSeconds(1).toNanos();

	private final Application application;

	private final Predicate<String> remover;

	private final LongSupplier clock;

	private final Semaphore atOnce = new Semaphore(MOST_AT_ONCE);

	/**
	 * Until when there is no answer for a name, or none that says that there is a host.
	 */
	private final Map<String, Long> refused = new LinkedHashMap<>() {

		@Override
		protected boolean removeEldestEntry(Map.Entry<String, Long> eldest) {
			return size() > MOST_REFUSED;
		}

	};

	/**
	 * Until when hosts need not be asked for again, by their own names.
	 */
	private final Map<String, Long> found = new ConcurrentHashMap<>();

	/**
	 * The questions that are being asked.
	 */
	private final Map<String, CountDownLatch> asked = new ConcurrentHashMap<>();

	private long nextWarning;

	private long nextSweep;

	private long second;

	private int inSecond;

	/**
	 * Create a new instance.
	 * @param application the application
	 * @param remover removes a host by its own name
	 * @param clock returns the time in nanoseconds
	 */
	HostQuestions(Application application, Predicate<String> remover, LongSupplier clock) {
		this.application = application;
		this.remover = remover;
		this.clock = clock;
		this.second = clock.getAsLong();
		this.nextWarning = this.second;
		this.nextSweep = this.second + FOUND;
	}

	/**
	 * Return whether the application has to be asked for a name. If a host serves it, one
	 * caller only is told so within ten seconds.
	 * @param name the canonical form of the name
	 * @param served the host that serves it, or {@code null}
	 * @return whether it is not known if there is a host of the name, or not any more
	 */
	boolean isOpen(String name, @Nullable CertificateHost served) {
		long now = this.clock.getAsLong();
		Long until = null;
		if (served != null) {
			until = this.found.get(served.name());
			if (until == null || now - until < 0 || this.asked.containsKey(name)) {
				return false;
			}
		}
		synchronized (this.refused) {
			Long refused = this.refused.get(name);
			if (refused != null && now - refused < 0) {
				return false;
			}
		}
		return served == null || this.found.replace(served.name(), until, now + PAUSE);
	}

	/**
	 * Return whether the application has given a host.
	 * @param host the host
	 * @return whether it was an answer
	 */
	boolean gave(CertificateHost host) {
		return this.found.containsKey(host.name());
	}

	/**
	 * Ask for a host, or wait for the answer to another connection.
	 * @param name the canonical form of the name
	 */
	void ask(String name) {
		CountDownLatch question = new CountDownLatch(1);
		CountDownLatch running = this.asked.putIfAbsent(name, question);
		try {
			if (running != null) {
				running.await(LONGEST_WAIT, TimeUnit.NANOSECONDS);
				return;
			}
			if (!this.atOnce.tryAcquire(LONGEST_WAIT, TimeUnit.NANOSECONDS)) {
				return;
			}
			try {
				if (mayAsk()) {
					answer(name);
				}
			}
			finally {
				this.atOnce.release();
			}
		}
		catch (InterruptedException ex) {
			// The server stops
			Thread.currentThread().interrupt();
		}
		finally {
			if (running == null) {
				this.asked.remove(name);
				question.countDown();
			}
		}
	}

	private void answer(String name) {
		try {
			String host = this.application.ask(name);
			if (host != null) {
				this.found.put(host, this.clock.getAsLong() + FOUND);
			}
			else {
				refuse(name, REFUSED);
			}
		}
		catch (RuntimeException | Error ex) {
			refuse(name, PAUSE);
			warn(name, ex);
		}
		sweep();
	}

	private synchronized boolean mayAsk() {
		long now = this.clock.getAsLong();
		if (now - this.second >= SECOND) {
			this.second = now;
			this.inSecond = 0;
		}
		return this.inSecond++ < MOST_IN_A_SECOND;
	}

	private void refuse(String name, long time) {
		synchronized (this.refused) {
			this.refused.remove(name);
			this.refused.put(name, this.clock.getAsLong() + time);
		}
	}

	private synchronized void warn(String name, Throwable cause) {
		long now = this.clock.getAsLong();
		// A stop interrupts questions
		if (now - this.nextWarning >= 0 && !Thread.currentThread().isInterrupted()) {
			this.nextWarning = now + REFUSED;
			logger.warn(
					"There is no certificate for '%s', because the application has none that can be used, or does not answer. Those in use stay in use: %s"
						.formatted(name, ForeignText.of(cause)));
		}
	}

	// Those whose clients stay away, such as those of a customer that has left
	private synchronized void sweep() {
		long now = this.clock.getAsLong();
		if (now - this.nextSweep >= 0) {
			this.nextSweep = now + FOUND;
			this.found.forEach((host, until) -> {
				if (now - until >= KEPT) {
					this.remover.test(host);
				}
			});
			this.found.entrySet().removeIf((entry) -> now - entry.getValue() >= KEPT);
		}
	}

	/**
	 * The application.
	 */
	@FunctionalInterface
	interface Application {

		/**
		 * Ask for a host, and add it, or remove the one that the application has given
		 * before.
		 * @param name the name to ask for
		 * @return the own name of the host, or {@code null} if there is none
		 */
		@Nullable String ask(String name);

	}

}
