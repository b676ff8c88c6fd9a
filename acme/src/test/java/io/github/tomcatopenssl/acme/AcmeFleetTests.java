// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.IOException;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.sql.SQLException;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

import io.github.tomcatopenssl.internal.store.JdbcStore;
import io.github.tomcatopenssl.internal.store.StoreSchedule;
import io.github.tomcatopenssl.test.PostgreSql;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for replicas that share a database: what they do to {@link AcmeClient orders} and
 * {@link AcmeLimits limits} when one dies or loses its database at any moment, and when
 * there are a hundred.
 */
@Tag("servers")
class AcmeFleetTests {

	/**
	 * More than the transactions of a replica until it has a certificate.
	 */
	private static final int STEPS = 48;

	private static final int AT_ONCE = 8;

	private static final String DOMAIN = "localhost";

	@TempDir
	private Path folder;

	private ControlledCa ca;

	private PostgreSql database;

	@BeforeEach
	void start() throws Exception {
		this.ca = new ControlledCa(this.folder.resolve("ca"));
		this.ca.verifiedBefore = true;
		this.database = new PostgreSql();
	}

	@AfterEach
	void stop() {
		this.ca.close();
		if (this.database != null) {
			this.database.close();
		}
	}

	@Test
	void whenAReplicaDiesOrLosesItsDatabaseAtAnyMomentThenThereIsOneCertificate() throws Exception {
		List<Callable<Boolean>> all = new ArrayList<>();
		for (int step = 0; step < STEPS; step++) {
			int transactions = step;
			all.add(() -> isInterruptedAfter(transactions, transactions % 2 == 1));
		}
		List<Boolean> interrupted = inParallel(AT_ONCE, all);
		assertThat(interrupted).startsWith(true, true);
		assertThat(this.ca.issued).hasSize(STEPS);
		// Only one whose address could not be written any more is made again
		assertThat(this.ca.ordered)
			.allSatisfy((names) -> assertThat(Collections.frequency(this.ca.ordered, names)).isLessThanOrEqualTo(2));
	}

