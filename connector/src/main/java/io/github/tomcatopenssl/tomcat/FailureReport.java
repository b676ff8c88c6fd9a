// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat;

import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.tomcat.util.net.NioEndpoint.NioSocketWrapper;
import org.jspecify.annotations.Nullable;

/**
 * Logs why handshakes failed: each failure at debug level, and a warning that sums up a
 * minute in which the settings have locked clients out. Clients cannot flood the log or
 * write into it.
 */
class FailureReport {

	private static final Log logger = LogFactory.getLog(FailureReport.class);

	private final IntSupplier port;

	private final Supplier<@Nullable ScheduledExecutorService> executor;

	private final long intervalMilliseconds;

	private final Map<FailureReason, Long> unreported = new EnumMap<>(FailureReason.class);

	private boolean scheduled;

	/**
	 * Create a new instance.
	 * @param port the port that clients connect to
	 * @param executor supplies the executor that logs the summary
	 */
	FailureReport(IntSupplier port, Supplier<@Nullable ScheduledExecutorService> executor) {
		this(port, executor, TimeUnit.MINUTES.toMillis(1));
	}

	FailureReport(IntSupplier port, Supplier<@Nullable ScheduledExecutorService> executor, long intervalMilliseconds) {
		this.port = port;
		this.executor = executor;
		this.intervalMilliseconds = intervalMilliseconds;
	}

	void add(FailureReason reason, FailedHandshake handshake) {
		if (logger.isDebugEnabled()) {
			NioSocketWrapper connection = handshake.connection();
			logger.debug(
					"A handshake with %s:%d on port %d failed: %s%s%s".formatted(connection.getRemoteAddr(),
							connection.getRemotePort(), this.port.getAsInt(), reason,
							(handshake.certificate() != null) ? ", " + handshake.certificate() : "",
							(handshake.alert() != -1) ? " (alert %d)".formatted(handshake.alert()) : ""),
					handshake.cause());
		}
		synchronized (this) {
			this.unreported.merge(reason, 1L, Long::sum);
			if (!this.scheduled && reason.isOfSettings()) {
				this.scheduled = schedule();
			}
		}
	}

	private boolean schedule() {
		ScheduledExecutorService executor = this.executor.get();
		if (executor == null) {
			return false;
		}
		try {
			executor.schedule(this::warn, this.intervalMilliseconds, TimeUnit.MILLISECONDS);
			return true;
		}
		catch (RejectedExecutionException ex) {
			// The server is stopping
			return false;
		}
	}

	private synchronized void warn() {
		logger.warn(
				"Handshakes on port %d failed: %s. Compare the TLS settings with what these clients support. To see their addresses, set 'logging.level.%s' to 'debug'"
					.formatted(this.port.getAsInt(),
							this.unreported.entrySet()
								.stream()
								.map((entry) -> entry.getValue() + " " + entry.getKey())
								.collect(Collectors.joining(", ")),
							FailureReport.class.getName()));
		this.unreported.clear();
		this.scheduled = false;
	}

}
