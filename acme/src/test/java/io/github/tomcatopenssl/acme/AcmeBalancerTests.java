// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;

import io.github.tomcatopenssl.ProxyProcess;
import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.FreePorts;
import io.github.tomcatopenssl.test.JavaClient;
import io.github.tomcatopenssl.test.PostgreSql;
import io.github.tomcatopenssl.test.Provided;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Three replicas behind a load balancer, which share a database. One after the other is
 * killed, or leaves and comes back, while clients connect: for 20 seconds, or
 * {@code -Dbalancer.seconds}. An hour lasts four seconds.
 */
@Tag("forked")
class AcmeBalancerTests extends AbstractAcmeTests {

	private static final Duration DURATION = Duration.ofSeconds(Long.getLong("balancer.seconds", 20));

	private static final String HOUR = "4s";

	/**
	 * For a machine that is busy, on which a start takes half a minute.
	 */
	private static final Duration PATIENCE = Duration.ofMinutes(3);

	/**
	 * Of a certificate, which is kept for a third of it.
	 */
	private static final Duration LIFETIME = Duration.ofSeconds(90);

	@TempDir(cleanup = CleanupMode.ON_SUCCESS)
	private Path files;

	private final List<Replica> replicas = new ArrayList<>();

	private final List<Span> kills = new ArrayList<>();

	private final List<Sighting> sightings = new ArrayList<>();

	private Duration mostBehind = Duration.ZERO;

	private final AtomicBoolean over = new AtomicBoolean();

	private @Nullable PostgreSql database;

	private @Nullable ProxyProcess balancer;

	private final int administration = FreePorts.next();

	private TrustManager[] trusted;

	@BeforeEach
	void startReplicas() throws Exception {
		Provided.haproxy();
		this.pebble.close();
		this.pebble = new Pebble(this.port, null, LIFETIME);
		this.trusted = trustManagers();
		PostgreSql database = new PostgreSql();
		this.database = database;
		for (int i = 0; i < 3; i++) {
			int port = FreePorts.next();
			List<String> properties = this.pebble.properties(port, this.folder,
					AcmeTests.with(true, "server.ssl.acme.directory=", "server.ssl.acme.domains=localhost",
							"server.ssl.acme.profile=shortlived", "test.hour=" + HOUR,
							"test.database=" + database.url(), "server.ssl.store=jdbc",
							"server.ssl.session-ticket-keys=shared",
							"spring.autoconfigure.exclude=" + AcmeAutoConfiguration.class.getName()));
			this.replicas.add(new Replica("replica" + i, port, properties));
		}
		this.balancer = startBalancer();
		for (Replica replica : this.replicas) {
			replica.start();
		}
		for (Replica replica : this.replicas) {
			replica.awaitStarted();
			await(() -> !Placeholder.is(certificate(replica.port)));
			see(certificate(replica.port), Instant.now());
		}
	}

	private ProxyProcess startBalancer() throws Exception {
		Path configuration = Files.writeString(this.files.resolve("haproxy.cfg"),
				"""
						global
						  stats socket ipv4@127.0.0.1:%d level admin
						defaults
						  mode tcp
						  timeout connect 5s
						  timeout client 30s
						  timeout server 30s
						  retries 5
						  option redispatch 1
						listen https
						  bind 127.0.0.1:%d
						  balance random
						  default-server check inter 100ms fall 1 rise 1
						""".formatted(this.administration, this.port) + this.replicas.stream()
					.map((replica) -> "  server %s 127.0.0.1:%d%n".formatted(replica.name, replica.port))
					.collect(Collectors.joining()));
		ProxyProcess process = ProxyProcess.start(this.files, "haproxy", "-db", "-f", configuration.toString());
		process.await(this.port);
		return process;
	}

	@AfterEach
	void stopReplicas() {
		this.over.set(true);
		this.replicas.forEach(Replica::close);
		if (this.balancer != null) {
			this.balancer.close();
		}
		if (this.database != null) {
			this.database.close();
		}
	}

	@Test
	void whenReplicasAreKilledThenNobodyElseNotices() throws Exception {
		List<Client> clients = Stream.of("TLSv1.2", "TLSv1.3")
			.flatMap((version) -> Stream.of(new Client(version, false), new Client(version, true),
					new Client(version, true)))
			.toList();
		ExecutorService threads = Executors.newFixedThreadPool(clients.size());
		List<Future<?>> running = clients.stream().<Future<?>>map(threads::submit).toList();
		threads.shutdown();
		Instant end = Instant.now().plus(DURATION);
		int departures = 0;
		for (int i = 0; i < 2 || Instant.now().isBefore(end); i++) {
			Thread.sleep(ThreadLocalRandom.current().nextInt(5000));
			Replica replica = this.replicas.get(ThreadLocalRandom.current().nextInt(this.replicas.size()));
			if (i % 2 == 0) {
				replica.kill();
			}
			else {
				replica.leave();
				departures++;
			}
		}
		await(() -> renewals() > 0);
		this.over.set(true);
		for (Future<?> client : running) {
			client.get();
		}
		List<Failure> failures = clients.stream().flatMap((client) -> client.failures.stream()).toList();
		List<Failure> cut = failures.stream()
			.filter((failure) -> this.kills.stream().anyMatch(failure.span::overlaps))
			.toList();
		System.out.printf(
				"%d connections, %d of them cut by %d kills; %d departures, %d renewals, at most %d ms behind%n",
				clients.stream().mapToInt((client) -> client.connections).sum(), cut.size(), this.kills.size(),
				departures, renewals(), this.mostBehind.toMillis());
		clients.stream().filter((client) -> client.resumes).forEach(System.out::println);
		assertThat(failures).filteredOn((failure) -> !cut.contains(failure)).isEmpty();
		assertThat(cut).hasSizeLessThanOrEqualTo(clients.size() * this.kills.size());
		assertThat(clients).filteredOn((client) -> client.resumes)
			.allSatisfy((client) -> assertThat(client.resumed).isGreaterThan(client.connections * 9 / 10));
		assertThat(this.mostBehind).isLessThan(LIFETIME.dividedBy(9));
		for (int i = 1; i < this.sightings.size(); i++) {
			assertThat(Duration.between(this.sightings.get(i - 1).at, this.sightings.get(i).at))
				.isGreaterThan(LIFETIME.dividedBy(4));
		}
	}

