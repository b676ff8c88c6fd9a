// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.BufferedReader;
import java.io.IOException;
import java.net.Socket;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.logging.Filter;
import java.util.logging.Logger;

import javax.net.ssl.SSLSocket;

import io.github.tomcatopenssl.internal.engine.Engine;
import io.github.tomcatopenssl.test.Http;
import io.github.tomcatopenssl.test.JavaClient;
import io.github.tomcatopenssl.test.Provided;
import io.github.tomcatopenssl.test.tls.RawTlsClient;
import io.github.tomcatopenssl.test.tls.TlsVersion;
import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.tomcat.util.net.NioEndpoint;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the threads that serve all connections: an error ends none of them.
 */
@Tag("servers")
public class SharedThreadsTests {

	private static final int CLIENTS = 100;

	// As if the system had too many threads
	@ParameterizedTest
	@EnumSource
	void whenNoWorkerCanBeCreatedThenConnectionIsClosedAndOthersAreServed(Engine engine) throws Exception {
		AtomicBoolean exhausted = new AtomicBoolean();
		ExecutorService workers = Executors.newCachedThreadPool();
		ConnectorServer server = new ConnectorServer(engine);
		server.protocol().setExecutor((work) -> {
			if (exhausted.get()) {
				throw new OutOfMemoryError("unable to create native thread");
			}
			workers.execute(work);
		});
		try (server; RawTlsClient client = serve(server.start().port())) {
			exhausted.set(true);
			awaitClose(client);
			exhausted.set(false);
			Awaitility.await().until(() -> server.endpoint().getConnections().isEmpty());
			serve(server.port()).close();
			assertThat(server.endpoint().getConnectionCount()).isLessThanOrEqualTo(2);
			assertThat(TlsConnectors.failedThreads(server.connector())).isEmpty();
		}
		finally {
			workers.shutdown();
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenNoWorkerCanBeCreatedThenIdleConnectionsAreClosedAllTheSame(Engine engine) throws Exception {
		AtomicBoolean exhausted = new AtomicBoolean();
		ExecutorService workers = Executors.newCachedThreadPool();
		ConnectorServer server = new ConnectorServer(engine);
		server.protocol().setKeepAliveTimeout(2000);
		server.protocol().setExecutor((work) -> {
			if (exhausted.get()) {
				throw new OutOfMemoryError("unable to create native thread");
			}
			workers.execute(work);
		});
		try (server; RawTlsClient client = serve(server.start().port()); RawTlsClient other = serve(server.port())) {
			exhausted.set(true);
			Awaitility.await().until(() -> server.endpoint().getConnections().isEmpty());
			assertThat(client.outcome(Duration.ofSeconds(5)).isClosed()).isTrue();
			assertThat(other.outcome(Duration.ofSeconds(5)).isClosed()).isTrue();
			exhausted.set(false);
			serve(server.port()).close();
		}
		finally {
			workers.shutdown();
		}
	}

	// Two requests: the poller waits for the second one
	private static RawTlsClient serve(int port) throws IOException {
		RawTlsClient client = TlsVersion.TLS_1_3.connect(port, Http.HTTP_1_1);
		client.completeHandshake();
		for (int i = 0; i < 2; i++) {
			client.send(client.request());
			assertThat(client.answers(1).answers()).isOne();
		}
		return client;
	}

	// The thread that has served a request may take the next one too
	private static void awaitClose(RawTlsClient client) {
		Awaitility.await().until(() -> {
			client.send(client.request());
			return client.outcome(Duration.ofMillis(200)).isClosed();
		});
	}

	@ParameterizedTest
	@EnumSource
	void whenErrorsOfThePollerCannotEvenBeLoggedThenOthersAreServed(Engine engine) throws Exception {
		AtomicBoolean broken = new AtomicBoolean();
		ExecutorService workers = Executors.newCachedThreadPool();
		ConnectorServer server = new ConnectorServer(engine);
		server.protocol().setExecutor((work) -> {
			if (broken.get()) {
				throw new NoClassDefFoundError("of the application");
			}
			workers.execute(work);
		});
		Filter failing = (record) -> {
			if (broken.get()) {
				throw new NoClassDefFoundError("of an appender");
			}
			return true;
		};
		Logger logger = Logger.getLogger(NioEndpoint.class.getName());
		try (server; RawTlsClient client = serve(server.start().port())) {
			logger.setFilter(failing);
			broken.set(true);
			awaitClose(client);
			broken.set(false);
			serve(server.port()).close();
		}
		finally {
			logger.setFilter(null);
			workers.shutdown();
		}
	}

	@Test
	void whenAcceptFailsThenAcceptorGoesOn() throws Exception {
		CountDownLatch accepted = new CountDownLatch(1);
		AtomicInteger errors = new AtomicInteger(3);
		TlsNioEndpoint endpoint = new TlsNioEndpoint() {

			@Override
			protected SocketChannel serverSocketAccept() throws Exception {
				SocketChannel socket = super.serverSocketAccept();
				if (errors.getAndDecrement() > 0) {
					socket.close();
					throw new OutOfMemoryError("Java heap space");
				}
				return socket;
			}

			@Override
			protected boolean setSocketOptions(SocketChannel socket) {
				accepted.countDown();
				destroySocket(socket);
				return false;
			}

		};
		endpoint.setPort(0);
		new OpenEndpointProtocol(endpoint);
		endpoint.init();
		endpoint.start();
		try {
			for (int i = 0; i < 4; i++) {
				new Socket("localhost", endpoint.getLocalPort()).close();
			}
			assertThat(accepted.await(20, TimeUnit.SECONDS)).isTrue();
		}
		finally {
			endpoint.stop();
			endpoint.destroy();
		}
	}

	@ParameterizedTest
	@EnumSource
	@Tag("forked")
	void whenHeapWasExhaustedThenServerServesAgain(Engine engine, @TempDir Path folder) throws Exception {
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-Xmx64m", "-XX:+UseSerialGC", "-Xlog:disable",
				"-Dtcnative.directory=" + Provided.tomcatNative().getParent(), "-Djava.io.tmpdir=" + folder, "-cp",
				System.getProperty("java.class.path"), Server.class.getName(), engine.name())
			.redirectError(ProcessBuilder.Redirect.DISCARD)
			.start();
		List<RawTlsClient> kept = new ArrayList<>();
		ExecutorService clients = Executors.newFixedThreadPool(10);
		try (BufferedReader output = process.inputReader()) {
			int port = Integer.parseInt(output.readLine());
			for (int i = 0; i < CLIENTS; i++) {
				kept.add(serve(port));
			}
			process.getOutputStream().write('x');
			process.getOutputStream().flush();
			assertThat(output.readLine()).isEqualTo("exhausted");
			List<CompletableFuture<Void>> attempts = new ArrayList<>();
			for (RawTlsClient client : kept) {
				client.send(client.request());
				attempts.add(CompletableFuture.runAsync(() -> attempt(port), clients));
			}
			CompletableFuture.allOf(attempts.toArray(CompletableFuture[]::new)).join();
			process.getOutputStream().write('x');
			process.getOutputStream().flush();
			assertThat(output.readLine()).isEqualTo("free");
			for (int i = 0; i < 10; i++) {
				serve(port).close();
			}
		}
		finally {
			for (RawTlsClient client : kept) {
				client.close();
			}
			clients.shutdown();
			process.destroyForcibly();
			process.waitFor();
		}
	}

	private static void attempt(int port) {
		try (SSLSocket client = new JavaClient("p256.crt").connect(port)) {
			client.setSoTimeout(500);
			JavaClient.get(client, "/hello");
		}
		catch (IOException ex) {
			// There is no memory
		}
	}

	/**
	 * Gives an endpoint the handler of a protocol.
	 */
	private static final class OpenEndpointProtocol extends Http11NioProtocol {

		OpenEndpointProtocol(NioEndpoint endpoint) {
			super(endpoint);
		}

	}

	/**
	 * A server that takes all of its heap, and gives it back.
	 */
	public static final class Server {

		private static Object[] taken;

		private Server() {
		}

		public static void main(String[] arguments) throws IOException {
			ConnectorServer server = new ConnectorServer(Engine.valueOf(arguments[0])).start();
			AtomicBoolean full = new AtomicBoolean();
			AtomicBoolean taking = new AtomicBoolean();
			byte[] exhausted = "exhausted\n".getBytes(StandardCharsets.US_ASCII);
			byte[] free = "free\n".getBytes(StandardCharsets.US_ASCII);
			Thread taker = new Thread(() -> take(taking, full));
			taker.setDaemon(true);
			System.out.println(server.port());
			System.in.read();
			taking.set(true);
			taker.start();
			while (!full.get()) {
				Thread.onSpinWait();
			}
			System.out.write(exhausted, 0, exhausted.length);
			System.out.flush();
			System.in.read();
			taking.set(false);
			while (full.get()) {
				Thread.onSpinWait();
			}
			System.out.write(free, 0, free.length);
			System.out.flush();
			while (System.in.read() != -1) {
				continue;
			}
		}

		// Takes what others give back, too. Once the heap is full, nothing may need more
		// of it
		private static void take(AtomicBoolean taking, AtomicBoolean full) {
			while (taking.get()) {
				try {
					taken = new Object[] { taken, new byte[64] };
				}
				catch (OutOfMemoryError ex) {
					full.set(true);
				}
			}
			taken = null;
			full.set(false);
		}

	}

}
