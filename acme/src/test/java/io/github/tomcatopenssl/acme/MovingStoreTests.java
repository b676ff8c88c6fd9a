// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import io.github.tomcatopenssl.internal.store.FolderStore;
import io.github.tomcatopenssl.internal.store.JdbcStore;
import io.github.tomcatopenssl.internal.store.SharedStore;
import io.github.tomcatopenssl.test.PostgreSql;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link MovingStore}: replicas before, during and after the move.
 */
@Tag("servers")
class MovingStoreTests {

	private static final String DOMAIN = "localhost";

	private static PostgreSql server;

	private static int schemas;

	@TempDir
	private Path folder;

	private final ReplicaApplication.MachineClock clock = new ReplicaApplication.MachineClock();

	private ControlledCa ca;

	private Connections connections;

	private JdbcStore database;

	private FolderStore former;

	private MovingStore moving;

	@BeforeAll
	static void startDatabase() throws Exception {
		server = new PostgreSql();
	}

	@AfterAll
	static void stopDatabase() {
		if (server != null) {
			server.close();
		}
	}

	@BeforeEach
	void start() throws Exception {
		this.ca = new ControlledCa(this.folder.resolve("ca"));
		this.ca.verifiedBefore = true;
		schemas++;
		this.connections = new Connections(Replica.createSchema(server.url(), "move" + schemas), Integer.MAX_VALUE);
		this.database = Replica.open(this.connections, Replica.STORE);
		this.former = new FolderStore(this.folder.resolve("store"));
		this.moving = new MovingStore(this.database, this.former);
	}

	@AfterEach
	void stop() throws Exception {
		this.ca.close();
		if (this.database != null) {
			this.database.close();
			this.connections.close();
		}
	}

	@Test
	void whenReplicasMoveOneAfterTheOtherThenEachCertificateIsOrderedOnce() throws Exception {
		attempt(this.former);
		assertThat(this.moving.move()).isEqualTo(3);
		assertThat(this.moving.move()).isZero();
		attempt(this.moving);
		assertThat(this.ca.issued).hasSize(1);
		// The first one to renew it is one that moves, and then one of before
		pass(Duration.ofDays(80));
		attempt(this.moving);
		attempt(this.former);
		assertThat(this.ca.issued).hasSize(2);
		pass(Duration.ofDays(80));
		attempt(this.former);
		attempt(this.moving);
		attempt(this.database);
		assertThat(this.ca.issued).hasSize(3);
		// And then one of afterwards
		pass(Duration.ofDays(80));
		attempt(this.database);
		attempt(this.moving);
		assertThat(this.ca.issued).hasSize(4);
		assertThat(this.ca.ordered).hasSize(4);
		assertThat(this.ca.accountKeys).hasSize(1);
	}

	private void pass(Duration time) {
		this.ca.ahead = this.ca.ahead.plus(time);
		this.clock.ahead = this.ca.ahead;
	}

	private Replica replica(SharedStore shared) {
		return new Replica(this.ca, shared, DOMAIN, this.clock, Replica.SCHEDULE);
	}

	private void attempt(SharedStore shared) throws IOException {
		try (Replica replica = replica(shared)) {
			replica.start();
			replica.awaitSuccess();
			int last = this.ca.issued.size() - 1;
			Awaitility.await().until(() -> replica.served().equals(this.ca.issued.get(last).certificate()));
		}
	}

	private AcmeStore store(SharedStore shared) throws IOException {
		AcmeStore store = new AcmeStore(shared, this.ca.directoryUrl(), List.of(DOMAIN));
		store.create();
		return store;
	}

	@Test
	void whenAReplicaOfBeforeOrdersThenNobodyElseDoes() throws Exception {
		for (List<SharedStore> two : List.of(List.<SharedStore>of(this.former, this.moving),
				List.<SharedStore>of(this.moving, this.former), List.<SharedStore>of(this.database, this.moving),
				List.<SharedStore>of(this.moving, this.database))) {
			AcmeStore first = store(two.get(0));
			AcmeStore second = store(two.get(1));
			try (Closeable lock = first.tryLock()) {
				assertThat(lock).isNotNull();
				assertThat(second.tryLock()).isNull();
				first.exclusively(() -> {
					first.write(first.account(), "account");
					return true;
				});
			}
			try (Closeable lock = second.tryLock()) {
				assertThat(lock).isNotNull();
				assertThat(second.read(second.account())).isEqualTo("account");
			}
		}
	}

	@Test
	void whenAReplicaOpensAChallengeThenAllAnswerIt() throws Exception {
		AcmeStore before = store(this.former);
		AcmeStore during = store(this.moving);
		AcmeStore after = store(this.database);
		for (AcmeStore opener : List.of(before, during, after)) {
			Path file = opener.challenge(DOMAIN);
			opener.open(file, "challenge of " + opener);
			if (opener != after) {
				assertThat(before.openChallenge(DOMAIN)).isEqualTo("challenge of " + opener);
			}
			if (opener != before) {
				Awaitility.await().until(() -> ("challenge of " + opener).equals(after.openChallenge(DOMAIN)));
			}
			Awaitility.await().until(() -> ("challenge of " + opener).equals(during.openChallenge(DOMAIN)));
			opener.delete(file);
			Awaitility.await().until(() -> during.openChallenge(DOMAIN) == null);
			assertThat(after.read(after.challenge(DOMAIN))).isNull();
		}
	}

	@Test
	void whenReplicasOfBeforeHaveReachedTheLimitOrHaveBeenRefusedThenTheOthersWaitToo() throws Exception {
		AcmeStore before = store(this.former);
		AcmeStore during = store(this.moving);
		Instant now = Instant.parse("2026-01-01T00:00:00Z");
		for (int i = 1; i < 3; i++) {
			AcmeStore.Limits limits = new AcmeStore.Limits(now.plusSeconds(i), now, i);
			before.write(limits);
			assertThat(during.limits()).isEqualTo(limits);
			AcmeStore.Failures failures = new AcmeStore.Failures(i, now, now.plusSeconds(60), now.plusSeconds(i), now);
			before.write(failures);
			assertThat(during.failures()).isEqualTo(failures);
			AcmeStore.Pause pause = new AcmeStore.Pause(i, now.plusSeconds(i));
			before.write("ec", pause);
			assertThat(during.pause("ec")).isEqualTo(pause);
		}
		AcmeStore after = store(this.database);
		assertThat(after.limits().refusals()).isEqualTo(2);
		assertThat(after.failures().count()).isEqualTo(2);
		assertThat(after.pause("ec").dueAtOnce()).isEqualTo(2);
	}

	@Test
	void whenFolderHasOtherFilesThenTheyAreNotMoved() throws Exception {
		store(this.former);
		Files.writeString(this.former.file("notes.txt"), "a note");
		Files.createDirectories(this.former.file("lost+found/limits"));
		assertThat(this.moving.move()).isZero();
		assertThat(this.database.changes("", null).names()).isEmpty();
	}

	@Test
	void whenFolderCannotBeWrittenToThenItsFileIsNamed() throws Exception {
		AcmeStore store = store(this.moving);
		Path blocked = this.former.file(this.database.file("").relativize(store.account()).toString());
		Files.createDirectories(blocked.resolve("blocks"));
		assertThatExceptionOfType(AcmeStoreException.class)
			.isThrownBy(() -> store.exclusively(() -> store.read(store.account())))
			.withMessageContaining("'%s' cannot be used".formatted(blocked))
			.satisfies((ex) -> assertThat(AcmeStoreException.action(ex)).contains("server.ssl.acme.directory"));
	}

}
