// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;

import io.github.tomcatopenssl.test.PostgreSql;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * A day of two replicas that share a folder, or a database, one of which is a process of
 * its own. An hour lasts two seconds, or longer on a machine that is busy, and
 * certificates are valid for 18 hours.
 */
@Tag("forked")
class AcmeDayTests {

	private static final Duration SHORTEST_HOUR = Duration.ofSeconds(2);

	private static final Duration PATIENCE = Duration.ofSeconds(60);

	private static final List<String> BEFORE = List.of("localhost");

	private static final List<String> AFTER = List.of("localhost", "www.example.com");

	@TempDir(cleanup = CleanupMode.ON_SUCCESS)
	private Path folder;

	private Duration hour = SHORTEST_HOUR;

	private ControlledCa ca;

	private @Nullable PostgreSql database;

	/**
	 * The ports to which the load balancer passes requests. It removes one before the
	 * server is stopped.
	 */
	private final List<Integer> rotation = new ArrayList<>();

	private final List<Process> processes = new ArrayList<>();

	private final List<AcmeApplication> servers = new ArrayList<>();

	/**
	 * The certificate that the CA suggests to renew.
	 */
	private volatile @Nullable X509Certificate due;

	private final AtomicInteger answers = new AtomicInteger();

	@BeforeEach
	void startCa() throws Exception {
		this.ca = new ControlledCa(this.folder.resolve("ca"));
		this.ca.verification = this::isVerified;
		this.hour = hour();
		this.ca.backdated = this.hour;
		this.ca.lifetime = this.hour.multipliedBy(18);
		this.ca.renewal = (certificate) -> certificate.equals(this.due) ? Instant.EPOCH
				: Instant.now().plusSeconds(3600);
	}

	// From how long a server needs to start on this machine
	private Duration hour() throws Exception {
		this.ca.state = ControlledCa.State.UNAVAILABLE;
		Instant begin = Instant.now();
		startProcess(BEFORE);
		Duration hour = Duration.between(begin, Instant.now()).dividedBy(2);
		this.processes.get(0).destroyForcibly().waitFor();
		this.ca.state = ControlledCa.State.UP;
		return (hour.compareTo(SHORTEST_HOUR) < 0) ? SHORTEST_HOUR : hour.truncatedTo(ChronoUnit.SECONDS);
	}

	@AfterEach
	void stop() {
		this.processes.forEach((process) -> process.destroyForcibly().onExit().join());
		this.servers.forEach(AcmeApplication::close);
		this.ca.close();
		if (this.database != null) {
			this.database.close();
		}
	}

	@ParameterizedTest
	@ValueSource(strings = { "folder", "database" })
	void whenADayIsBadThenEachRequestIsServedAndOrdersAreFew(String store) throws Exception {
		if (store.equals("database")) {
			this.database = new PostgreSql();
		}
		Instant begin = Instant.now();
		AcmeApplication server = startServer(BEFORE);
		int other = startProcess(BEFORE);
		awaitIssued(1, server.port(), other);
		AtomicBoolean over = new AtomicBoolean();
		// The common pool may have a single thread
		Executor threads = (task) -> new Thread(task).start();
		CompletableFuture<Void> load = CompletableFuture.runAsync(() -> request(over), threads);
		add(server.port());
		add(other);
		Callable<AcmeApplication> day = () -> day(server, other, begin);
		CompletableFuture<AcmeApplication> life = CompletableFuture.supplyAsync(() -> call(day), threads);
		CompletableFuture.anyOf(load, life).get(6, TimeUnit.MINUTES);
		over.set(true);
		assertThat(load).succeedsWithin(PATIENCE);
		assertThat(life).succeedsWithin(PATIENCE);
		assertThat(this.answers).hasValueGreaterThan(200);
		// None in vain but the one that the limit has refused
		assertThat(this.ca.orderRequests).hasValue(this.ca.issued.size() + 1);
		Duration floor = this.ca.lifetime.dividedBy(3).minus(this.ca.backdated);
		for (int i = 1; i < this.ca.issued.size(); i++) {
			ControlledCa.Issued previous = this.ca.issued.get(i - 1);
			ControlledCa.Issued next = this.ca.issued.get(i);
			if (previous.domains().equals(next.domains())) {
				// Certificates have no parts of seconds
				assertThat(Duration.between(previous.at(), next.at())).isGreaterThan(floor.minusSeconds(1));
			}
		}
	}

	private AcmeApplication day(AcmeApplication first, int firstOther, Instant begin) throws Exception {
		// The clock of a replica is a day ahead, and right again
		ReplicaApplication.MachineClock clock = first.bean(ReplicaApplication.MachineClock.class);
		for (Duration ahead : List.of(Duration.ofDays(1), Duration.ofDays(-1), Duration.ZERO)) {
			clock.ahead = ahead;
			AcmeCertificates.Status before = status(first);
			again(first);
			await(() -> status(first) != before);
			assertThat(status(first).problem()).isNull();
			assertThat(this.ca.issued).hasSize(1);
		}

		// A rollout of another domain, which the old replica helps to verify, while the
		// CA
		// does not respond
		remove(first.port());
		first.close();
		this.ca.state = ControlledCa.State.UNAVAILABLE;
		AcmeApplication server = startServer(AFTER);
		add(server.port());
		await(() -> status(server).problem() != null);
		this.ca.state = ControlledCa.State.UP;
		awaitIssued(2, server.port());

		// A replica is killed while the CA verifies its order, which the other continues
		int second = restartProcess(firstOther);
		assertThat(connect(second, null)).isEqualTo(lastIssued());
		server.bean(AcmeRenewal.class).stop();
		Process killed = this.processes.get(this.processes.size() - 1);
		this.ca.verification = (name) -> {
			remove(second);
			killed.destroyForcibly();
			return isVerified(name);
		};
		this.due = lastIssued();
		await(() -> !killed.isAlive());
		this.ca.verification = this::isVerified;
		server.bean(AcmeRenewal.class).start();
		awaitIssued(3, server.port());
		int third = startProcess(AFTER);
		add(third);

		// The CA limits orders, also for a replica that is started again
		this.ca.retryAfter = "3";
		this.ca.state = ControlledCa.State.RATE_LIMITED;
		int before = this.ca.orderRequests.get();
		this.due = lastIssued();
		await(() -> this.ca.orderRequests.get() > before);
		Instant limited = Instant.now();
		this.ca.state = ControlledCa.State.UP;
		remove(server.port());
		server.close();
		AcmeApplication last = startServer(AFTER);
		add(last.port());
		awaitIssued(4, last.port(), third);
		assertThat(this.ca.issued.get(3).at()).isAfter(limited.plusSeconds(2));

		// The CA fails when the renewal is due
		this.ca.state = ControlledCa.State.INTERNAL_ERROR;
		this.due = lastIssued();
		await(() -> status(last).problem() != null);
		this.ca.state = ControlledCa.State.UP;
		awaitIssued(5, last.port(), third);
		await(() -> Instant.now().isAfter(begin.plus(this.hour.multipliedBy(24))));
		return last;
	}

