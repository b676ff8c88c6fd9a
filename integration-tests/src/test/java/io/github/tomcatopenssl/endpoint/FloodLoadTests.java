// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

import io.github.tomcatopenssl.test.AbstractTlsServerTests;
import io.github.tomcatopenssl.test.JavaClient;
import io.github.tomcatopenssl.test.TestServer.Engine;
import io.github.tomcatopenssl.test.tls.RawTlsClient;
import org.assertj.core.api.SoftAssertions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.WebApplicationType;

/**
 * Tests of what honest clients notice while strangers flood a server, and what is left
 * afterwards. All kinds of floods run at once, for a few seconds. System properties make
 * it a load test, whose figures are in {@code target/flood-load.md}:
 * {@code load.connections}, {@code load.seconds}, {@code load.alone} (the seconds of
 * honest requests without a flood, before it), {@code load.afterwards} (the seconds
 * between the flood and the last measurement), {@code load.milliseconds} (the most that
 * 99 % of the honest requests may take), {@code load.kinds} (a regular expression: the
 * kinds whose names contain it run one after the other, and each kind of connection that
 * is held is measured), {@code load.threads} (the most threads of Tomcat, or
 * {@code virtual}) and {@code load.streams} (the most open requests of an HTTP/2
 * connection). A response that nobody reads takes a thread until the timeout: with fewer
 * threads than connections, honest clients wait. Hundreds of connections that each have
 * 100 requests open fill the heap.
 */
@Tag("alone")
@Tag("forked")
@Tag("load")
class FloodLoadTests extends AbstractTlsServerTests {

	private static final int CONNECTIONS = Integer.getInteger("load.connections", 50);

	private static final Duration FLOOD = Duration.ofSeconds(Integer.getInteger("load.seconds", 5));

	private static final Duration AFTERWARDS = Duration.ofSeconds(Integer.getInteger("load.afterwards", 5));

	private static final Duration MOST_TIME = Duration.ofMillis(Integer.getInteger("load.milliseconds", 250));

	private static final String KINDS = System.getProperty("load.kinds", "");

	private static final String THREADS = System.getProperty("load.threads", "1000");

	private static final Duration ALONE = Duration.ofSeconds(Integer.getInteger("load.alone", 3));

	/**
	 * How long after the last byte of the clients no thread may work for them any more.
	 * What they have sent before still waits in the sockets.
	 */
	private static final Duration UNTIL_SILENCE = Duration.ofSeconds(30);

	private static final Duration MEASURED = Duration.ofSeconds(3);

	private static final Duration BRIEFLY = Duration.ofMillis(300);

	private static final int MOST_FILES = 2;

	/**
	 * CPU of a server without connections, for each second.
	 */
	private static final Duration IDLE = Duration.ofMillis(100);

	/**
	 * CPU of the busiest thread of a server that only waits, for each second.
	 */
	private static final Duration SILENT = Duration.ofMillis(5);

	/**
	 * Timeout of connections. One that a response blocks takes a thread as long.
	 */
	private static final Duration TIMEOUT = Duration.ofSeconds(20);

	/**
	 * Number of connections whose memory is measured together.
	 */
	private static final int HELD = 200;

	private static final int MEASUREMENTS = 3;

	/**
	 * Memory of a connection with up to 32 KB of input, in KB, on the heap and native.
	 * What is resident varies by some MB for 200 connections. JSSE has 73 KB of buffers
	 * for each connection.
	 */
	private static final int MOST_MEMORY = 96;

	private static final int BUFFERS_OF_JSSE = 73;

	private static final long MOST_LEFT = 32_000_000;

	private static final Path REPORT = Path.of("target/flood-load.md");

	FloodLoadTests() {
		super(WebApplicationType.SERVLET);
	}

	@ParameterizedTest
	@EnumSource
	void whenStrangersFloodThenHonestClientsAreServed(Engine engine) throws Exception {
		try (FloodedServer server = start(engine)) {
			report("| kind | threads | connections | s | replaced | MB sent | requests | lost | p50 ms | p99 ms | max ms | alone p50 | "
					+ "p99 | CPU %% | silent after s | CPU afterwards ms/s | heap KB | native KB | left: heap KB | native KB "
					+ "| files |%n|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|---|%n");
			honest(server, Duration.ofSeconds(2));
			SoftAssertions softly = new SoftAssertions();
			for (List<Burden> burdens : floods()) {
				flood(engine, server, burdens, softly);
			}
			softly.assertThat(server.log())
				.noneMatch((line) -> line.contains("OutOfMemoryError") || line.contains(" ERROR "));
			softly.assertAll();
		}
	}

