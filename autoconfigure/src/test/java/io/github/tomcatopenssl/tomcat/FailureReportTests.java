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
import org.awaitility.core.ThrowingRunnable;
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

	private ScheduledExecutorService executor = Executors.newSingleThreadScheduledExecutor();

	private final FailureReport report = new FailureReport(() -> 8443, () -> this.executor, 500);

	private final NioSocketWrapper connection = new NioSocketWrapper(
			new NioChannel(new SocketBufferHandler(0, 0, false)), new NioEndpoint());

	@AfterEach
	void shutdown() {
		this.executor.shutdownNow();
	}

	@Test
	void whenHandshakesFailThenTheFirstIsLoggedAtOnceAndOthersAsASum(CapturedOutput output) {
		for (int i = 0; i < 1000; i++) {
			add(FailureReason.NO_SHARED_GROUP);
		}
		add(FailureReason.CLOSED);
		assertThat(output).containsOnlyOnce("WARN")
			.containsOnlyOnce("A handshake on port 8443 failed: no shared group. Compare the TLS settings with");
		add(FailureReason.PROTOCOL_VERSION);
		assertThat(output).containsOnlyOnce("A handshake on port 8443 failed: protocol version. ");
		await(() -> assertThat(output)
			.containsOnlyOnce("More handshakes on port 8443 failed: 999 no shared group, 1 closed by the client. "));
		add(FailureReason.PROTOCOL_VERSION);
		await(() -> assertThat(output).containsOnlyOnce("More handshakes on port 8443 failed: 1 protocol version. "));
		assertThat(output).containsOnlyOnce("A handshake on port 8443 failed: protocol version. ");
	}

	@Test
	void whenReasonPausesThenItsNextHandshakeIsTheFirst(CapturedOutput output) {
		await(() -> {
			add(FailureReason.NO_SHARED_GROUP);
			assertThat(output).contains("More handshakes on port 8443 failed: ");
		});
		assertThat(output).containsOnlyOnce("A handshake on port 8443 failed: no shared group. ");
		Awaitility.await().atMost(Duration.ofSeconds(10)).pollInterval(Duration.ofMillis(1200)).untilAsserted(() -> {
			add(FailureReason.NO_SHARED_GROUP);
			assertThat(output.getAll().split("A handshake on port 8443 failed: no shared group. ", -1))
				.hasSizeGreaterThan(2);
		});
	}

	private void add(FailureReason reason) {
		this.report.add(new FailedHandshake(this.connection, reason, null, -1, new EOFException()));
	}

	private static void await(ThrowingRunnable assertion) {
		Awaitility.await().atMost(Duration.ofSeconds(10)).untilAsserted(assertion);
	}

	@Test
	void whenServerIsStartedAgainThenItsHandshakesAreSummedUp(CapturedOutput output) {
		add(FailureReason.NO_SHARED_GROUP);
		this.executor.shutdownNow();
		this.executor = Executors.newSingleThreadScheduledExecutor();
		add(FailureReason.NO_SHARED_GROUP);
		await(() -> assertThat(output).contains("More handshakes on port 8443 failed: 1 no shared group. "));
	}

	@Test
	void whenClientsLeaveThenNothingIsWarnedOf(CapturedOutput output) throws InterruptedException {
		add(FailureReason.CLOSED);
		add(FailureReason.OTHER);
		this.executor.shutdown();
		assertThat(this.executor.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
		assertThat(output).doesNotContain("WARN", "andshakes on port");
	}

}
