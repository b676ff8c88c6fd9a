// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.lang.ref.WeakReference;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Level;
import java.util.logging.Logger;

import javax.net.ssl.SSLSocket;

import io.github.tomcatopenssl.internal.engine.Engine;
import io.github.tomcatopenssl.internal.engine.NativeMemory;
import io.github.tomcatopenssl.internal.host.TlsAlpnChallenges;
import io.github.tomcatopenssl.test.Http;
import io.github.tomcatopenssl.test.JavaClient;
import io.github.tomcatopenssl.test.tls.Outcome;
import io.github.tomcatopenssl.test.tls.RawClientHello;
import io.github.tomcatopenssl.test.tls.RawTlsClient;
import io.github.tomcatopenssl.test.tls.Tls13Client;
import io.github.tomcatopenssl.test.tls.TlsBytes;
import io.github.tomcatopenssl.test.tls.TlsVersion;
import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.SocketWrapperBase;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static io.github.tomcatopenssl.test.tls.TlsBytes.vector;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * Tests for {@link HandshakeThreads}.
 */
@Tag("servers")
class HandshakeThreadsTests {

	// More than the blocked threads of six cores would get: each gets eight before the
	// next one gets any
	private static final int MANY = 50;

	private static final int PATIENCE_SECONDS = 20;

	@Test
	void whenAllWorkersAreBusyThenHandshakesGoOn() throws Exception {
		BlockingQueue<Runnable> waiting = new ArrayBlockingQueue<>(MANY);
		List<RawTlsClient> clients = new ArrayList<>();
		try (ConnectorServer server = start(waiting::add)) {
			for (int i = 0; i < MANY; i++) {
				RawTlsClient client = TlsVersion.values()[i % 2].connect(server.port(), Http.HTTP_1_1);
				clients.add(client);
				client.completeHandshake();
				client.send(client.request());
			}
			for (RawTlsClient client : clients) {
				if (client instanceof Tls13Client) {
					// The tickets do not wait for a worker either
					Awaitility.await().until(() -> client.socket().getInputStream().available() > 0);
				}
			}
			for (int i = 0; i < MANY; i++) {
				next(waiting).run();
			}
			for (RawTlsClient client : clients) {
				assertThat(client.answers(1).answers()).isOne();
			}
			// One turn of a worker for each
			assertThat(waiting).isEmpty();
		}
		finally {
			close(clients);
		}
	}

	@Test
	void whenAllWorkersAreBusyThenFailedHandshakesKeepNoNativeMemory() throws Exception {
		BlockingQueue<Runnable> waiting = new ArrayBlockingQueue<>(MANY);
		List<RawTlsClient> clients = new ArrayList<>();
		ConnectorServer held = new ConnectorServer(Engine.OPENSSL);
		held.protocol().setExecutor(waiting::add);
		try (ConnectorServer server = held.start(ConnectorServer.settings(null, null, Duration.ofSeconds(1)))) {
			for (int i = 0; i < MANY; i++) {
				RawTlsClient client = TlsVersion.TLS_1_3.connect(server.port(), Http.HTTP_1_1);
				clients.add(client);
				client.send(client.hello().record());
				if (i % 2 == 0) {
					client.send(TlsBytes.hex("1703030001ff"));
				}
			}
			// The other half takes too long
			Awaitility.await()
				.until(() -> server.failedHandshakes().values().stream().mapToLong(Long::longValue).sum() == MANY);
			Awaitility.await().until(() -> NativeMemory.sessions() == 0);
		}
		finally {
			close(clients);
		}
	}

	@Test
	void whenThreadIsBusyThenAnotherOneTakesConnections() throws Exception {
		assumeThat(Runtime.getRuntime().availableProcessors()).isGreaterThan(1);
		ExecutorService workers = Executors.newCachedThreadPool();
		AtomicInteger calls = new AtomicInteger();
		CountDownLatch free = new CountDownLatch(1);
		List<RawTlsClient> clients = new ArrayList<>();
		try (ConnectorServer server = start((command) -> {
			if (calls.incrementAndGet() == 1) {
				await(free);
			}
			workers.execute(command);
		})) {
			clients.add(TlsVersion.TLS_1_3.connect(server.port(), Http.HTTP_1_1));
			clients.get(0).completeHandshake();
			Awaitility.await().until(() -> calls.get() == 1);
			for (int i = 0; i < 8; i++) {
				clients.add(TlsVersion.TLS_1_3.connect(server.port(), Http.HTTP_1_1));
			}
			try (SSLSocket client = new JavaClient("p256.crt").connect(server.port())) {
				client.setSoTimeout(5000);
				assertThat(JavaClient.get(client, "/hello")).endsWith("hello");
			}
			free.countDown();
		}
		finally {
			free.countDown();
			close(clients);
			workers.shutdown();
		}
	}