	private void flood(Engine engine, FloodedServer server, List<Burden> burdens, SoftAssertions softly)
			throws Exception {
		FloodedServer.Usage before = server.usage();
		HonestClients.Result alone = honest(server, ALONE);
		HonestClients.Result honest;
		FloodedServer.Usage held;
		Duration cpu;
		Duration silent;
		FloodingClients flood = new FloodingClients(burdens, CONNECTIONS, server.port());
		try (flood) {
			flood.begin();
			Duration cpuBefore = server.cpu();
			honest = honest(server, FLOOD);
			cpu = server.cpu().minus(cpuBefore);
			// Others may use the machine as well
			for (int i = 1; i < MEASUREMENTS && honest.percentile(99).compareTo(MOST_TIME) >= 0; i++) {
				softly.assertThat(honest.failures()).as("lost beside %s", flood).isEmpty();
				honest = honest(server, FLOOD);
			}
			held = server.usage();
			flood.end();
			silent = untilSilence(server);
		}
		Thread.sleep(AFTERWARDS.toMillis());
		FloodedServer.Usage after = untilReleased(server, before);
		Duration afterwards = untilIdle(server);
		report("| %s, %s | %s | %d | %d | %d | %.1f | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d | %d |%n",
				engine, flood, THREADS, held.connections(), FLOOD.toSeconds(), flood.replaced(), flood.sent() / 1e6,
				honest.requests(), honest.failures().size(), honest.percentile(50).toMillis(),
				honest.percentile(99).toMillis(), honest.percentile(100).toMillis(), alone.percentile(50).toMillis(),
				alone.percentile(99).toMillis(), 100 * cpu.toMillis() / FLOOD.toMillis(), silent.toSeconds(),
				afterwards.toMillis(), (held.heap() - before.heap()) / 1024 / CONNECTIONS,
				(held.resident() - before.resident()) / 1024 / CONNECTIONS, (after.heap() - before.heap()) / 1024,
				(after.resident() - before.resident()) / 1024, after.descriptors() - before.descriptors());
		softly.assertThat(honest.failures()).as("lost beside %s", flood).isEmpty();
		softly.assertThat(honest.percentile(99)).as("99 %% beside %s", flood).isLessThan(MOST_TIME);
		softly.assertThat(silent).as("silence after %s", flood).isLessThan(UNTIL_SILENCE);
		softly.assertThat(afterwards).as("CPU for each second after %s", flood).isLessThan(IDLE);
		softly.assertThat(after.heap() - before.heap()).as("heap after %s", flood).isLessThan(MOST_LEFT);
		softly.assertThat(after.descriptors() - before.descriptors())
			.as("files after %s", flood)
			.isLessThanOrEqualTo(MOST_FILES);
	}

	// The connections are still open, and read nothing
	private static Duration untilSilence(FloodedServer server) throws IOException, InterruptedException {
		long start = System.nanoTime();
		Duration busiest;
		Duration passed;
		do {
			passed = Duration.ofNanos(System.nanoTime() - start);
			busiest = server.busiestThread();
		}
		while (busiest.compareTo(SILENT) > 0 && passed.compareTo(UNTIL_SILENCE) < 0);
		return passed;
	}

	private static FloodedServer.Usage untilReleased(FloodedServer server, FloodedServer.Usage before)
			throws IOException, InterruptedException {
		long deadline = System.nanoTime() + UNTIL_SILENCE.toNanos();
		FloodedServer.Usage after = server.usage();
		while ((after.connections() > 1 || after.descriptors() > before.descriptors() + MOST_FILES)
				&& System.nanoTime() < deadline) {
			Thread.sleep(BRIEFLY.toMillis());
			after = server.usage();
		}
		return after;
	}

	// The JVM still compiles what the flood has called often
	private static Duration untilIdle(FloodedServer server) throws IOException, InterruptedException {
		long deadline = System.nanoTime() + UNTIL_SILENCE.toNanos();
		Duration used;
		do {
			Duration before = server.cpu();
			Thread.sleep(MEASURED.toMillis());
			used = server.cpu().minus(before).dividedBy(MEASURED.toSeconds());
		}
		while (used.compareTo(IDLE) >= 0 && System.nanoTime() < deadline);
		return used;
	}

