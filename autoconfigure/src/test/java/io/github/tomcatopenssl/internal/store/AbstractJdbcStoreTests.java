// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.store;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import javax.sql.DataSource;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link JdbcStore} with a database, its {@link EntryCipher} and its
 * {@link LocalCopies}.
 */
abstract class AbstractJdbcStoreTests extends AbstractStoreTests {

	static final StoreSchedule FAST = new StoreSchedule(Duration.ofMillis(1500), Duration.ofMillis(300));

	static final byte[] KEY = key(1);

	private static final byte[] NEXT_KEY = key(2);

	private static final String LOCK = FOLDER + "/write.lock";

	private final List<JdbcStore> replicas = new CopyOnWriteArrayList<>();

	DataSource dataSource;

	JdbcClient client;

	/**
	 * Return a database, whose table may be there from another test.
	 */
	abstract DataSource dataSource();

	abstract String platform();

	private static byte[] key(int number) {
		byte[] key = new byte[EntryCipher.KEY_LENGTH];
		Arrays.fill(key, (byte) number);
		return key;
	}

	@BeforeEach
	@Override
	void createFolder() throws Exception {
		this.dataSource = dataSource();
		this.client = JdbcClient.create(this.dataSource);
		this.client.sql("drop table if exists " + JdbcStore.TABLE).update();
		script();
		super.createFolder();
	}

	private void script() {
		new ResourceDatabasePopulator(
				new ClassPathResource("io/github/tomcatopenssl/store/schema-%s.sql".formatted(platform())))
			.execute(this.dataSource);
	}

	@AfterEach
	void close() {
		this.replicas.forEach(JdbcStore::close);
	}

	@Override
	SharedStore replica() throws Exception {
		return open(KEY);
	}

	JdbcStore open(byte[]... keys) throws StoreException {
		JdbcStore store = JdbcStore.open(this.dataSource, new EntryCipher(List.of(keys)), FAST);
		this.replicas.add(store);
		return store;
	}

	@Test
	void whenEntryIsWrittenThenItsRowIsEncrypted() throws Exception {
		this.store.write(NAME, "-----BEGIN PRIVATE KEY-----", List.of());
		byte[] first = content();
		assertThat(new String(first)).doesNotContain("PRIVATE");
		this.store.write(NAME, "-----BEGIN PRIVATE KEY-----", List.of());
		assertThat(content()).isNotEqualTo(first);
	}

	private byte[] content() {
		return this.client.sql("select content from %s where name = ?".formatted(JdbcStore.TABLE))
			.param(NAME)
			.query((result, index) -> result.getBytes(1))
			.single();
	}

	@Test
	void whenLockIsReleasedWhileItIsRenewedThenItIsFree() throws Exception {
		Duration lease = Duration.ofMillis(90);
		JdbcStore owner = JdbcStore.open(this.dataSource, new EntryCipher(List.of(KEY)),
				new StoreSchedule(lease, FAST.refresh()));
		this.replicas.add(owner);
		for (int i = 0; i < 30; i++) {
			StoreLock lock = owner.tryLock(LOCK);
			Thread.sleep(lease.dividedBy(3).toMillis());
			lock.close();
			try (StoreLock next = this.store.tryLock(LOCK)) {
				assertThat(next).isNotNull();
			}
		}
	}