	// Several rounds, since the two threads seldom meet
	@Test
	void whenReadsAndWritesOfConnectionBeginAtOnceThenPollerWaitsForBoth() throws Exception {
		BlockingQueue<Runnable> waiting = new ArrayBlockingQueue<>(MANY);
		try (ConnectorServer server = start(waiting::add)) {
			for (int i = 0; i < 10 * MANY; i++) {
				try (RawTlsClient client = TlsVersion.TLS_1_3.connect(server.port(), Http.HTTP_1_1)) {
					client.completeHandshake();
					next(waiting);
					SocketWrapperBase<NioChannel> connection = server.endpoint().getConnections().iterator().next();
					CompletableFuture<Void> read = CompletableFuture.runAsync(connection::registerReadInterest);
					connection.registerWriteInterest();
					read.join();
					client.send(client.request());
					next(waiting);
					next(waiting);
				}
				server.endpoint().getConnections().forEach(SocketWrapperBase::close);
			}
		}
	}

	@Test
	void whenStartFailsThenThreadsEnd() {
		ConnectorServer server = new ConnectorServer(Engine.OPENSSL).property("pollerThreadPriority", "11");
		server.connector().setThrowOnFailure(true);
		assertThatThrownBy(server::start).hasRootCauseInstanceOf(IllegalArgumentException.class);
		assertThat(threads(server.endpoint().getName() + "-handshake-")).isZero();
		server.close();
	}

	@Test
	void whenServerStopsThenConnectionsAreClosedAndThreadsEnd() throws Exception {
		List<RawTlsClient> clients = new ArrayList<>();
		BlockingQueue<Runnable> waiting = new ArrayBlockingQueue<>(MANY);
		ConnectorServer server = start(waiting::add);
		try {
			String name = server.endpoint().getName() + "-handshake-";
			assertThat(threads(name)).isPositive();
			for (int i = 0; i < 3; i++) {
				clients.add(TlsVersion.TLS_1_3.connect(server.port(), Http.HTTP_1_1));
			}
			clients.get(1).send(clients.get(1).hello().record());
			clients.get(2).completeHandshake();
			next(waiting);
			server.close();
			for (RawTlsClient client : clients) {
				assertThat(client.outcome()).matches(Outcome::isClosed, "is closed");
			}
			assertThat(threads(name)).isZero();
		}
		finally {
			close(clients);
		}
	}

	@Test
	void whenServerHasStoppedThenItKeepsNoConnection() throws Exception {
		ConnectorServer server = new ConnectorServer(Engine.OPENSSL).start();
		try (RawTlsClient client = TlsVersion.TLS_1_3.connect(server.port(), Http.HTTP_1_1)) {
			client.send(client.hello().record());
			Awaitility.await().until(() -> NativeMemory.sessions() == 1);
			WeakReference<Object> connection = new WeakReference<>(
					server.endpoint().getConnections().iterator().next());
			server.close();
			Awaitility.await().until(() -> {
				System.gc();
				return connection.get() == null;
			});
			assertThat(server.endpoint().getConnections()).isEmpty();
		}
	}

	@Test
	void whenNoWorkerTakesTheConnectionThenItIsClosed() throws Exception {
		try (ConnectorServer server = start((command) -> {
			throw new RejectedExecutionException();
		}); RawTlsClient client = TlsVersion.TLS_1_3.connect(server.port(), Http.HTTP_1_1)) {
			client.completeHandshake();
			assertThat(client.outcome()).matches(Outcome::isClosed, "is closed");
			Awaitility.await().until(() -> server.endpoint().getConnections().isEmpty());
		}
	}