	private int renewals() {
		synchronized (this.sightings) {
			return this.sightings.size() - 1;
		}
	}

	private void see(X509Certificate certificate, Instant begin) throws Exception {
		synchronized (this.sightings) {
			if (this.sightings.stream().noneMatch((sighting) -> sighting.certificate.equals(certificate))) {
				this.sightings.add(new Sighting(certificate, Instant.now()));
				Instant past = Instant.now().minusSeconds(60);
				this.pebble.suggestRenewal(certificate, past, past.plusSeconds(30));
				return;
			}
			Sighting newest = this.sightings.get(this.sightings.size() - 1);
			Duration behind = Duration.between(newest.at, begin);
			if (!newest.certificate.equals(certificate) && behind.compareTo(this.mostBehind) > 0) {
				this.mostBehind = behind;
			}
		}
	}

	private String administer(String command) throws IOException {
		try (Socket socket = new Socket("127.0.0.1", this.administration)) {
			socket.getOutputStream().write((command + "\n").getBytes(StandardCharsets.US_ASCII));
			return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
		}
	}

	private static void await(Callable<Boolean> condition) {
		Awaitility.await().pollInterval(Duration.ofMillis(50)).atMost(PATIENCE).until(condition);
	}

	private record Span(Instant begin, Instant end) {

		boolean overlaps(Span other) {
			return !this.end.isBefore(other.begin) && !other.end.isBefore(this.begin);
		}

	}

	private record Failure(Span span, Throwable cause) {

	}

	private record Sighting(X509Certificate certificate, Instant at) {

	}

	private final class Client implements Callable<Void> {

		private final String version;

		private final boolean resumes;

		private final List<Failure> failures = new ArrayList<>();

		private int connections;

		private int resumed;

		Client(String version, boolean resumes) {
			this.version = version;
			this.resumes = resumes;
		}

		@Override
		public Void call() throws Exception {
			JavaClient client = create();
			while (!AcmeBalancerTests.this.over.get()) {
				connect(client);
				Thread.sleep(ThreadLocalRandom.current().nextInt(100));
				client = this.resumes ? client : create();
			}
			return null;
		}

		private JavaClient create() {
			return new JavaClient(new JavaClient.Managers(null, AcmeBalancerTests.this.trusted));
		}

		private void connect(JavaClient client) {
			this.connections++;
			Instant begin = Instant.now();
			try (SSLSocket socket = client.connect(AcmeBalancerTests.this.port)) {
				socket.setEnabledProtocols(new String[] { this.version });
				assertThat(JavaClient.get(socket, "/hello")).endsWith("hello");
				if (socket.getSession().getCreationTime() < begin.toEpochMilli()) {
					this.resumed++;
				}
				else {
					see((X509Certificate) socket.getSession().getPeerCertificates()[0], begin);
				}
			}
			catch (Throwable ex) {
				this.failures.add(new Failure(new Span(begin, Instant.now()), ex));
			}
		}

		@Override
		public String toString() {
			return "%s: %d of %d connections resumed".formatted(this.version, this.resumed, this.connections);
		}

	}

	private final class Replica {

		private final String name;

		private final int port;

		private final List<String> properties;

		private @Nullable Process process;

		Replica(String name, int port, List<String> properties) {
			this.name = name;
			this.port = port;
			this.properties = properties;
		}

		void start() throws IOException {
			List<String> arguments = new ArrayList<>(List.of(started().toString()));
			arguments.addAll(this.properties);
			Path log = AcmeBalancerTests.this.files.resolve(this.name + ".log");
			this.process = new ProcessBuilder(Commands.java(ReplicaApplication.class, List.of(), arguments))
				.redirectErrorStream(true)
				.redirectOutput(Redirect.appendTo(log.toFile()))
				.start();
		}

		private Path started() {
			return AcmeBalancerTests.this.files.resolve(this.name);
		}

		void awaitStarted() {
			await(() -> Files.exists(started()));
		}

		/**
		 * Be killed, and start again.
		 */
		void kill() throws Exception {
			Instant begin = Instant.now();
			this.process.destroyForcibly().waitFor();
			AcmeBalancerTests.this.kills.add(new Span(begin, Instant.now()));
			startAgain();
		}

		/**
		 * Leave the load balancer before the process ends, as in a rollout, and start
		 * again.
		 */
		void leave() throws Exception {
			administer("set server https/%s state drain".formatted(this.name));
			await(() -> connections() == 0);
			this.process.destroy();
			assertThat(this.process.waitFor(PATIENCE.toSeconds(), TimeUnit.SECONDS)).isTrue();
			startAgain();
			administer("set server https/%s state ready".formatted(this.name));
		}

		private int connections() throws IOException {
			return administer("show stat https 4 -1").lines()
				.filter((line) -> line.startsWith("https,%s,".formatted(this.name)))
				.mapToInt((line) -> Integer.parseInt(line.split(",")[4]))
				.sum();
		}

		private void startAgain() throws IOException {
			Files.delete(started());
			start();
			awaitStarted();
		}

		void close() {
			if (this.process != null) {
				this.process.destroyForcibly().onExit().join();
			}
		}

	}

}
