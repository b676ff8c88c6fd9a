// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import io.github.tomcatopenssl.internal.engine.Engine;
import org.apache.tomcat.util.threads.ThreadPoolExecutor;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests with thousands of clients that send mutated flights. The system property {@code
 * hostile.fuzz.seed} repeats a run. To repeat a single connection, set {@code
 * hostile.fuzz.connections=1} and the seed that the failure names.
 */
@Tag("jdk")
class HostileFuzzTests extends AbstractEngineTests {

	private static final int CONNECTIONS = Integer.getInteger("hostile.fuzz.connections", 2000);

	private static final long SEED = Long.getLong("hostile.fuzz.seed", System.nanoTime());

	/**
	 * How many of the connections an engine gets: JSSE is not ours.
	 */
	private static final Map<Engine, Integer> SHARES = Map.of(Engine.OPENSSL, 1, Engine.JSSE, 10);

	private static final int CLIENTS = 8;

	@ParameterizedTest
	@EnumSource
	void whenFlightsAreMutatedThenNothingStrayIsSentAndNothingIsLeft(Engine engine) throws Exception {
		int connections = Math.max(CONNECTIONS / SHARES.get(engine), 1);
		System.out.printf("%s: %d connections, hostile.fuzz.seed=%d%n", engine, connections, SEED);
		TlsHttp11NioProtocol protocol = server(engine).protocol();
		assertServes(engine);
		awaitIdle(protocol);
		AtomicInteger next = new AtomicInteger();
		ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
		try {
			List<Future<?>> clients = new ArrayList<>();
			for (int i = 0; i < CLIENTS; i++) {
				clients.add(threads.submit(() -> attack(port(engine), next, connections)));
			}
			for (Future<?> client : clients) {
				client.get();
			}
		}
		finally {
			threads.shutdownNow();
		}
		assertThat(next.get()).isGreaterThanOrEqualTo(connections);
		awaitIdle(protocol);
		assertServes(engine);
	}

	private static Void attack(int port, AtomicInteger next, int connections) {
		for (int i = next.getAndIncrement(); i < connections; i = next.getAndIncrement()) {
			try {
				new FuzzedConnection(SEED + i).run(port);
			}
			catch (Exception | AssertionError ex) {
				throw new AssertionError("hostile.fuzz.seed=%d: %s".formatted(SEED + i, ex), ex);
			}
		}
		return null;
	}

	// The acceptor counts the connection that it waits for
	private static void awaitIdle(TlsHttp11NioProtocol protocol) {
		Awaitility.await().atMost(Duration.ofSeconds(15)).untilAsserted(() -> {
			assertThat(protocol.getConnectionCount()).as("connections").isOne();
			assertThat(((ThreadPoolExecutor) protocol.getExecutor()).getActiveCount()).as("busy threads").isZero();
		});
	}

}