	@Test
	void whenErrorsCannotEvenBeLoggedThenThreadsGoOn() throws Exception {
		Logger logger = Logger.getLogger(HandshakeThreads.class.getName());
		ExecutorService workers = Executors.newCachedThreadPool();
		AtomicInteger errors = new AtomicInteger(MANY);
		try (ConnectorServer server = start((command) -> {
			if (errors.getAndDecrement() > 0) {
				throw new InternalError();
			}
			workers.execute(command);
		})) {
			logger.setFilter((record) -> {
				throw new AssertionError("This filter is broken");
			});
			for (int i = 0; i < MANY; i++) {
				try (RawTlsClient client = TlsVersion.TLS_1_3.connect(server.port(), Http.HTTP_1_1)) {
					client.completeHandshake();
					assertThat(client.outcome()).matches(Outcome::isClosed, "is closed");
				}
			}
			try (SSLSocket client = new JavaClient("p256.crt").connect(server.port())) {
				assertThat(JavaClient.get(client, "/hello")).endsWith("hello");
			}
		}
		finally {
			logger.setFilter(null);
			workers.shutdown();
		}
	}

	@Test
	void whenLogBlocksThenOtherHandshakesGoOn() throws Exception {
		CountDownLatch logging = new CountDownLatch(MANY);
		CountDownLatch writable = new CountDownLatch(1);
		Logger logger = Logger.getLogger(FailureReport.class.getName());
		List<RawTlsClient> clients = new ArrayList<>();
		try (ConnectorServer server = new ConnectorServer(Engine.OPENSSL).start()) {
			logger.setLevel(Level.ALL);
			logger.setFilter((record) -> {
				logging.countDown();
				await(writable);
				return false;
			});
			for (int i = 0; i < MANY; i++) {
				RawTlsClient client = TlsVersion.TLS_1_3.connect(server.port(), Http.HTTP_1_1);
				clients.add(client);
				client.send(client.hello().extension(RawClientHello.ALPN, offer("unknown")).record());
			}
			assertThat(logging.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
			try (SSLSocket client = new JavaClient("p256.crt").connect(server.port())) {
				assertThat(JavaClient.get(client, "/hello")).endsWith("hello");
			}
			writable.countDown();
		}
		finally {
			writable.countDown();
			logger.setLevel(null);
			logger.setFilter(null);
			close(clients);
		}
	}

	@Test
	void whenChallengesCannotBeReadThenOtherHandshakesGoOn() throws Exception {
		CountDownLatch readable = new CountDownLatch(1);
		AtomicInteger reading = new AtomicInteger();
		List<RawTlsClient> clients = new ArrayList<>();
		try (ConnectorServer server = new ConnectorServer(Engine.OPENSSL)
			.start(ConnectorServer.settings(null, null, null, (name) -> {
				reading.incrementAndGet();
				await(readable);
				return null;
			}))) {
			byte[] offered = offer(TlsAlpnChallenges.APPLICATION_PROTOCOL);
			for (int i = 0; i < MANY; i++) {
				RawTlsClient client = TlsVersion.TLS_1_3.connect(server.port(), Http.HTTP_1_1);
				clients.add(client);
				client
					.send(client.hello().serverName("challenge.test").extension(RawClientHello.ALPN, offered).record());
			}
			Awaitility.await().until(() -> reading.get() == MANY);
			try (SSLSocket client = new JavaClient("p256.crt").connect(server.port())) {
				assertThat(JavaClient.get(client, "/hello")).endsWith("hello");
			}
			readable.countDown();
			for (RawTlsClient client : clients) {
				assertThat(client.outcome()).matches(Outcome::isClosed, "is closed");
			}
		}
		finally {
			readable.countDown();
			close(clients);
		}
	}

	private static Runnable next(BlockingQueue<Runnable> waiting) throws InterruptedException {
		return Objects.requireNonNull(waiting.poll(PATIENCE_SECONDS, TimeUnit.SECONDS), "nothing for a worker");
	}

	private static byte[] offer(String protocol) {
		return vector(2, vector(1, protocol.getBytes(StandardCharsets.US_ASCII)));
	}

	private static void await(CountDownLatch latch) {
		try {
			latch.await();
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private static ConnectorServer start(Executor workers) {
		ConnectorServer server = new ConnectorServer(Engine.OPENSSL);
		server.protocol().setExecutor(workers);
		return server.start();
	}

	private static long threads(String name) {
		return Thread.getAllStackTraces()
			.keySet()
			.stream()
			.filter((thread) -> thread.getName().startsWith(name))
			.count();
	}

	private static void close(List<RawTlsClient> clients) throws Exception {
		for (RawTlsClient client : clients) {
			client.close();
		}
	}

}
