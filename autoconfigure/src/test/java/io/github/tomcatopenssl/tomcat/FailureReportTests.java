// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat;

import java.io.EOFException;
import java.time.Duration;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.NioEndpoint;
import org.apache.tomcat.util.net.NioEndpoint.NioSocketWrapper;
import org.apache.tomcat.util.net.SocketBufferHandler;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link FailureReport}.
 */
@ExtendWith(OutputCaptureExtension.class)
class FailureReportTests {

	private final ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();

	private final FailureReport report = new FailureReport(() -> 8443, () -> this.executor, 500);

	private final FailedHandshake handshake = new FailedHandshake(
			new NioSocketWrapper(new NioChannel(new SocketBufferHandler(0, 0, false)), new NioEndpoint()), null, false,
			-1, false, new ClientFlight(), false, null, new EOFException());

	@AfterEach
	void shutdown() {
		this.executor.shutdownNow();
	}

	@Test
	void whenSettingsLockClientsOutThenOneWarningSumsUp(CapturedOutput output) {
		for (int i = 0; i < 1000; i++) {
			this.report.add(FailureReason.NO_SHARED_GROUP, this.handshake);
		}
		this.report.add(FailureReason.CLOSED, this.handshake);
		assertThat(output).doesNotContain("WARN");
		Awaitility.await()
			.atMost(Duration.ofSeconds(10))
			.untilAsserted(() -> assertThat(output)
				.containsOnlyOnce("Handshakes on port 8443 failed: 1000 no shared group, 1 closed by the client. "));
		this.report.add(FailureReason.PROTOCOL_VERSION, this.handshake);
		Awaitility.await()
			.atMost(Duration.ofSeconds(10))
			.untilAsserted(
					() -> assertThat(output).containsOnlyOnce("Handshakes on port 8443 failed: 1 protocol version"));
	}

	@Test
	void whenClientsLeaveThenNothingIsWarnedOf(CapturedOutput output) throws InterruptedException {
		this.report.add(FailureReason.CLOSED, this.handshake);
		this.report.add(FailureReason.OTHER, this.handshake);
		this.executor.shutdown();
		assertThat(this.executor.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
		assertThat(output).doesNotContain("Handshakes on port");
	}

}
