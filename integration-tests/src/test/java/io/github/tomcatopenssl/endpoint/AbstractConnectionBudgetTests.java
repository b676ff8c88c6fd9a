// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.io.OutputStream;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadInfo;
import java.lang.management.ThreadMXBean;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;

import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TestServer.Engine;
import io.github.tomcatopenssl.test.tls.AbstractRawTlsTests;
import io.github.tomcatopenssl.test.tls.Outcome;
import io.github.tomcatopenssl.test.tls.RawTlsClient;
import org.apache.coyote.AbstractProtocol;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests of what a stranger's connection may cost. {@code -Dbudget.connections} says how
 * many flood at once, and {@code -Dbudget.seconds} for how long.
 */
abstract class AbstractConnectionBudgetTests extends AbstractRawTlsTests {

	private static final int FLOODS = Integer.getInteger("budget.connections", 1);

	/**
	 * Number of kinds of floods at once, for each engine.
	 */
	private static final int AT_ONCE = 4;

	private static final Duration FLOOD = Duration.ofSeconds(Integer.getInteger("budget.seconds", 1));

	/**
	 * Number of connections whose memory is measured together.
	 */
	private static final int HELD = 50;

	private static final int MEASUREMENTS = 4;

	/**
	 * Heap that a connection may pin with up to 32 KB of input, in bytes. JSSE has 73 KB
	 * of buffers for each connection.
	 */
	private static final Map<Engine, Long> MOST_BYTES = Map.of(Engine.OPENSSL, 64 * 1024L, Engine.JSSE,
			(64 + 73) * 1024L);

	/**
	 * By how many bytes for each connection two readings of the heap may differ.
	 */
	private static final long SETTLED = 8 * 1024;

	private static final int MOST_READINGS = 20;

	private static final int STREAMS = 50;

	private static final Duration BRIEFLY = Duration.ofMillis(100);

	private static final Duration UNTIL_RELEASED = Duration.ofSeconds(30);

	/**
	 * Sizes of the send and receive buffers of the server and of the send buffers of the
	 * clients, in bytes. The system would let them grow to megabytes, which hold requests
	 * for many seconds of work.
	 */
	private static final int SOCKET_BUFFER = 65536;

	/**
	 * How long after the last byte of a client no thread may work for it any more.
	 */
	private static final Duration UNTIL_SILENCE = Duration.ofSeconds(5);

	private static final Duration SILENCE = Duration.ofSeconds(2);

	/**
	 * CPU of all threads of a server that only waits, for each second.
	 */
	private static final Duration SILENT = Duration.ofMillis(5);

	/**
	 * Timeout of connections, after which they would end anyway.
	 */
	private static final Duration TIMEOUT = Duration.ofSeconds(14);

	/**
	 * Number of bytes after which a flood that is answered by nothing ends.
	 */
	private static final long MOST_SENT = 8_000_000;

	private static final Set<String> WITHOUT_DATA = Set.of("a flood of empty records", "a flood of alerts",
			"a flood of records of an unknown type", "a flood of KeyUpdates", "a flood of KeyUpdates that ask for one",
			"a flood of renegotiation");

	private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

	AbstractConnectionBudgetTests(WebApplicationType type) {
		super(type, SmallBuffersConfiguration.class,
				"server.tomcat.connection-timeout=%ds".formatted(TIMEOUT.toSeconds()),
				"server.tomcat.keep-alive-timeout=%ds".formatted(TIMEOUT.toSeconds()),
				"server.tomcat.max-keep-alive-requests=-1");
	}

	@Tag("alone")
	@Test
	void whenClientsFloodAndDoNotReadThenServerIsSilentAfterwardsAndEndsTheirConnections() throws Exception {
		List<Burden> burdens = burdens(true);
		List<Flood> floods = new ArrayList<>();
		try {
			for (int i = 0; i < burdens.size(); i += AT_ONCE) {
				List<Flood> next = new ArrayList<>();
				for (Burden burden : burdens.subList(i, Math.min(i + AT_ONCE, burdens.size()))) {
					for (Engine engine : Engine.values()) {
						next.add(new Flood(burden, port(engine)));
					}
				}
				floods.addAll(next);
				for (Flood flood : next) {
					flood.awaitEnd();
				}
			}
			assertThat(busyThreads()).as("threads that work after %s", burdens).isEmpty();
			for (Engine engine : Engine.values()) {
				assertServes(engine);
			}
			floods.stream().filter((flood) -> flood.burden.start() == Burden.Start.WEB_SOCKET).forEach(Flood::close);
			for (Engine engine : Engine.values()) {
				awaitNoConnections(server(engine));
			}
		}
		finally {
			floods.forEach(Flood::close);
		}
	}

