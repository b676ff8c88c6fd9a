// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.lang.management.BufferPoolMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Predicate;
import java.util.stream.Collectors;

import javax.management.JMException;
import javax.management.ObjectName;

import io.github.tomcatopenssl.test.Http;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TestServer.Engine;
import io.github.tomcatopenssl.test.tls.AbstractRawTlsTests;
import io.github.tomcatopenssl.test.tls.RawTlsClient;
import io.github.tomcatopenssl.test.tls.TlsBytes;
import io.github.tomcatopenssl.test.tls.TlsVersion;
import jakarta.servlet.ServletContext;
import jakarta.websocket.DeploymentException;
import jakarta.websocket.Endpoint;
import jakarta.websocket.EndpointConfig;
import jakarta.websocket.Session;
import jakarta.websocket.server.ServerContainer;
import jakarta.websocket.server.ServerEndpointConfig;
import org.apache.coyote.AbstractProtocol;
import org.apache.coyote.http11.AbstractHttp11Protocol;
import org.awaitility.Awaitility;
import org.awaitility.core.ConditionTimeoutException;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedClass;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import reactor.core.publisher.Flux;
import reactor.core.publisher.Mono;

import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication.Type;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.http.MediaType;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

/**
 * Tests that nothing stays behind of a connection, whichever way it ends: no object, no
 * entry of a map, no direct buffer, none of OpenSSL's memory, no thread, and no
 * connection that Tomcat counts. {@code -Dleftovers.rounds} says how often it ends in
 * each way.
 */
@Tag("alone")
@Tag("load")
@ParameterizedClass
@EnumSource(names = { "SERVLET", "REACTIVE" })
class LeftoverTests extends AbstractRawTlsTests {

	private static final int ROUNDS = Integer.getInteger("leftovers.rounds", 80);

	private static final int CLIENTS = 4;

	/**
	 * Number of the server's threads, each of which the JDK lends some direct buffers for
	 * good. With more on a busy machine than when it was counted, they look like
	 * leftovers.
	 */
	private static final int THREADS = 10;

	private static final int SERVERS = 5;

	/**
	 * How many connections are open when a server stops.
	 */
	private static final int OPEN = 40;

	/**
	 * What one server may keep of its connections, two buffers of each: Logback and
	 * Micrometer keep the application that stopped last, and with it the requests that it
	 * did not answer.
	 */
	private static final int ONE_SERVER = 2 * OPEN;

	private static final int GOOD_CLIENT_EACH = 50;

	/**
	 * Enough to load all classes, those of the good client too.
	 */
	private static final int WARM_UP = GOOD_CLIENT_EACH;

	/**
	 * Of what connections share, such as buffers for as many as were at work at the same
	 * time. What a connection leaves behind is as many as there are rounds.
	 */
	private static final int SHARED = Math.max(60, ROUNDS / 4);

	private static final String MAP_ENTRY = "java.util.concurrent.ConcurrentHashMap$Node";

	private static final List<String> COUNTED = List.of("io.github.tomcatopenssl.endpoint.",
			"org.apache.tomcat.util.net.", "org.apache.coyote.", "org.apache.tomcat.websocket.", MAP_ENTRY,
			"java.nio.DirectByteBuffer", "sun.nio.ch.SocketChannelImpl");

	LeftoverTests(WebApplicationType type) {
		super(type, LeftoverConfiguration.class, "unknown-server-name=reject",
				"unknown-server-name-allowed=127.0.0.1,::1", "server.tomcat.connection-timeout=1s",
				"server.tomcat.keep-alive-timeout=1s", "spring.mvc.async.request-timeout=100ms",
				"server.shutdown=immediate", "server.tomcat.threads.max=" + THREADS,
				"server.tomcat.threads.min-spare=" + THREADS);
	}

	@BeforeEach
	void startVerifyingServers() {
		for (Engine engine : Engine.values()) {
			verifyingServer(engine);
		}
	}

	private TestServer verifyingServer(Engine engine) {
		return shared("verifying " + engine,
				() -> start(engine, with(pem("p256"), "client-auth=need", "ca-certificate-file=" + file("ca.crt"))));
	}

	@ParameterizedTest
	@EnumSource
	void whenConnectionsEndThenNothingStaysBehind(Engine engine) throws Exception {
		List<ConnectionEnd> ends = (type() == WebApplicationType.SERVLET) ? ConnectionEnd.all()
				: ConnectionEnd.ofRequests();
		for (ConnectionEnd end : ends) {
			run(engine, end, WARM_UP);
		}
		State before = settled(engine, (now) -> true);
		for (ConnectionEnd end : ends) {
			run(engine, end, ROUNDS);
		}
		State after = settled(engine, (now) -> now.moreThan(before, SHARED).isEmpty());
		List<String> found = after.moreThan(before, SHARED);
		if (!found.isEmpty()) {
			fail("%s stay behind of %d connections of each kind. One by one: %s", found, ROUNDS,
					oneByOne(engine, ends));
		}
	}