	@Test
	void whenRowsAreSwappedOrOldOrDamagedThenTheyAreRefused() throws Exception {
		String other = FOLDER + "/other.pem";
		this.store.write(NAME, "content", List.of());
		this.store.write(other, "other", List.of());
		byte[] before = content();
		this.store.write(NAME, "content", List.of());
		String ofOther = "(select o.%%s from (select * from %s where name = '%s') o)".formatted(JdbcStore.TABLE, other);
		for (String change : List.of(
				"content = %s, version = %s".formatted(ofOther.formatted("content"), ofOther.formatted("version")),
				"version = version + 1", "content = null, key_id = null")) {
			this.client.sql("update %s set %s where name = ?".formatted(JdbcStore.TABLE, change)).param(NAME).update();
			if (change.contains("null")) {
				assertThat(this.store.read(NAME)).isNull();
			}
			else {
				assertThatExceptionOfType(StoreException.class).isThrownBy(() -> this.store.read(NAME))
					.withMessage("its row is damaged, or somebody has changed it")
					.satisfies((ex) -> assertThat(ex.action()).contains("or delete it"));
			}
		}
		this.store.write(NAME, "content", List.of());
		this.client.sql("update %s set content = ? where name = ?".formatted(JdbcStore.TABLE))
			.params(before, NAME)
			.update();
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> this.store.read(NAME));
		this.client.sql("update %s set content = ? where name = ?".formatted(JdbcStore.TABLE))
			.params(new byte[3], NAME)
			.update();
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> this.store.read(NAME));
	}

	@Test
	void whenKeyIsReplacedThenEntriesAreEncryptedAgain() throws Exception {
		this.store.write(NAME, "content", List.of());
		JdbcStore both = open(NEXT_KEY, KEY);
		assertThat(both.read(NAME).content()).isEqualTo("content");
		assertThat(open(NEXT_KEY).read(NAME).content()).isEqualTo("content");
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> this.store.read(NAME))
			.withMessageMatching("it is encrypted with the key '[0-9a-f]{8}', which is not set");
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> open(KEY));
	}

	// Its owner was paused, and does not know
	@Test
	void whenLeaseHasEndedThenItsOwnerCannotWrite() throws Exception {
		StoreLock lock = this.store.tryLock(LOCK);
		pause(this.store);
		SharedStore successor = replica();
		StoreLock next = Awaitility.await().until(() -> successor.tryLock(LOCK), (taken) -> taken != null);
		successor.write(NAME, "of the successor", List.of(next));
		for (boolean deletes : new boolean[] { false, true }) {
			assertThatExceptionOfType(StoreException.class).isThrownBy(() -> {
				if (deletes) {
					this.store.delete(NAME, List.of(lock));
				}
				else {
					this.store.write(NAME, "of the paused one", List.of(lock));
				}
			}).withMessageContaining("another replica has taken the lock '%s'".formatted(LOCK));
		}
		assertThat(successor.read(NAME).content()).isEqualTo("of the successor");
		// What is not the owner's any more stays
		lock.close();
		assertThat(replica().tryLock(LOCK)).isNull();
	}

	// As a process that does not run
	private static void pause(SharedStore store) {
		((JdbcStore) store).close();
	}

	@Test
	void whenOwnerLivesThenItsLeaseGoesOn() throws Exception {
		try (StoreLock lock = this.store.tryLock(LOCK)) {
			long end = System.nanoTime() + FAST.lease().multipliedBy(2).toNanos();
			Awaitility.await()
				.during(FAST.lease().multipliedBy(2))
				.atMost(FAST.lease().multipliedBy(4))
				.until(() -> replica().tryLock(LOCK) == null);
			assertThat(System.nanoTime()).isGreaterThan(end);
			this.store.write(NAME, "content", List.of(lock));
		}
	}

	@Test
	void whenCallerHasATransactionThenTheStoreHasItsOwn() throws Exception {
		TransactionTemplate caller = new TransactionTemplate(new JdbcTransactionManager(this.dataSource));
		caller.executeWithoutResult((status) -> {
			try {
				this.store.write(NAME, "content", List.of());
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
			status.setRollbackOnly();
		});
		assertThat(this.store.read(NAME).content()).isEqualTo("content");
	}

	@Test
	void whenStoreIsClosedThenItsFilesAreGone() throws Exception {
		this.store.write(NAME, "content", List.of());
		this.store.keepCopy(NAME);
		Path folder = this.store.file("");
		assertThat(folder).isNotEmptyDirectory();
		((JdbcStore) this.store).close();
		assertThat(folder).doesNotExist();
	}

	@Test
	void whenScriptRunsAgainThenNothingIsLost() throws Exception {
		this.store.write(NAME, "content", List.of());
		this.client.sql("update %s set version = 2 where name = 'schema'".formatted(JdbcStore.TABLE)).update();
		script();
		assertThat(this.store.read(NAME).content()).isEqualTo("content");
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> open(KEY))
			.withMessageContaining("has the schema version 2, but this version of the starter knows only 1");
	}

	@Test
	void whenThereIsNoTableThenSaysIt() {
		this.client.sql("drop table " + JdbcStore.TABLE).update();
		assertThatExceptionOfType(StoreException.class).isThrownBy(() -> open(KEY))
			.withMessageContaining("the table 'tomcat_openssl_store' cannot be used");
	}

}
