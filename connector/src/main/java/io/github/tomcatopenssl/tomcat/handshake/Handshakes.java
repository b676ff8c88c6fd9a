// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat.handshake;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BiConsumer;
import java.util.function.Function;
import java.util.stream.Stream;

import io.github.tomcatopenssl.tomcat.channel.ClientHello;
import io.github.tomcatopenssl.tomcat.channel.FailedHandshake;
import io.github.tomcatopenssl.tomcat.channel.HandshakeObserver;
import io.github.tomcatopenssl.tomcat.channel.KeyExchange;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.jspecify.annotations.Nullable;

/**
 * Counts the handshakes of a connector.
 */
public class Handshakes implements HandshakeObserver {

	private final Function<@Nullable String, SSLHostConfig> hosts;

	private final FailureReport report;

	private final Map<KeyExchange, LongAdder> completed = new ConcurrentHashMap<>();

	private final List<LongAdder> failed = Stream.generate(LongAdder::new)
		.limit(FailureReason.values().length)
		.toList();

	private final LongAdder retried = new LongAdder();

	private volatile BiConsumer<KeyExchange, LongAdder> listener = (exchange, count) -> {
	};

	/**
	 * Create a new instance.
	 * @param hosts finds the virtual host for a server name
	 * @param report logs the failures
	 */
	public Handshakes(Function<@Nullable String, SSLHostConfig> hosts, FailureReport report) {
		this.hosts = hosts;
		this.report = report;
	}

	@Override
	public void completed(KeyExchange exchange, boolean retried) {
		this.completed.computeIfAbsent(exchange, this::count).increment();
		if (retried) {
			this.retried.increment();
		}
	}

	private LongAdder count(KeyExchange exchange) {
		LongAdder count = new LongAdder();
		this.listener.accept(exchange, count);
		return count;
	}

	@Override
	public void failed(FailedHandshake handshake) {
		ClientHello hello = handshake.hello();
		FailureReason reason = FailureReason.of(handshake,
				this.hosts.apply((hello != null) ? hello.serverName() : null));
		this.failed.get(reason.ordinal()).increment();
		this.report.add(reason, handshake);
	}

	/**
	 * Set the listener for key exchanges. It is called with each kind of key exchange,
	 * including those seen before, and with its counter.
	 * @param listener the listener
	 */
	public void listen(BiConsumer<KeyExchange, LongAdder> listener) {
		this.listener = listener;
		this.completed.forEach(listener);
	}

	/**
	 * Return how many handshakes have failed for a reason.
	 * @param reason the reason
	 * @return the number of failed handshakes
	 */
	public long failed(FailureReason reason) {
		return this.failed.get(reason.ordinal()).sum();
	}

	/**
	 * Return how many completed handshakes needed a second key share.
	 * @return the number of handshakes with a HelloRetryRequest
	 */
	public long retried() {
		return this.retried.sum();
	}

}