	// The clock of one that goes on is an hour ahead
	private boolean isInterruptedAfter(int transactions, boolean goesOn) throws Exception {
		String name = (goesOn ? "cut" : "killed") + transactions;
		String url = Replica.createSchema(this.database.url(), name);
		String domain = name + ".test";
		ReplicaApplication.MachineClock clock = new ReplicaApplication.MachineClock();
		clock.ahead = goesOn ? Duration.ofHours(1) : Duration.ZERO;
		boolean interrupted;
		try (Connections line = new Connections(url, transactions)) {
			JdbcStore store = null;
			Replica replica = null;
			try {
				store = Replica.open(line, Replica.STORE);
				replica = new Replica(this.ca, store, domain, clock, Replica.SCHEDULE);
				replica.start();
				AcmeCertificates.Status none = replica.status();
				Replica started = replica;
				Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> !started.status().equals(none));
			}
			catch (IOException ex) {
				assertThat(line.isCut()).isTrue();
				replica = null;
			}
			interrupted = line.isCut();
			if (replica != null && !goesOn) {
				replica.close();
			}
			if (store != null && !goesOn) {
				store.close();
			}
			X509Certificate issued = awaitOnlyCertificate(url, domain);
			if (goesOn && replica != null) {
				line.mend();
				replica.awaitSuccess();
				assertThat(onlyIssued(domain)).isEqualTo(issued);
				replica.close();
			}
			if (goesOn && store != null) {
				store.close();
			}
		}
		return interrupted;
	}

	private X509Certificate awaitOnlyCertificate(String url, String domain) throws Exception {
		try (Connections line = new Connections(url, Integer.MAX_VALUE);
				JdbcStore store = Replica.open(line, Replica.STORE);
				Replica successor = new Replica(this.ca, store, domain, Clock.systemUTC(), Replica.SCHEDULE)) {
			successor.start();
			successor.awaitSuccess();
			X509Certificate issued = onlyIssued(domain);
			Awaitility.await().until(() -> successor.served().equals(issued));
			return issued;
		}
	}

	private X509Certificate onlyIssued(String domain) {
		List<ControlledCa.Issued> issued = this.ca.issued.stream()
			.filter((any) -> any.domains().equals(Set.of(domain)))
			.toList();
		assertThat(issued).as(domain).hasSize(1);
		return issued.get(0).certificate();
	}

	@Test
	void whenManyReplicasStartTogetherThenThereIsOneAccountAndOneOrder() throws Exception {
		try (Fleet fleet = new Fleet(10, new StoreSchedule(StoreSchedule.DEFAULT.lease(), Replica.STORE.refresh()),
				Replica.SCHEDULE)) {
			fleet.start();
			assertThat(fleet.connections()).isLessThanOrEqualTo(3);
		}
	}

	/**
	 * Prints how much a hundred replicas ask the database in two minutes, or
	 * {@code -Dfleet.minutes}.
	 */
	@Test
	@Tag("load")
	void whenThereAreAHundredReplicasThenEachHasOneConnection() throws Exception {
		int minutes = Integer.getInteger("fleet.minutes", 2);
		try (Fleet fleet = new Fleet(100, StoreSchedule.DEFAULT, AcmeSchedule.DEFAULT)) {
			long begin = System.nanoTime();
			fleet.start();
			System.out.printf("After %d seconds, all serve it: %s%n",
					TimeUnit.NANOSECONDS.toSeconds(System.nanoTime() - begin), fleet.statistics());
			Thread.sleep(Duration.ofMinutes(1).toMillis());
			fleet.reset();
			Thread.sleep(Duration.ofMinutes(minutes).toMillis());
			System.out.printf("In %d minutes: %s, connections at the same time for a replica: %d%n%s%n", minutes,
					fleet.statistics(), fleet.connections(), fleet.statements());
			assertThat(fleet.connections()).isEqualTo(1);
		}
	}

	private static <T> List<T> inParallel(int threads, List<Callable<T>> work) throws Exception {
		ExecutorService executor = Executors.newFixedThreadPool(threads);
		try {
			List<T> results = new ArrayList<>();
			for (Future<T> result : executor.invokeAll(work)) {
				results.add(result.get());
			}
			return results;
		}
		finally {
			executor.shutdownNow();
		}
	}

	/**
	 * Replicas that start together.
	 */
	private final class Fleet implements AutoCloseable {

		private final int size;

		private final List<Connections> lines = new ArrayList<>();

		private final List<JdbcStore> stores = new ArrayList<>();

		private final List<Replica> replicas = new ArrayList<>();

		private final JdbcClient client;

		private final StoreSchedule storeSchedule;

		private final AcmeSchedule schedule;

		private final String url;

		Fleet(int size, StoreSchedule storeSchedule, AcmeSchedule schedule) throws Exception {
			this.size = size;
			this.storeSchedule = storeSchedule;
			this.schedule = schedule;
			this.client = JdbcClient.create(new DriverManagerDataSource(AcmeFleetTests.this.database.url()));
			this.client.sql("alter system set max_connections = 500").update();
			this.client.sql("alter system set shared_preload_libraries = 'pg_stat_statements'").update();
			AcmeFleetTests.this.database.stop();
			AcmeFleetTests.this.database.start();
			this.client.sql("create extension pg_stat_statements").update();
			this.url = Replica.createSchema(AcmeFleetTests.this.database.url(), "fleet");
			reset();
			// Any of them may be asked
			AcmeFleetTests.this.ca.verifiedBefore = false;
			AcmeFleetTests.this.ca.verification = (name) -> {
				int any = ThreadLocalRandom.current().nextInt(this.replicas.size());
				try {
					return this.replicas.get(any).store().openChallenge(name) != null;
				}
				catch (IOException ex) {
					return false;
				}
			};
		}

		void start() throws Exception {
			List<Callable<@Nullable Void>> starts = new ArrayList<>();
			for (int i = 0; i < this.size; i++) {
				starts.add(() -> {
					Connections line = new Connections(this.url, Integer.MAX_VALUE);
					JdbcStore store = Replica.open(line, this.storeSchedule);
					Replica replica = new Replica(AcmeFleetTests.this.ca, store, DOMAIN, Clock.systemUTC(),
							this.schedule);
					synchronized (this) {
						this.lines.add(line);
						this.stores.add(store);
						this.replicas.add(replica);
					}
					replica.start();
					return null;
				});
			}
			inParallel(this.size, starts);
			this.replicas.forEach(Replica::awaitSuccess);
			X509Certificate issued = onlyIssued(DOMAIN);
			for (Replica replica : this.replicas) {
				Awaitility.await().atMost(Duration.ofSeconds(60)).until(() -> replica.served().equals(issued));
			}
			assertThat(AcmeFleetTests.this.ca.ordered).hasSize(1);
			assertThat(AcmeFleetTests.this.ca.accountKeys).hasSize(1);
		}

		int connections() {
			return this.lines.stream().mapToInt((line) -> line.most.get()).max().orElseThrow();
		}

		void reset() {
			this.client.sql("select pg_stat_statements_reset()").query().singleRow();
		}

		Map<String, Object> statistics() {
			return this.client.sql(
					"select sum(calls) filter (where query ~ 'tomcat_openssl') as of_store, sum(calls) as statements, round(sum(total_exec_time)) as milliseconds from pg_stat_statements")
				.query()
				.singleRow();
		}

		List<Map<String, Object>> statements() {
			return this.client.sql("select calls, query from pg_stat_statements order by calls desc limit 10")
				.query()
				.listOfRows();
		}

		@Override
		public void close() throws SQLException {
			this.replicas.forEach(Replica::close);
			this.stores.forEach(JdbcStore::close);
			for (Connections line : this.lines) {
				line.close();
			}
		}

	}

}
