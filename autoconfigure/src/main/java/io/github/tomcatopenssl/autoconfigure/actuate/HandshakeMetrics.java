// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure.actuate;

import java.util.concurrent.atomic.LongAdder;
import java.util.function.ToDoubleFunction;

import io.github.tomcatopenssl.tomcat.Handshakes;
import io.github.tomcatopenssl.tomcat.KeyExchange;
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

	void register(Handshakes handshakes) {
		handshakes.listen(this::register);
		handshakes.readFailed(this::register);
		count("tomcat.ssl.handshakes.started", "Handshakes that clients have started", handshakes,
				Handshakes::countStarted);
		count("tomcat.ssl.handshakes.completed", "Handshakes that were completed", handshakes,
				(counted) -> counted.countCompleted((exchange) -> true));
		count("tomcat.ssl.sessions.resumed", "Handshakes that resumed a session", handshakes,
				(counted) -> counted.countCompleted(KeyExchange::resumed));
		count("tomcat.ssl.hello.retries", "Handshakes that needed another round trip for a different key share",
				handshakes, Handshakes::countRetried);
	}

	private void count(String meter, String description, Handshakes handshakes, ToDoubleFunction<Handshakes> count) {
		FunctionCounter.builder(meter, handshakes, count)
			.description(description)
			.tags(this.name)
			.register(this.registry);
	}

	private void register(String reason, LongAdder count) {
		FunctionCounter.builder("tomcat.ssl.handshakes.failed", count, LongAdder::doubleValue)
			.description("Handshakes that clients started and that failed")
			.tags(this.name)
			.tag("reason", reason)
			.register(this.registry);
	}

	private void register(KeyExchange exchange, LongAdder count) {
		FunctionCounter.builder("tomcat.ssl.key.exchange", count, LongAdder::doubleValue)
			.description("Completed handshakes, by key exchange")
			.tags(this.name)
			.tags("protocol", exchange.protocol(), "group", exchange.group(), "resumed",
					Boolean.toString(exchange.resumed()))
			.register(this.registry);
	}

}
