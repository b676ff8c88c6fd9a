// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.concurrent.atomic.AtomicReferenceArray;

import org.apache.tomcat.util.collections.SynchronizedStack;
import org.jspecify.annotations.Nullable;

/**
 * Buffers that wait for their next use. A thread gets the one that it gave back last,
 * which its core still has in its caches, unless another thread has taken it.
 *
 * @param <T> the type of a buffer
 */
final class IdleBuffers<T> {

	/**
	 * Number of slots for each core: threads that run at the same time rarely share one.
	 */
	private static final int SLOTS_PER_CORE = 4;

	private final AtomicReferenceArray<@Nullable T> slots = new AtomicReferenceArray<>(
			SLOTS_PER_CORE * Runtime.getRuntime().availableProcessors());

	private final SynchronizedStack<T> others;

	/**
	 * Create a new instance.
	 * @param limit the maximum number of buffers besides those in the slots, or -1 for no
	 * maximum. What is given back beyond it is left to the garbage collector
	 */
	IdleBuffers(int limit) {
		this.others = new SynchronizedStack<>(SynchronizedStack.DEFAULT_SIZE, limit);
	}

	/**
	 * Take a buffer: the own one of this thread, or else any.
	 * @return the buffer, or {@code null} if all are in use
	 */
	@Nullable T take() {
		T found = this.slots.getAndSet(slot(), null);
		if (found == null) {
			found = this.others.pop();
		}
		for (int i = 0; found == null && i < this.slots.length(); i++) {
			found = this.slots.getAndSet(i, null);
		}
		return found;
	}

	void giveBack(T buffer) {
		if (!this.slots.compareAndSet(slot(), null, buffer)) {
			this.others.push(buffer);
		}
	}

	private int slot() {
		return (int) (Thread.currentThread().getId() % this.slots.length());
	}

}