	private static <T> T call(Callable<T> work) {
		try {
			return work.call();
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static void await(Callable<Boolean> condition) {
		Awaitility.await().ignoreExceptions().pollInterval(Duration.ofMillis(20)).atMost(PATIENCE).until(condition);
	}

	private void awaitIssued(int count, int... ports) {
		await(() -> this.ca.issued.size() >= count);
		for (int port : ports) {
			await(() -> connect(port, null).equals(lastIssued()));
		}
		assertThat(this.ca.issued).hasSize(count);
	}

	private X509Certificate lastIssued() {
		return this.ca.issued.get(this.ca.issued.size() - 1).certificate();
	}

	private static AcmeCertificates.Status status(AcmeApplication server) {
		return server.bean(AcmeCertificateSource.class).certificates().status();
	}

	// As after a while
	private static void again(AcmeApplication server) {
		AcmeRenewal renewal = server.bean(AcmeRenewal.class);
		renewal.stop();
		renewal.start();
	}

	private List<String> properties(List<String> domains) {
		List<String> properties = new ArrayList<>(this.ca.properties(this.folder.resolve("store")));
		properties.add("server.ssl.acme.domains=" + String.join(",", domains));
		properties.add("server.ssl.openssl.mode=never");
		properties.add("test.hour=" + this.hour);
		if (this.database != null) {
			properties.removeIf((property) -> property.startsWith("server.ssl.acme.directory="));
			properties.add("test.database=" + this.database.url());
		}
		properties.add("spring.autoconfigure.exclude=" + AcmeAutoConfiguration.class.getName());
		return properties;
	}

	private AcmeApplication startServer(List<String> domains) {
		AcmeApplication server = ReplicaApplication.start(properties(domains));
		this.servers.add(server);
		return server;
	}

	private int startProcess(List<String> domains) throws IOException {
		Path port = this.folder.resolve("port" + this.processes.size());
		List<String> command = new ArrayList<>(
				List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-XX:TieredStopAtLevel=1",
						"-XX:+UseSerialGC", "-Djava.io.tmpdir=" + this.folder, "-cp",
						System.getProperty("java.class.path"), ReplicaApplication.class.getName(), port.toString()));
		command.addAll(properties(domains));
		this.processes.add(new ProcessBuilder(command).redirectErrorStream(true)
			.redirectOutput(this.folder.resolve(port.getFileName() + ".log").toFile())
			.start());
		await(() -> Files.exists(port));
		return Integer.parseInt(Files.readString(port));
	}

	private int restartProcess(int port) throws Exception {
		remove(port);
		this.processes.get(this.processes.size() - 1).destroyForcibly().waitFor();
		int next = startProcess(AFTER);
		add(next);
		return next;
	}

	private void add(int port) {
		synchronized (this.rotation) {
			this.rotation.add(port);
		}
	}

	private void remove(int port) {
		synchronized (this.rotation) {
			this.rotation.remove(Integer.valueOf(port));
		}
	}

	// Any replica may be asked
	private boolean isVerified(String name) {
		synchronized (this.rotation) {
			return this.rotation.stream().allMatch((port) -> ControlledCa.isVerified(name, port));
		}
	}

	private void request(AtomicBoolean over) {
		while (!over.get()) {
			synchronized (this.rotation) {
				for (int port : this.rotation) {
					connect(port, "/hello");
					this.answers.incrementAndGet();
				}
			}
			call(() -> {
				Thread.sleep(20);
				return null;
			});
		}
	}

	// A new connection each time, which trusts the CA and nothing else
	private X509Certificate connect(int port, @Nullable String path) {
		SSLContext context = this.ca.trust();
		try (SSLSocket socket = (SSLSocket) context.getSocketFactory()
			.createSocket(new Socket("localhost", port), "localhost", port, true)) {
			SSLParameters parameters = socket.getSSLParameters();
			parameters.setEndpointIdentificationAlgorithm("HTTPS");
			socket.setSSLParameters(parameters);
			socket.setSoTimeout((int) PATIENCE.toMillis());
			socket.startHandshake();
			if (path != null) {
				socket.getOutputStream()
					.write("GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".formatted(path)
						.getBytes());
				assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
					.contains("hello");
			}
			return (X509Certificate) socket.getSession().getPeerCertificates()[0];
		}
		catch (IOException ex) {
			throw new IllegalStateException("%d: %s".formatted(port, ex), ex);
		}
	}

}
