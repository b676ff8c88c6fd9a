// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.store;

import java.io.IOException;
import java.util.List;
import java.util.Objects;

import javax.sql.DataSource;

import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.PostgreSql;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.postgresql.ds.PGSimpleDataSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link JdbcStore} with PostgreSQL.
 */
@Tag("servers")
class PostgreSqlStoreTests extends AbstractJdbcStoreTests {

	private static PostgreSql server;

	@BeforeAll
	static void start() throws Exception {
		server = new PostgreSql();
	}

	@AfterAll
	static void stop() throws Exception {
		if (server != null) {
			server.close();
		}
	}

	@Override
	DataSource dataSource() {
		PGSimpleDataSource dataSource = new PGSimpleDataSource();
		dataSource.setUrl(server.url());
		return dataSource;
	}

	@Override
	String platform() {
		return "postgresql";
	}

	@Test
	@Tag("forked")
	void whenOwnerIsKilledThenItsLeaseEnds() throws Exception {
		Process owner = startOwner();
		assertThat(this.store.tryLock(LockOwner.LOCK)).isNull();
		owner.destroyForcibly().waitFor();
		StoreLock lock = Awaitility.await().until(() -> this.store.tryLock(LockOwner.LOCK), Objects::nonNull);
		this.store.write(NAME, "content", List.of(lock));
	}

	@Test
	@Tag("forked")
	void whenOwnerWasPausedThenItCannotOverwriteWhatItsSuccessorWrote() throws Exception {
		Process owner = startOwner();
		signal(owner, "STOP");
		StoreLock lock = Awaitility.await().until(() -> this.store.tryLock(LockOwner.LOCK), Objects::nonNull);
		this.store.write(NAME, "of the successor", List.of(lock));
		signal(owner, "CONT");
		owner.outputWriter().append(NAME + "\n").flush();
		assertThat(owner.inputReader().readLine()).startsWith("another replica has taken the lock");
		assertThat(owner.waitFor()).isZero();
		assertThat(this.store.read(NAME).content()).isEqualTo("of the successor");
	}

	private static Process startOwner() throws IOException {
		Process owner = new ProcessBuilder(Commands.java(LockOwner.class, List.of(), List.of(server.url())))
			.redirectError(ProcessBuilder.Redirect.INHERIT)
			.start();
		assertThat(owner.inputReader().readLine()).isEqualTo("locked");
		return owner;
	}

	private static void signal(Process process, String signal) {
		Commands.run("", List.of("kill", "-" + signal, String.valueOf(process.pid()))).orFail();
	}

	@Test
	void whenDatabaseIsAwayThenFilesStayUntilItIsBack() throws Exception {
		this.store.write(NAME, "first", List.of());
		this.store.keepCopy(NAME);
		StoreLock lock = this.store.tryLock(FOLDER + "/write.lock");
		server.stop();
		try {
			assertThatExceptionOfType(StoreException.class).isThrownBy(() -> this.store.read(NAME))
				.withMessageStartingWith("the database fails: ");
			assertThat(this.store.file(NAME)).hasContent("first");
		}
		finally {
			server.start();
		}
		Awaitility.await().ignoreExceptions().until(() -> this.store.read(NAME).content().equals("first"));
		// Nobody else has taken the lock
		this.store.write(NAME, "second", List.of(lock));
		assertThat(this.store.file(NAME))
			.satisfies((file) -> Awaitility.await().untilAsserted(() -> assertThat(file).hasContent("second")));
	}

}
