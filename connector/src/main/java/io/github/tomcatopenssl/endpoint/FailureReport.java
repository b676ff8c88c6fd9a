// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.Collections;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.IntSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import io.github.tomcatopenssl.internal.host.ForeignText;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.tomcat.util.net.NioEndpoint.NioSocketWrapper;
import org.jspecify.annotations.Nullable;

/**
 * Logs why handshakes, requests, or verifications of forwarded certificates failed: each
 * failure at debug level, and those that an operator can do something about as warnings.
 * The first one for a reason is logged at once, and further ones once a minute as a
 * total, until the reason does not occur for a minute. Clients cannot flood the log or
 * write into it.
 */
class FailureReport {

	private static final Log logger = LogFactory.getLog(FailureReport.class);

	private final String subject;

	private final String preposition;

	private final IntSupplier port;

	private final Supplier<@Nullable ScheduledExecutorService> executor;

	private final Map<FailureReason, Long> unreported = new EnumMap<>(FailureReason.class);

	/**
	 * Reasons that occurred in the last minute; they are only summed up.
	 */
	private final Set<FailureReason> known = EnumSet.noneOf(FailureReason.class);

	/**
	 * Reasons of the current minute that an operator can do something about.
	 */
	private final Set<FailureReason> recent = EnumSet.noneOf(FailureReason.class);

	/**
	 * The executor that will log the next sum, unless its server is stopped before.
	 */
	private @Nullable ScheduledExecutorService scheduled;

	/**
	 * Create a new instance.
	 * @param subject what has failed with a client, without an article
	 * @param port the port that clients connect to
	 * @param executor supplies the executor that logs the summary
	 */
	FailureReport(String subject, IntSupplier port, Supplier<@Nullable ScheduledExecutorService> executor) {
		this(subject, "with", port, executor);
	}

	/**
	 * Create a new instance.
	 * @param subject what has failed, without an article
	 * @param preposition what is between the subject and the client
	 * @param port the port that clients connect to
	 * @param executor supplies the executor that logs the summary
	 */
	FailureReport(String subject, String preposition, IntSupplier port,
			Supplier<@Nullable ScheduledExecutorService> executor) {
		this.subject = subject;
		this.preposition = preposition;
		this.port = port;
		this.executor = executor;
	}

	/**
	 * Describe why a stranger is refused, if that will be logged. The exception itself
	 * must not be kept or logged.
	 * @param cause why the stranger is refused
	 * @return the description, or {@code null} if it will not be logged
	 */
	static @Nullable String describe(Throwable cause) {
		return logger.isDebugEnabled() ? ForeignText.of(cause) : null;
	}

	void add(NioSocketWrapper connection, FailedHandshake handshake) {
		if (logger.isDebugEnabled()) {
			logger.debug("A %s %s %s:%d on port %d failed: %s%s%s".formatted(this.subject, this.preposition,
					connection.getRemoteAddr(), connection.getRemotePort(), this.port.getAsInt(),
					description(handshake), (handshake.alert() != -1) ? " (alert %d)".formatted(handshake.alert()) : "",
					(handshake.cause() != null) ? ": " + handshake.cause() : ""));
		}
		if (isFirst(handshake.reason())) {
			logger.warn("A %s on port %d failed: %s. %s. Further ones are logged once a minute as a total%s".formatted(
					this.subject, this.port.getAsInt(), description(handshake), handshake.reason().remedy(),
					detailsHint()));
		}
	}

	private static String description(FailedHandshake handshake) {
		return handshake.reason() + ((handshake.refused() != null) ? ", " + handshake.refused() : "")
				+ ((handshake.fingerprint() != null) ? ", JA4 " + handshake.fingerprint() : "");
	}

	// Returns whether the reason has not occurred for a minute; others count for the
	// total
	private synchronized boolean isFirst(FailureReason reason) {
		boolean first = reason.remedy() != null && this.known.add(reason);
		if (reason.remedy() != null) {
			this.recent.add(reason);
			schedule();
		}
		if (!first && this.scheduled != null) {
			this.unreported.merge(reason, 1L, Long::sum);
		}
		return first;
	}

	// A server that is started again has another executor
	private void schedule() {
		ScheduledExecutorService executor = this.executor.get();
		if (executor == null || executor == this.scheduled) {
			return;
		}
		try {
			executor.schedule(this::sumUp, 1, TimeUnit.MINUTES);
			this.scheduled = executor;
		}
		catch (RejectedExecutionException ex) {
			// The server is stopping
		}
	}

	// Logs without the lock, for which each handshake that fails would wait
	private void sumUp() {
		String sum = takeSum();
		if (!sum.isEmpty()) {
			logger.warn("In the last minute, %s%s".formatted(sum, detailsHint()));
		}
	}

	private static String detailsHint() {
		return logger.isDebugEnabled() ? "" : ". To see the clients' addresses, set 'logging.level.%s' to 'debug'"
			.formatted(FailureReport.class.getName());
	}

	private synchronized String takeSum() {
		this.scheduled = null;
		String sum = "";
		if (!Collections.disjoint(this.unreported.keySet(), this.recent)) {
			long count = this.unreported.values().stream().mapToLong(Long::longValue).sum();
			String reasons = this.unreported.entrySet()
				.stream()
				.map((entry) -> entry.getValue() + " " + entry.getKey())
				.collect(Collectors.joining(", "));
			sum = "%d more %s%s on port %d failed: %s".formatted(count, this.subject, (count != 1) ? "s" : "",
					this.port.getAsInt(), reasons);
		}
		this.unreported.clear();
		this.known.retainAll(this.recent);
		this.recent.clear();
		if (!this.known.isEmpty()) {
			schedule();
		}
		return sum;
	}

}
