// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Delayed;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.logging.Logger;

import io.github.tomcatopenssl.test.CapturedLog;
import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.NioEndpoint;
import org.apache.tomcat.util.net.NioEndpoint.NioSocketWrapper;
import org.apache.tomcat.util.net.SocketBufferHandler;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link FailureReport}.
 */
class FailureReportTests {

	private ScheduledThreadPoolExecutor executor = new ScheduledThreadPoolExecutor(1);

	private final FailureReport report = new FailureReport("handshake", () -> 8443, () -> this.executor);

	private final NioSocketWrapper connection = new NioSocketWrapper(
			new NioChannel(new SocketBufferHandler(0, 0, false)), new NioEndpoint());

	@RegisterExtension
	private final CapturedLog log = new CapturedLog(FailureReport.class);

	@AfterEach
	void shutdown() {
		this.executor.shutdownNow();
	}

	@Test
	void whenHandshakesFailThenTheFirstIsLoggedAtOnceAndOthersAsASum() {
		for (int i = 0; i < 1000; i++) {
			add(FailureReason.NO_SHARED_GROUP);
		}
		add(FailureReason.CLOSED);
		assertThat(this.log.text()).containsOnlyOnce("WARN")
			.containsOnlyOnce("A handshake on port 8443 failed: no shared group. Compare the TLS settings with")
			.containsOnlyOnce("the client supports. Further ones are logged once a minute as a total. ");
		add(FailureReason.PROTOCOL_VERSION);
		assertThat(this.log.text()).containsOnlyOnce("A handshake on port 8443 failed: protocol version. ");
		passMinute();
		assertThat(this.log.text()).containsOnlyOnce(
				"In the last minute, 1000 more handshakes on port 8443 failed: 999 no shared group, 1 closed by the client. ");
		add(FailureReason.PROTOCOL_VERSION);
		passMinute();
		assertThat(this.log.text())
			.containsOnlyOnce("In the last minute, 1 more handshake on port 8443 failed: 1 protocol version. ")
			.containsOnlyOnce("A handshake on port 8443 failed: protocol version. ");
	}

	@Test
	void whenClientHasAFingerprintThenItIsLogged() {
		this.log.all();
		this.report.add(this.connection, new FailedHandshake(FailureReason.NO_SHARED_GROUP, null,
				"t13d1516h2_8daaf6152771_e5627efa2ab1", 40, "a cause"));
		assertThat(this.log.text()).contains(
				" on port 8443 failed: no shared group, JA4 t13d1516h2_8daaf6152771_e5627efa2ab1 (alert 40): a cause")
			.contains("A handshake on port 8443 failed: no shared group, JA4 t13d1516h2_8daaf6152771_e5627efa2ab1. ");
	}

	@Test
	void whenReasonPausesThenItsNextHandshakeIsTheFirst() {
		for (int i = 0; i < 3; i++) {
			add(FailureReason.NO_SHARED_GROUP);
			passMinute();
		}
		assertThat(this.log.text()).containsOnlyOnce("A handshake on port 8443 failed: no shared group. ");
		passMinute();
		assertThat(this.executor.getQueue()).isEmpty();
		add(FailureReason.NO_SHARED_GROUP);
		assertThat(this.log.text().split("A handshake on port 8443 failed: no shared group. ", -1)).hasSize(3);
	}

	@Test
	void whenClientsHaveLeftEarlierThenTheTotalDoesNotCountThem() {
		add(FailureReason.CLOSED);
		add(FailureReason.NO_SHARED_GROUP);
		add(FailureReason.CLOSED);
		passMinute();
		add(FailureReason.NO_SHARED_GROUP);
		passMinute();
		assertThat(this.log.text())
			.containsOnlyOnce("In the last minute, 1 more handshake on port 8443 failed: 1 no shared group. ");
	}

	@Test
	void whenServerIsStartedAgainThenItsHandshakesAreSummedUp() {
		add(FailureReason.NO_SHARED_GROUP);
		this.executor.shutdownNow();
		this.executor = new ScheduledThreadPoolExecutor(1);
		add(FailureReason.NO_SHARED_GROUP);
		passMinute();
		assertThat(this.log.text())
			.contains("In the last minute, 1 more handshake on port 8443 failed: 1 no shared group. ");
	}

	@Test
	void whenClientsLeaveThenNothingIsWarnedOf() {
		add(FailureReason.CLOSED);
		add(FailureReason.OTHER);
		assertThat(this.executor.getQueue()).isEmpty();
		assertThat(this.log.text()).doesNotContain("WARN");
	}

	@Test
	void whenDebugIsOnThenNobodyIsToldToTurnItOn() {
		add(FailureReason.NO_SHARED_GROUP);
		add(FailureReason.NO_SHARED_GROUP);
		passMinute();
		assertThat(this.log.text().split("to 'debug'", -1)).hasSize(3);
		this.log.all();
		add(FailureReason.PROTOCOL_VERSION);
		add(FailureReason.PROTOCOL_VERSION);
		passMinute();
		assertThat(this.log.text()).contains("A handshake on port 8443 failed: protocol version. Compare",
				"In the last minute, 1 more handshake on port 8443 failed: 1 protocol version");
		assertThat(this.log.text().split("to 'debug'", -1)).hasSize(3);
	}

	@Test
	void whenTheSumCannotBeLoggedThenHandshakesDoNotWait() throws Exception {
		CountDownLatch begun = new CountDownLatch(1);
		CountDownLatch added = new CountDownLatch(1);
		Logger logger = Logger.getLogger(FailureReport.class.getName());
		add(FailureReason.NO_SHARED_GROUP);
		add(FailureReason.NO_SHARED_GROUP);
		logger.setFilter((record) -> {
			begun.countDown();
			try {
				return added.await(10, TimeUnit.SECONDS);
			}
			catch (InterruptedException ex) {
				return false;
			}
		});
		try {
			Thread summing = new Thread(this::passMinute);
			summing.start();
			assertThat(begun.await(10, TimeUnit.SECONDS)).isTrue();
			add(FailureReason.NO_SHARED_GROUP);
			added.countDown();
			summing.join();
			assertThat(this.log.text())
				.contains("In the last minute, 1 more handshake on port 8443 failed: 1 no shared group. ");
		}
		finally {
			logger.setFilter(null);
		}
	}

	private void add(FailureReason reason) {
		this.report.add(this.connection, new FailedHandshake(reason, null, null, -1, null));
	}

	private void passMinute() {
		assertThat(this.executor.getQueue()).singleElement().satisfies((task) -> {
			assertThat(((Delayed) task).getDelay(TimeUnit.SECONDS)).isBetween(1L, 60L);
			this.executor.remove(task);
			task.run();
		});
	}

}
