// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.actuate;

import java.util.concurrent.atomic.LongAdder;

import io.github.tomcatopenssl.tomcat.channel.KeyExchange;
import io.github.tomcatopenssl.tomcat.handshake.FailureReason;
import io.github.tomcatopenssl.tomcat.handshake.Handshakes;
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
		for (FailureReason reason : FailureReason.values()) {
			FunctionCounter.builder("tomcat.ssl.handshakes.failed", handshakes, (counted) -> counted.failed(reason))
				.description("Handshakes that clients started and that failed")
				.tags(this.name)
				.tag("reason", reason.toString())
				.register(this.registry);
		}
		FunctionCounter.builder("tomcat.ssl.hello.retries", handshakes, Handshakes::retried)
			.description("Handshakes that needed another round trip for a different key share")
			.tags(this.name)
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