	@ParameterizedTest
	@MethodSource("floodsWithoutData")
	void whenClientSendsOnlyRecordsWithoutDataThenItsConnectionEnds(Burden burden) throws Exception {
		try (RawTlsClient client = burden.connect(port(Engine.OPENSSL))) {
			client.send(burden.bytes().next(client));
			assertThat(client.outcome()).matches(Outcome::isClosed, "is closed");
		}
	}

	static List<Burden> floodsWithoutData() {
		return Burden.all().stream().filter((burden) -> WITHOUT_DATA.contains(burden.name())).toList();
	}

	@ParameterizedTest
	@EnumSource
	void whenConnectionIsHeldThenItPinsLittleMemory(Engine engine) throws Exception {
		// What is loaded and allocated once
		hold(server(engine), burdens(false).get(0)).forEach(AbstractConnectionBudgetTests::close);
		for (Burden burden : burdens(false)) {
			assertLittleIsPinned(engine, server(engine), burden);
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenHeaderOfProxyIsHeldThenItPinsLittleMemory(Engine engine) throws Exception {
		try (TestServer server = start(engine, with(pem("p256"), "proxy-protocol.trusted=127.0.0.1"))) {
			List<Socket> held = hold(server, Burden.proxyHeader());
			for (Socket socket : held) {
				socket.setSoTimeout(1);
				assertThatExceptionOfType(SocketTimeoutException.class).as("not refused")
					.isThrownBy(() -> socket.getInputStream().read());
			}
			held.forEach(AbstractConnectionBudgetTests::close);
			assertLittleIsPinned(engine, server, Burden.proxyHeader());
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenConnectionsWithManyStreamsEndThenTheirMemoryIsReleased(Engine engine) throws Exception {
		TestServer server = server(engine);
		// What is loaded and allocated once, and the buffers of as many connections
		requestAtOnce(server, Burden.streams(1));
		awaitNoConnections(server);
		long before = heap(server);
		requestAtOnce(server, Burden.streams(STREAMS));
		// A thread may still work with a request whose connection has ended
		Awaitility.await()
			.atMost(UNTIL_RELEASED)
			.untilAsserted(
					() -> assertThat((heap(server) - before) / HELD).as("bytes of the heap for an ended connection")
						.isLessThanOrEqualTo(MOST_BYTES.get(engine)));
	}

	private static void requestAtOnce(TestServer server, Burden requests) throws IOException {
		List<RawTlsClient> clients = new ArrayList<>();
		List<byte[]> bytes = new ArrayList<>();
		try {
			for (int i = 0; i < HELD; i++) {
				RawTlsClient client = requests.connect(server.port());
				clients.add(client);
				bytes.add(requests.bytes().next(client));
			}
			for (int i = 0; i < HELD; i++) {
				clients.get(i).send(bytes.get(i));
			}
			for (RawTlsClient client : clients) {
				assertThat(client.answers(client.requests()).answers()).as("answers").isEqualTo(client.requests());
			}
		}
		finally {
			clients.forEach((client) -> close(client.socket()));
		}
	}

	private static void assertLittleIsPinned(Engine engine, TestServer server, Burden burden) throws Exception {
		long pinned = Long.MAX_VALUE;
		// The rest of the JVM allocates and frees as well
		for (int i = 0; i < MEASUREMENTS && pinned > MOST_BYTES.get(engine); i++) {
			pinned = Math.min(pinned, pinned(server, burden));
		}
		assertThat(pinned).as("bytes of the heap for %s", burden).isLessThanOrEqualTo(MOST_BYTES.get(engine));
	}

	private static long pinned(TestServer server, Burden burden) throws Exception {
		List<Socket> held = List.of();
		try {
			awaitNoConnections(server);
			long before = heap(server);
			held = hold(server, burden);
			return (heap(server) - before) / HELD;
		}
		finally {
			held.forEach(AbstractConnectionBudgetTests::close);
		}
	}

	// The poller lets go of connections that have ended when it next selects, which a new
	// one makes it do. What was sent may still be read.
	private static long heap(TestServer server) throws Exception {
		long previous = Long.MAX_VALUE;
		long heap = 0;
		for (int i = 0; i < MOST_READINGS && Math.abs(heap - previous) > HELD * SETTLED; i++) {
			previous = heap;
			new Socket("localhost", server.port()).close();
			Thread.sleep(BRIEFLY.toMillis());
			System.gc();
			heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed();
		}
		return heap;
	}

	private static List<Socket> hold(TestServer server, Burden burden) throws IOException {
		List<Socket> held = new ArrayList<>();
		for (int i = 0; i < HELD; i++) {
			RawTlsClient client = burden.connect(server.port());
			client.send(burden.bytes().next(client));
			held.add(client.socket());
		}
		return held;
	}

	private static void awaitNoConnections(TestServer server) {
		AbstractProtocol<?> protocol = (AbstractProtocol<?>) server.connectors().get(0).getProtocolHandler();
		Awaitility.await()
			.pollDelay(Duration.ZERO)
			.atMost(TIMEOUT.plusSeconds(5))
			.until(() -> protocol.getConnectionCount() <= 1);
	}

	private List<Burden> burdens(boolean flood) {
		return Burden.all()
			.stream()
			.filter((burden) -> burden.flood() == flood)
			.filter((burden) -> burden.start() != Burden.Start.WEB_SOCKET || type() == WebApplicationType.SERVLET)
			.toList();
	}

	// What was sent may still be read
	private static List<String> busyThreads() throws InterruptedException {
		long deadline = System.nanoTime() + UNTIL_SILENCE.toNanos();
		List<String> busy = new ArrayList<>();
		do {
			busy.clear();
			Map<Long, Long> before = cpuOfThreads();
			Thread.sleep(SILENCE.toMillis());
			cpuOfThreads().forEach((thread, cpu) -> {
				long used = cpu - before.getOrDefault(thread, 0L);
				if (used > SILENT.multipliedBy(SILENCE.toSeconds()).toNanos()) {
					ThreadInfo info = THREADS.getThreadInfo(thread);
					busy.add("%s: %d ms".formatted((info != null) ? info.getThreadName() : thread,
							Duration.ofNanos(used).toMillis()));
				}
			});
		}
		while (!busy.isEmpty() && System.nanoTime() < deadline);
		return busy;
	}

	private static Map<Long, Long> cpuOfThreads() {
		Map<Long, Long> cpu = new LinkedHashMap<>();
		for (ThreadInfo thread : THREADS.getThreadInfo(THREADS.getAllThreadIds())) {
			if (thread != null && thread.getThreadName().contains("-nio-")) {
				cpu.put(thread.getThreadId(), THREADS.getThreadCpuTime(thread.getThreadId()));
			}
		}
		return cpu;
	}

	private static void close(Socket socket) {
		try {
			socket.close();
		}
		catch (IOException ex) {
			// It is closed
		}
	}

	@Configuration(proxyBeanMethods = false)
	@Import(LeftoverTests.LeftoverConfiguration.class)
	static class SmallBuffersConfiguration {

		@Bean
		WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory> smallBuffers() {
			return (factory) -> factory.addConnectorCustomizers((connector) -> {
				assertThat(connector.setProperty("socket.rxBufSize", String.valueOf(SOCKET_BUFFER))).isTrue();
				assertThat(connector.setProperty("socket.txBufSize", String.valueOf(SOCKET_BUFFER))).isTrue();
			});
		}

	}

	/**
	 * Clients that flood, until each of them has sent enough, is closed, or can send no
	 * more.
	 */
	private static final class Flood {

		private final Burden burden;

		private final List<Socket> sockets = new ArrayList<>();

		private final AtomicLong sent = new AtomicLong();

		private final AtomicLong running = new AtomicLong(FLOODS);

		Flood(Burden burden, int port) throws IOException {
			this.burden = burden;
			for (int i = 0; i < FLOODS; i++) {
				RawTlsClient client = burden.connect(port);
				client.socket().setSendBufferSize(SOCKET_BUFFER);
				this.sockets.add(client.socket());
				Thread thread = new Thread(() -> run(client), burden.toString());
				thread.setDaemon(true);
				thread.start();
			}
		}

		private void run(RawTlsClient client) {
			long end = System.nanoTime() + FLOOD.toNanos();
			try {
				OutputStream out = client.socket().getOutputStream();
				for (long bytes = 0; bytes < MOST_SENT && System.nanoTime() < end;) {
					byte[] next = this.burden.bytes().next(client);
					out.write(next);
					bytes += next.length;
					this.sent.addAndGet(next.length);
				}
			}
			catch (IOException ex) {
				// Closed
			}
			finally {
				this.running.decrementAndGet();
			}
		}

		void awaitEnd() throws InterruptedException {
			long before = -1;
			while (this.running.get() > 0 && this.sent.get() != before) {
				before = this.sent.get();
				Thread.sleep(1000);
			}
		}

		void close() {
			this.sockets.forEach(AbstractConnectionBudgetTests::close);
		}

	}

}