	private Map<String, List<String>> oneByOne(Engine engine, List<ConnectionEnd> ends) throws Exception {
		Map<String, List<String>> found = new TreeMap<>();
		for (ConnectionEnd end : ends) {
			State before = settled(engine, (now) -> true);
			run(engine, end, ROUNDS);
			State after = settled(engine, (now) -> now.moreThan(before, SHARED).isEmpty());
			found.put(end.name(), after.moreThan(before, SHARED));
		}
		found.values().removeIf(List::isEmpty);
		return found;
	}

	@ParameterizedTest
	@EnumSource
	void whenServersStopThenNothingStaysBehind(Engine engine) throws Exception {
		stopWithOpenConnections(engine);
		State before = settled(engine, (now) -> true);
		for (int i = 0; i < SERVERS; i++) {
			stopWithOpenConnections(engine);
		}
		assertThat(keptOfServers(before, settled(engine, (now) -> keptOfServers(before, now).isEmpty()))).isEmpty();
	}

	// An application leaves entries in maps of Spring's
	private static List<String> keptOfServers(State before, State now) {
		return now.moreThan(before, ONE_SERVER).stream().filter((more) -> !more.endsWith(MAP_ENTRY)).toList();
	}

	// In a handshake, idle, in a request, and in a response
	private void stopWithOpenConnections(Engine engine) throws IOException {
		List<RawTlsClient> clients = new ArrayList<>();
		try (TestServer server = start(LeftoverConfiguration.class, engine,
				with(pem("p256"), "server.shutdown=immediate"))) {
			for (int i = 0; i < OPEN; i++) {
				RawTlsClient client = TlsVersion.TLS_1_3.connect(server.port(), Http.HTTP_1_1);
				clients.add(client);
				if (i % 4 == 0) {
					client.send(client.hello().record());
				}
				else {
					client.completeHandshake();
					client.send((i % 4 == 1) ? client.request()
							: client.seal(TlsBytes.APPLICATION_DATA,
									Http.ascii("GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n"
										.formatted((i % 4 == 2) ? "/never" : "/large"))));
				}
			}
		}
		for (RawTlsClient client : clients) {
			client.close();
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenContextsAreMadeAnewMeanwhileThenNothingStaysBehind(Engine engine) throws Exception {
		ConnectionEnd end = ConnectionEnd.all()
			.stream()
			.filter((any) -> any.name().startsWith("a reset after an answer"))
			.findFirst()
			.orElseThrow();
		runWithReloads(engine, end, WARM_UP);
		State before = settled(engine, (now) -> true);
		runWithReloads(engine, end, ROUNDS);
		State after = settled(engine, (now) -> now.moreThan(before, SHARED).isEmpty());
		assertThat(after.moreThan(before, SHARED)).isEmpty();
	}

	private void runWithReloads(Engine engine, ConnectionEnd end, int rounds) throws Exception {
		var protocol = (AbstractHttp11Protocol<?>) server(engine).connectors().get(0).getProtocolHandler();
		ScheduledExecutorService reloads = Executors.newSingleThreadScheduledExecutor();
		try {
			ScheduledFuture<?> reload = reloads.scheduleWithFixedDelay(protocol::reloadSslHostConfigs, 0, 10,
					TimeUnit.MILLISECONDS);
			run(engine, end, rounds);
			// A reload that fails ends the others
			assertThat(reload.isDone()).isFalse();
		}
		finally {
			reloads.shutdown();
			assertThat(reloads.awaitTermination(10, TimeUnit.SECONDS)).isTrue();
		}
	}

	private void run(Engine engine, ConnectionEnd end, int rounds) throws Exception {
		ExecutorService threads = Executors.newFixedThreadPool(CLIENTS);
		try {
			AtomicInteger left = new AtomicInteger(rounds);
			List<Callable<Void>> clients = new ArrayList<>();
			// Those that wait together are as many in each run
			for (int i = 0; i < ((end.connections() > 1) ? 1 : CLIENTS); i++) {
				clients.add(() -> {
					int now = left.getAndAdd(-end.connections());
					while (now > 0) {
						end.run(end.verifiesClients() ? verifyingServer(engine).port() : port(engine));
						if (now % GOOD_CLIENT_EACH == 0) {
							assertServes(engine);
						}
						now = left.getAndAdd(-end.connections());
					}
					return null;
				});
			}
			for (Future<Void> client : threads.invokeAll(clients)) {
				client.get();
			}
		}
		catch (Exception ex) {
			throw new IllegalStateException(end.name(), ex);
		}
		finally {
			threads.shutdown();
		}
	}

	// Some threads of Tomcat's WebSockets end a second later
	private State settled(Engine engine, Predicate<State> expected) throws Exception {
		for (TestServer server : List.of(server(engine), verifyingServer(engine))) {
			var protocol = (AbstractProtocol<?>) server.connectors().get(0).getProtocolHandler();
			// Tomcat's own count has the one that is waited for
			Awaitility.await()
				.pollDelay(Duration.ZERO)
				.atMost(Duration.ofSeconds(20))
				.until(() -> protocol.getConnectionCount() <= 1);
		}
		AtomicReference<State> state = new AtomicReference<>();
		try {
			Awaitility.await().pollDelay(Duration.ZERO).atMost(Duration.ofSeconds(20)).until(() -> {
				state.set(State.now());
				return expected.test(state.get());
			});
		}
		catch (ConditionTimeoutException ex) {
			// They are reported
		}
		return state.get();
	}

	private static long directMemory() {
		return ManagementFactory.getPlatformMXBeans(BufferPoolMXBean.class)
			.stream()
			.filter((pool) -> pool.getName().equals("direct"))
			.mapToLong(BufferPoolMXBean::getMemoryUsed)
			.sum();
	}

	private static Map<String, Long> objects() throws JMException {
		String histogram = (String) ManagementFactory.getPlatformMBeanServer()
			.invoke(new ObjectName("com.sun.management:type=DiagnosticCommand"), "gcClassHistogram",
					new Object[] { new String[0] }, new String[] { String[].class.getName() });
		return histogram.lines()
			.map((line) -> line.trim().split("\\s+"))
			.filter((columns) -> columns.length >= 4 && COUNTED.stream().anyMatch(columns[3]::startsWith))
			.collect(Collectors.toMap((columns) -> columns[3], (columns) -> Long.valueOf(columns[1]), Long::sum));
	}

	/**
	 * What there is.
	 *
	 * @param direct the bytes of direct memory, before the garbage is collected: what
	 * engines have is freed with them
	 * @param objects how many objects there are of some classes, garbage apart
	 * @param threads how many threads
	 */
	private record State(long direct, Map<String, Long> objects, int threads) {

		static State now() throws JMException {
			return new State(directMemory(), LeftoverTests.objects(), Thread.activeCount());
		}

		List<String> moreThan(State before, int shared) {
			List<String> more = new ArrayList<>();
			this.objects.forEach((name, count) -> {
				long grown = count - before.objects.getOrDefault(name, 0L);
				if (grown > shared) {
					more.add("%d of %s".formatted(grown, name));
				}
			});
			if (this.direct - before.direct > 2_000_000) {
				more.add("%d bytes of direct memory".formatted(this.direct - before.direct));
			}
			if (this.threads - before.threads > shared) {
				more.add("%d threads".formatted(this.threads - before.threads));
			}
			return more;
		}

	}

	@Configuration(proxyBeanMethods = false)
	@Import(WebSocketConfiguration.class)
	static class LeftoverConfiguration {

		@Bean
		AnswersController answersController() {
			return new AnswersController();
		}

	}

	@Configuration(proxyBeanMethods = false)
	@ConditionalOnWebApplication(type = Type.SERVLET)
	static class WebSocketConfiguration {

		@Bean
		SmartInitializingSingleton echoEndpoint(ServletContext context) {
			ServerContainer container = (ServerContainer) context.getAttribute(ServerContainer.class.getName());
			return () -> {
				try {
					container
						.addEndpoint(ServerEndpointConfig.Builder.create(SilentEndpoint.class, "/messages").build());
				}
				catch (DeploymentException ex) {
					throw new IllegalStateException(ex);
				}
			};
		}

	}

	/**
	 * An endpoint that says nothing.
	 */
	public static class SilentEndpoint extends Endpoint {

		@Override
		public void onOpen(Session session, EndpointConfig config) {
		}

	}

	@RestController
	static class AnswersController {

		@GetMapping("/large")
		byte[] large() {
			byte[] content = new byte[4_000_000];
			Arrays.fill(content, (byte) 'x');
			return content;
		}

		@GetMapping("/slow")
		Mono<String> slow() {
			return Mono.delay(Duration.ofMillis(50)).map(String::valueOf);
		}

		@GetMapping("/never")
		Mono<String> never() {
			return Mono.never();
		}

		@GetMapping(path = "/events", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
		Flux<String> events() {
			return Flux.interval(Duration.ofMillis(2)).map(String::valueOf).onBackpressureDrop();
		}

	}

}
