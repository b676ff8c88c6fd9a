// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.engine;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * Counts what is held in native memory, so that a test can ask whether all of it was
 * freed.
 */
public final class NativeMemory {

	private static final AtomicInteger CONTEXTS = new AtomicInteger();

	private static final AtomicInteger SESSIONS = new AtomicInteger();

	private NativeMemory() {
	}

	static void contextCreated() {
		CONTEXTS.incrementAndGet();
	}

	static void contextFreed() {
		CONTEXTS.decrementAndGet();
	}

	static void sessionCreated() {
		SESSIONS.incrementAndGet();
	}

	static void sessionFreed() {
		SESSIONS.decrementAndGet();
	}

	/**
	 * Return the number of contexts ({@code SSL_CTX}) that are not freed.
	 * @return the number of contexts
	 */
	public static int contexts() {
		return CONTEXTS.get();
	}

	/**
	 * Return the number of sessions ({@code SSL}) that are not freed.
	 * @return the number of sessions
	 */
	public static int sessions() {
		return SESSIONS.get();
	}

}
