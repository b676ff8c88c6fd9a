// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.IntSupplier;

import org.apache.juli.logging.Log;
import org.apache.juli.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Logs errors that the threads of an endpoint survive, at most one each minute.
 */
final class SurvivedErrors {

	private static final long INTERVAL = TimeUnit.MINUTES.toNanos(1);

	private static final Log logger = LogFactory.getLog(SurvivedErrors.class);

	private final IntSupplier port;

	private final AtomicReference<@Nullable Long> last = new AtomicReference<>();

	/**
	 * Create a new instance.
	 * @param port the port that clients connect to
	 */
	SurvivedErrors(IntSupplier port) {
		this.port = port;
	}

	/**
	 * Log an error of the current thread. Nothing is thrown.
	 * @param error the error
	 */
	void add(Throwable error) {
		try {
			long now = System.nanoTime();
			Long last = this.last.get();
			if ((last == null || now - last > INTERVAL) && this.last.compareAndSet(last, now)) {
				logger.error(
						"The thread '%s' of port %d goes on after an error, but connections may have been lost. If there is not enough memory, the JVM can end instead, and be started again: add the option -XX:+ExitOnOutOfMemoryError"
							.formatted(Thread.currentThread().getName(), this.port.getAsInt()),
						error);
			}
		}
		catch (Throwable ex) {
			// It cannot be logged: there is no memory, or an appender has failed
		}
	}

}
