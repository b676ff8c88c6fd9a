// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure.actuate;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToDoubleFunction;

import io.github.tomcatopenssl.SecurityPolicy;
import io.github.tomcatopenssl.endpoint.HandshakeCounters;
import io.github.tomcatopenssl.endpoint.KeyExchange;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;

/**
 * Registers what the handshakes of a connector negotiated and why handshakes failed, for
 * both engines.
 */
final class HandshakeMetrics {

	private final Iterable<Tag> name;

	private final MeterRegistry registry;

	HandshakeMetrics(Iterable<Tag> name, MeterRegistry registry) {
		this.name = name;
		this.registry = registry;
	}

	void register(HandshakeCounters counters) {
		counters.listen((exchange, count) -> count("tomcat.ssl.key.exchange", "Completed handshakes, by key exchange",
				count, LongAdder::doubleValue, "protocol", exchange.protocol(), "group", exchange.group(), "resumed",
				Boolean.toString(exchange.resumed())));
		counters.readFailed((reason, count) -> count("tomcat.ssl.handshakes.failed",
				"Handshakes that clients started and that failed", count, LongAdder::doubleValue, "reason", reason));
		counters.readRefused((reason, count) -> count("tomcat.ssl.forwarded.certificates.refused",
				"Requests that were refused because of the client certificate that a proxy forwarded", count,
				LongAdder::doubleValue, "reason", reason));
		counters.listenMisdirected((host, count) -> count("tomcat.ssl.requests.misdirected",
				"Requests that got the status 421, by the virtual host of their connection", count,
				LongAdder::doubleValue, "host", host));
		count("tomcat.ssl.handshakes.started", "Handshakes that clients have started", counters,
				HandshakeCounters::countStarted);
		count("tomcat.ssl.handshakes.completed", "Handshakes that were completed", counters,
				(counted) -> counted.countCompleted((exchange) -> true));
		count("tomcat.ssl.sessions.resumed", "Handshakes that resumed a session", counters,
				(counted) -> counted.countCompleted(KeyExchange::resumed));
		count("tomcat.ssl.hello.retries", "Handshakes that needed another round trip for a different key share",
				counters, HandshakeCounters::countRetried);
	}

	void registerPreview(HandshakeCounters counters, SecurityPolicy policy) {
		counters.readPreviewed((reason, count) -> count("tomcat.ssl.policy.preview",
				"Completed handshakes that the policy would have refused", count, LongAdder::doubleValue, "policy",
				policy.toString(), "reason", reason));
	}

	private <T> void count(String meter, String description, T counted, ToDoubleFunction<T> count, String... tags) {
		FunctionCounter.builder(meter, counted, count)
			.description(description)
			.tags(this.name)
			.tags(tags)
			.register(this.registry);
	}

}
