// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LastingThread}.
 */
class LastingThreadTests {

	@Test
	void whenWorkFailsAgainAndAgainThenThreadHasFailedUntilItWorks() throws Exception {
		AtomicInteger attempts = new AtomicInteger();
		CountDownLatch repaired = new CountDownLatch(1);
		CountDownLatch stopped = new CountDownLatch(1);
		LastingThread thread = start(() -> {
			if (attempts.incrementAndGet() < 2 || repaired.getCount() > 0) {
				throw new OutOfMemoryError("Java heap space");
			}
			await(stopped);
		});
		assertThat(thread.hasFailed()).isFalse();
		Awaitility.await().until(thread::hasFailed);
		repaired.countDown();
		Awaitility.await().until(() -> !thread.hasFailed());
		stopped.countDown();
		thread.join(System.nanoTime() + TimeUnit.SECONDS.toNanos(10));
		assertThat(thread.hasFailed()).isFalse();
	}

	@Test
	void whenWorkIsInterruptedThenItGoesOn() {
		AtomicInteger attempts = new AtomicInteger();
		start(() -> {
			if (attempts.incrementAndGet() < 5) {
				Thread.currentThread().interrupt();
				throw new InternalError();
			}
		});
		Awaitility.await().until(() -> attempts.get() == 5);
	}

	@Test
	void whenThreadHasDiedThenItHasFailed() {
		LastingThread thread = new LastingThread(() -> {
		}, new SurvivedErrors(() -> 8443), (work) -> new Thread());
		thread.start();
		Awaitility.await().until(thread::hasFailed);
	}

	private static LastingThread start(Runnable work) {
		LastingThread thread = new LastingThread(work, new SurvivedErrors(() -> 8443), Thread::new);
		thread.start();
		return thread;
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
