// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.tomcatopenssl.test.CapturedLog;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link HandshakeCounters}.
 */
class HandshakeCountersTests {

	private static final String SUITE = "TLS_AES_128_GCM_SHA256";

	private final HandshakeCounters counters = new HandshakeCounters();

	@RegisterExtension
	private final CapturedLog log = new CapturedLog(HandshakeCounters.class);

	@Test
	void whenMeterCannotBeRegisteredThenHandshakesAreCountedAndOneIsLogged() {
		this.counters.listen((exchange, count) -> {
			if (exchange.resumed()) {
				throw new NoClassDefFoundError();
			}
			throw new IllegalArgumentException("tags");
		});
		for (int i = 0; i < 6; i++) {
			this.counters.completed(new KeyExchange("TLSv1.3", "x25519", i >= 3), SUITE, false);
		}
		assertThat(this.counters.countCompleted((exchange) -> true)).isEqualTo(6);
		assertThat(this.log.records()).singleElement()
			.satisfies((record) -> assertThat(record.getThrown()).hasMessage("tags"));
	}

	@Test
	void whenExchangeIsNewThenListenerGetsItsCounterOnce() {
		List<KeyExchange> exchanges = new ArrayList<>();
		this.counters.listen((exchange, count) -> exchanges.add(exchange));
		KeyExchange exchange = new KeyExchange("TLSv1.3", "x25519", false);
		this.counters.completed(exchange, SUITE, false);
		this.counters.completed(exchange, SUITE, false);
		assertThat(exchanges).containsExactly(exchange);
	}

	@Test
	void whenProxiesForwardNothingThenOnlyHandshakesAreCounted() {
		List<String> refused = new ArrayList<>();
		this.counters.readRefused((reason, count) -> refused.add(reason));
		assertThat(refused).isEmpty();
		List<String> failed = new ArrayList<>();
		this.counters.readFailed((reason, count) -> failed.add(reason));
		assertThat(failed).hasSize(FailureReason.values().length - 4)
			.doesNotContain(FailureReason.FORWARDED_CERTIFICATE_INVALID.toString(),
					FailureReason.MISDIRECTED.toString(), FailureReason.MISDIRECTED_BY_HEADER.toString(),
					FailureReason.CLIENT_ENDED.toString());
	}

	@Test
	void whenForwardedCertificateIsRefusedThenItIsNoFailedHandshake() {
		this.counters.countRefused(ForwardedCertificates.REASONS);
		this.counters.refused(FailureReason.CERTIFICATE_EXPIRED);
		Map<String, Long> refused = new HashMap<>();
		this.counters.readRefused((reason, count) -> refused.put(reason, count.sum()));
		assertThat(refused).hasSize(ForwardedCertificates.REASONS.size())
			.containsEntry(FailureReason.CERTIFICATE_EXPIRED.toString(), 1L);
		this.counters.readFailed((reason, count) -> assertThat(count.sum()).isZero());
	}

}
