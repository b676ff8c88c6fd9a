// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.tomcatopenssl.internal.engine.Engine;
import io.github.tomcatopenssl.internal.engine.NativeMemoryIsFreed;
import io.github.tomcatopenssl.test.ClientVerifier;
import io.github.tomcatopenssl.test.TlsClient;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link VerificationThreads}: how many there are, and that nobody waits for
 * them longer than a handshake may take.
 */
@Tag("servers")
@ExtendWith(NativeMemoryIsFreed.class)
class VerificationThreadsTests {

	private static volatile CountDownLatch answer = new CountDownLatch(1);

	private final VerificationThreads threads = new VerificationThreads("test-verify-", 2, Duration.ofSeconds(1));

	@BeforeAll
	static void load() {
		Engine.load();
	}

	@AfterEach
	void stop() {
		answer.countDown();
		this.threads.stop();
	}

	@Test
	void whenAllThreadsAreBusyThenOthersWaitUntilTheyAreOverdue() throws Exception {
		List<Connection> connections = new ArrayList<>();
		CountDownLatch responder = new CountDownLatch(1);
		AtomicInteger begun = new AtomicInteger();
		for (int i = 0; i < 10; i++) {
			Connection connection = new Connection();
			connections.add(connection);
			this.threads.execute(connection, () -> {
				begun.incrementAndGet();
				await(responder);
			});
		}
		Awaitility.await().until(() -> begun.get() == 2);
		this.threads.endOverdue();
		assertThat(connections).noneMatch((connection) -> connection.closed);
		connections.subList(0, 9).forEach((connection) -> connection.overdue = true);
		this.threads.endOverdue();
		assertThat(connections.subList(0, 9)).allMatch((connection) -> connection.closed);
		assertThat(connections.get(9).closed).isFalse();
		responder.countDown();
		// The steps of the others, which nobody waits for any more, are not taken
		Awaitility.await().until(() -> begun.get() == 3);
		CompletableFuture<Void> last = new CompletableFuture<>();
		this.threads.execute(new Connection(), () -> last.complete(null));
		last.get(10, TimeUnit.SECONDS);
		assertThat(begun).hasValue(3);
	}

	@Test
	void whenWaitingConnectionsWereOverdueThenOneThreadIsEnoughAgain() throws Exception {
		Set<Thread> used = ConcurrentHashMap.newKeySet();
		CountDownLatch responder = new CountDownLatch(1);
		for (int i = 0; i < 10; i++) {
			Connection connection = new Connection();
			connection.overdue = i >= 2;
			this.threads.execute(connection, () -> {
				used.add(Thread.currentThread());
				await(responder);
			});
		}
		this.threads.endOverdue();
		responder.countDown();
		Awaitility.await().until(() -> used.size() == 2 && used.stream().noneMatch(Thread::isAlive));
		for (int i = 0; i < 5; i++) {
			CompletableFuture<Thread> step = new CompletableFuture<>();
			this.threads.execute(new Connection(), () -> step.complete(Thread.currentThread()));
			Thread thread = step.get(10, TimeUnit.SECONDS);
			used.add(thread);
			Awaitility.await().until(() -> thread.getState() == Thread.State.TIMED_WAITING || !thread.isAlive());
		}
		assertThat(used).filteredOn(Thread::isAlive).hasSizeLessThanOrEqualTo(1);
	}

	@Test
	void whenStepIsOverThenItsConnectionIsLeftAlone() throws Exception {
		VerificationThreads single = new VerificationThreads("test-single-", 1, VerificationThreads.IDLE);
		Connection connection = new Connection();
		CompletableFuture<Void> next = new CompletableFuture<>();
		single.execute(connection, () -> {
		});
		single.execute(new Connection(), () -> next.complete(null));
		next.get(10, TimeUnit.SECONDS);
		connection.overdue = true;
		single.endOverdue();
		assertThat(connection.closed).isFalse();
		single.stop();
		assertThatExceptionOfType(RejectedExecutionException.class).isThrownBy(() -> single.execute(connection, () -> {
		}));
	}

	@ParameterizedTest
	@EnumSource
	void whenVerificationTakesTooLongThenItsConnectionEnds(Engine engine) throws Exception {
		answer = new CountDownLatch(1);
		SSLHostConfig host = ConnectorServer.host("p256");
		host.setCertificateVerification("required");
		host.setTrustManagerClassName(WaitingTrustManager.class.getName());
		try (ConnectorServer server = new ConnectorServer(engine)
			.start(ConnectorServer.settings(null, null, Duration.ofSeconds(1)), host)) {
			assertThat(server.connectAs("client", "-tls1_3").isServed()).isFalse();
			assertThat(server.connectAs("client", "-tls1_2").isServed()).isFalse();
			assertThat(answer.getCount()).isOne();
			answer.countDown();
			Awaitility.await().untilAsserted(() -> assertThat(server.failedHandshakes()).containsEntry("timeout", 2L));
			assertThat(server.connectAs("client", "-tls1_3")).returns(true, TlsClient.Handshake::isServed);
		}
	}

	// Java reads nested values of a certificate by recursion
	@ParameterizedTest
	@EnumSource
	void whenVerificationOverflowsTheStackThenItsConnectionEnds(Engine engine) throws Exception {
		SSLHostConfig host = ConnectorServer.host("p256");
		host.setCertificateVerification("required");
		host.setTrustManagerClassName(DeepTrustManager.class.getName());
		try (ConnectorServer server = new ConnectorServer(engine).start(ConnectorServer.settings(), host)) {
			assertThat(server.connectAs("client", "-tls1_3").isServed()).isFalse();
			assertThat(server.connectAs("client", "-tls1_2").isServed()).isFalse();
			Awaitility.await().untilAsserted(() -> assertThat(server.endpoint().getConnections()).isEmpty());
			assertThat(server.failedHandshakes().values()).containsExactly(2L);
		}
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private static final class Connection implements VerificationThreads.Waiting {

		private volatile boolean overdue;

		private volatile boolean closed;

		@Override
		public boolean isOverdue() {
			return this.overdue;
		}

		@Override
		public void close() {
			this.closed = true;
		}

	}

	/**
	 * Waits like one that asks a responder which does not answer.
	 */
	public static final class WaitingTrustManager implements ClientVerifier {

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String authType) {
			await(answer);
		}

	}

	/**
	 * Overflows the stack.
	 */
	public static final class DeepTrustManager implements ClientVerifier {

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String authType) {
			checkClientTrusted(chain, authType);
		}

	}

}
