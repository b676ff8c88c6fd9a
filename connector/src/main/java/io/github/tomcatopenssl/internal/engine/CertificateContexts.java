// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.engine;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import io.github.tomcatopenssl.internal.host.CertificateHost;
import org.jspecify.annotations.Nullable;

/**
 * The contexts of the hosts that their certificates make. Each is made when the first
 * client asks for its host. Beyond a bound, those are closed that no client has asked for
 * for the longest time.
 */
final class CertificateContexts {

	/**
	 * How exactly it is known when a context was last used, in nanoseconds.
	 */
	private static final long RESOLUTION = 1_000_000;

	private final int most;

	private final Function<CertificateHost, ServedHost> maker;

	private final Map<CertificateHost, Made> made = new ConcurrentHashMap<>();

	private volatile boolean closed;

	/**
	 * Create a new instance.
	 * @param most the maximum number of contexts, each of which takes native memory
	 * @param maker creates the context of a host
	 */
	CertificateContexts(int most, Function<CertificateHost, ServedHost> maker) {
		this.most = most;
		this.maker = maker;
	}

	/**
	 * Return the host with its context, if that is made.
	 * @param host the host
	 * @return the host, or {@code null}
	 */
	@Nullable ServedHost get(CertificateHost host) {
		Made found = this.made.get(host);
		if (found == null) {
			return null;
		}
		found.use();
		return found.served;
	}

	/**
	 * Make the context of a host, unless it is made.
	 * @param host the host
	 */
	void make(CertificateHost host) {
		this.made.computeIfAbsent(host, (absent) -> new Made(this.maker.apply(absent)));
		if (this.closed) {
			close(host);
		}
		else if (this.made.size() > this.most) {
			closeUnused();
		}
	}

	// A tenth at once, so that the contexts are not sorted for each new one
	private synchronized void closeUnused() {
		int excess = this.made.size() - this.most;
		if (excess <= 0) {
			return;
		}
		long now = System.nanoTime();
		List<Map.Entry<CertificateHost, Long>> unused = this.made.entrySet()
			.stream()
			.map((entry) -> Map.entry(entry.getKey(), now - entry.getValue().used))
			.sorted(Map.Entry.comparingByValue(Comparator.reverseOrder()))
			.limit(excess + this.most / 10)
			.toList();
		unused.forEach((entry) -> close(entry.getKey()));
	}

	/**
	 * Close the context of a host. Its connections go on.
	 * @param host the host
	 */
	void close(CertificateHost host) {
		Made removed = this.made.remove(host);
		if (removed != null) {
			removed.served.context().close();
		}
	}

	/**
	 * Close all contexts, also those that are just being made.
	 */
	void close() {
		this.closed = true;
		this.made.keySet().forEach(this::close);
	}

	private static final class Made {

		private final ServedHost served;

		private volatile long used = System.nanoTime();

		Made(ServedHost served) {
			this.served = served;
		}

		// Each request asks for its host, on any core
		void use() {
			long now = System.nanoTime();
			if (now - this.used > RESOLUTION) {
				this.used = now;
			}
		}

	}

}