	private static List<List<Burden>> floods() {
		List<Burden> floods = Burden.all().stream().filter(Burden::flood).toList();
		if (KINDS.isEmpty()) {
			return List.of(floods);
		}
		Pattern kinds = Pattern.compile(KINDS);
		return floods.stream().filter((flood) -> kinds.matcher(flood.toString()).find()).map(List::of).toList();
	}

	private HonestClients.Result honest(FloodedServer server, Duration duration) throws Exception {
		try (HonestClients clients = new HonestClients(new JavaClient("p256.crt"), server.port())) {
			return clients.run(duration);
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenConnectionIsHeldThenItTakesLittleMemory(Engine engine) throws Exception {
		try (FloodedServer server = start(engine)) {
			report("| held | connections | heap KB | native KB |%n|---|---|---|---|%n");
			List<Burden> burdens = new ArrayList<>(List.of(Burden.idle()));
			if (!KINDS.isEmpty()) {
				burdens.addAll(Burden.all().stream().filter((burden) -> !burden.flood()).toList());
			}
			// What is loaded and allocated once
			for (Burden burden : burdens) {
				close(hold(server, burden));
			}
			SoftAssertions softly = new SoftAssertions();
			for (Burden burden : burdens) {
				long memory = Long.MAX_VALUE;
				// The rest of the JVM allocates and frees as well
				for (int i = 0; i < MEASUREMENTS && memory > mostMemory(engine); i++) {
					memory = Math.min(memory, memory(engine, server, burden));
				}
				softly.assertThat(memory).as("KB for %s", burden).isLessThanOrEqualTo(mostMemory(engine));
			}
			softly.assertAll();
		}
	}

	private static long memory(Engine engine, FloodedServer server, Burden burden) throws Exception {
		FloodedServer.Usage before = untilSettled(server);
		List<Socket> sockets = hold(server, burden);
		FloodedServer.Usage held = untilSettled(server);
		close(sockets);
		untilReleased(server, before);
		long heap = (held.heap() - before.heap()) / 1024 / HELD;
		long resident = (held.resident() - before.resident()) / 1024 / HELD;
		report("| %s, %s | %d | %d | %d |%n", engine, burden, held.connections(), heap, resident);
		return heap + resident;
	}

	private static long mostMemory(Engine engine) {
		return MOST_MEMORY + ((engine == Engine.JSSE) ? BUFFERS_OF_JSSE : 0);
	}

	// Until all that was sent has been read
	private static FloodedServer.Usage untilSettled(FloodedServer server) throws IOException, InterruptedException {
		FloodedServer.Usage previous;
		FloodedServer.Usage usage = server.usage();
		do {
			previous = usage;
			Thread.sleep(BRIEFLY.toMillis());
			usage = server.usage();
		}
		while (usage.connections() != previous.connections());
		return usage;
	}

	private static List<Socket> hold(FloodedServer server, Burden burden) throws IOException {
		List<Socket> held = new ArrayList<>();
		for (int i = 0; i < HELD; i++) {
			RawTlsClient client = burden.connect(server.port());
			client.send(burden.bytes().next(client));
			held.add(client.socket());
		}
		return held;
	}

	private static void close(List<Socket> sockets) throws IOException {
		for (Socket socket : sockets) {
			socket.close();
		}
	}

	private FloodedServer start(Engine engine) throws IOException, InterruptedException {
		List<String> properties = new ArrayList<>(engine.properties());
		for (String property : pem("p256")) {
			properties.add("server.ssl." + property);
		}
		properties.add("server.http2.enabled=true");
		properties.add("server.tomcat.connection-timeout=%ds".formatted(TIMEOUT.toSeconds()));
		properties.add("server.tomcat.keep-alive-timeout=%ds".formatted(TIMEOUT.toSeconds()));
		properties.add("server.tomcat.max-keep-alive-requests=-1");
		properties.add(THREADS.equals("virtual") ? "spring.threads.virtual.enabled=true"
				: "server.tomcat.threads.max=" + THREADS);
		return new FloodedServer(properties);
	}

	private static void report(String format, Object... arguments) throws IOException {
		String line = String.format(format, arguments);
		System.out.print(line);
		Files.writeString(REPORT, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
	}

}
