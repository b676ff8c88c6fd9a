// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.store;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

import javax.sql.DataSource;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NestedExceptionUtils;
import org.springframework.dao.ConcurrencyFailureException;
import org.springframework.dao.DuplicateKeyException;
import org.springframework.jdbc.BadSqlGrammarException;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.support.JdbcTransactionManager;
import org.springframework.jdbc.support.JdbcUtils;
import org.springframework.jdbc.support.MetaDataAccessException;
import org.springframework.transaction.TransactionDefinition;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * A table in the application's own database. Each piece of work has its own transaction,
 * whatever that of its caller is. All times are those of the database, as milliseconds
 * since 1970, so that neither the clocks of the replicas nor time zones matter.
 * <p>
 * A lock is a row as well, whose version is its fencing token: it grows with each owner,
 * and a write locks the row and compares the token first, so that a process that was
 * paused cannot write after its successor has begun. That is why the lock is not that of
 * a library: ShedLock has the clock of the database but no token, and Spring
 * Integration's {@code JdbcLockRegistry} has the clock of the replicas and no token.
 */
public final class JdbcStore implements SharedStore, AutoCloseable {

	/**
	 * The name of the table.
	 */
	public static final String TABLE = "tomcat_openssl_store";

	/**
	 * The name of the row whose version is that of the schema.
	 */
	private static final String SCHEMA = "schema";

	private static final long SCHEMA_VERSION = 1;

	private static final Log logger = LogFactory.getLog(JdbcStore.class);

	/**
	 * How long a transaction may take, in seconds.
	 */
	private static final int TIMEOUT = 10;

	/**
	 * How often to try if other replicas write the same row.
	 */
	private static final int ATTEMPTS = 5;

	/**
	 * How long a row counts as changed: a transaction that was begun earlier can end
	 * later.
	 */
	private static final long OVERLAP = TimeUnit.MINUTES.toMillis(1);

	/**
	 * Between two attempts to take a lock, in milliseconds.
	 */
	private static final long PAUSE = 100;

	private static final String CHECK = "Check that the application can reach its database, and that the user of the connection may select, insert, update and delete rows of the table '%s'"
		.formatted(TABLE);

	private final SecureRandom random = new SecureRandom();

	private final EntryCipher cipher;

	private final StoreSchedule schedule;

	private final JdbcClient client;

	private final TransactionTemplate transactions;

	private final String now;

	private final LocalCopies copies = new LocalCopies(this);

	// One renews the leases, and the other may wait for the content of rows
	private final ScheduledExecutorService threads = Executors.newScheduledThreadPool(2, (work) -> {
		Thread daemon = new Thread(work, "tls-store");
		daemon.setDaemon(true);
		return daemon;
	});

	private JdbcStore(DataSource dataSource, EntryCipher cipher, StoreSchedule schedule, String now) {
		this.cipher = cipher;
		this.schedule = schedule;
		this.client = JdbcClient.create(dataSource);
		this.transactions = new TransactionTemplate(new JdbcTransactionManager(dataSource));
		this.transactions.setPropagationBehavior(TransactionDefinition.PROPAGATION_REQUIRES_NEW);
		this.transactions.setIsolationLevel(TransactionDefinition.ISOLATION_READ_COMMITTED);
		this.transactions.setTimeout(TIMEOUT);
		this.now = now;
	}

	/**
	 * Open the table.
	 * @param dataSource the database of the application
	 * @param cipher encrypts the entries
	 * @param schedule how long to wait
	 * @return the store
	 * @throws StoreException if the table cannot be used, or if entries were encrypted
	 * with another key
	 */
	public static JdbcStore open(DataSource dataSource, EntryCipher cipher, StoreSchedule schedule)
			throws StoreException {
		JdbcStore store = new JdbcStore(dataSource, cipher, schedule, Dialect.of(dataSource).now);
		try {
			store.requireSchema();
			store.encryptAgain();
			store.refreshLater();
			return store;
		}
		catch (StoreException ex) {
			store.close();
			throw ex;
		}
	}

	private void requireSchema() throws StoreException {
		Long version = work(() -> version(SCHEMA, ""));
		if (version == null) {
			throw new StoreException("the table '%s' has no row '%s'".formatted(TABLE, SCHEMA),
					"Run the script for the schema again", null);
		}
		if (version != SCHEMA_VERSION) {
			throw new StoreException(
					"the table '%s' has the schema version %d, but this version of the starter knows only %d"
						.formatted(TABLE, version, SCHEMA_VERSION),
					"Use the version of the starter that has created the table, or a later one", null);
		}
	}

	// After the key has changed
	private void encryptAgain() throws StoreException {
		List<String> names = work(
				() -> this.client.sql("select name from %s where content is not null and key_id <> ?".formatted(TABLE))
					.param(this.cipher.keyId())
					.query(String.class)
					.list());
		for (String name : names) {
			try {
				Entry entry = read(name);
				if (entry != null) {
					replace(name, entry.content(), entry.version());
				}
			}
			catch (StoreException ex) {
				throw new StoreException("'%s' cannot be used: %s".formatted(describe(name), ex.getMessage()),
						ex.action(), ex);
			}
		}
	}

	// Replicas that were started together do not ask together
	private void refreshLater() {
		long refresh = this.schedule.refresh().toMillis();
		this.threads.scheduleWithFixedDelay(this.copies::refresh, ThreadLocalRandom.current().nextLong(refresh),
				refresh, TimeUnit.MILLISECONDS);
	}

	@Override
	public boolean isFolder() {
		return false;
	}

	@Override
	public Path file(String name) {
		return this.copies.folder().resolve(name);
	}

	@Override
	public String describe(String name) {
		return "%s:%s".formatted(TABLE, name);
	}

	@Override
	public void createFolder(String name) {
		// Nothing to do: names with folders need none
	}

	@Override
	public void keepCopy(String name) throws IOException {
		this.copies.add(name);
	}

	@Override
	public @Nullable Entry read(String name) throws StoreException {
		Row row = work(() -> this.client
			.sql("select version, key_id, content from %s where name = ? and content is not null".formatted(TABLE))
			.param(name)
			.query((result, index) -> new Row(result.getLong(1), result.getString(2), result.getBytes(3)))
			.optional()
			.orElse(null));
		if (row == null) {
			return null;
		}
		if (!this.cipher.hasKey(row.keyId())) {
			throw new StoreException("it is encrypted with the key '%s', which is not set".formatted(row.keyId()),
					"Set the key that has encrypted it as the second one. If it is lost, delete all rows of the table '%s' but the row '%s'"
						.formatted(TABLE, SCHEMA),
					null);
		}
		try {
			return new Entry(this.cipher.decrypt(row.keyId(), name, row.version(), row.content()),
					Long.toString(row.version()));
		}
		catch (GeneralSecurityException ex) {
			throw new StoreException("its row is damaged, or somebody has changed it",
					"Restore the row from a backup of the table '%s', or delete it".formatted(TABLE), ex);
		}
	}

	@Override
	public void write(String name, String content, Collection<StoreLock> held) throws StoreException {
		work(() -> {
			requireHeld(held);
			put(name, content, version(name, "for update"));
			return true;
		});
		if (this.copies.has(name) && !this.threads.isShutdown()) {
			this.threads.execute(this.copies::refresh);
		}
	}

	@Override
	public boolean replace(String name, String content, @Nullable String version) throws StoreException {
		return work(() -> {
			Long current = version(name, "for update");
			if (!Objects.equals(version, (current != null) ? current.toString() : null)) {
				return false;
			}
			put(name, content, current);
			return true;
		});
	}

	@Override
	public void delete(String name, Collection<StoreLock> held) throws StoreException {
		work(() -> {
			requireHeld(held);
			return this.client.sql("delete from %s where name = ?".formatted(TABLE)).param(name).update();
		});
	}

	private @Nullable Long version(String name, String suffix) {
		return this.client.sql("select version from %s where name = ? %s".formatted(TABLE, suffix))
			.param(name)
			.query(Long.class)
			.optional()
			.orElse(null);
	}

	// The first version is random: one that was deleted does not come again
	private void put(String name, String content, @Nullable Long current) {
		long version = (current != null) ? current + 1 : this.random.nextLong() >>> 2;
		byte[] encrypted = this.cipher.encrypt(name, version, content);
		String sql = (current != null)
				? "update %s set version = ?, key_id = ?, content = ?, changed_at = %s where name = ?"
				: "insert into %s (version, key_id, content, changed_at, name) values (?, ?, ?, %s, ?)";
		this.client.sql(sql.formatted(TABLE, this.now))
			.param(version)
			.param(this.cipher.keyId())
			.param(encrypted)
			.param(name)
			.update();
	}

	// In the transaction of the write: nobody can take the lock before it ends
	private void requireHeld(Collection<StoreLock> held) {
		for (StoreLock lock : held) {
			if (lock instanceof Lease lease && !Objects.equals(version(lease.name, "for update"), lease.token)) {
				throw new UncheckedIOException(new StoreException(
						"another replica has taken the lock '%s', because this process was paused, or could not reach its database, for more than %d seconds"
							.formatted(lease.name, this.schedule.lease().toSeconds()),
						"Nothing was written. Find out why, if it happens again", null));
			}
		}
	}

	@Override
	public Changes changes(String prefix, @Nullable String since) throws StoreException {
		long earliest = (since != null) ? Long.parseLong(since) - OVERLAP : 0;
		return work(() -> {
			long mark = currentTime();
			List<String> names = this.client
				.sql("select name from %s where content is not null and changed_at >= ? and name like ? escape '!'"
					.formatted(TABLE))
				.param(earliest)
				.param(prefix.replaceAll("[!%_]", "!$0") + "%")
				.query(String.class)
				.list();
			return new Changes(names, String.valueOf(mark));
		});
	}

	@Override
	public Instant now() throws StoreException {
		return Instant.ofEpochMilli(work(this::currentTime));
	}

	private long currentTime() {
		return this.client.sql("select %s from %s where name = '%s'".formatted(this.now, TABLE, SCHEMA))
			.query(Long.class)
			.single();
	}

	@Override
	public @Nullable StoreLock tryLock(String name) throws StoreException {
		Long token = work(() -> {
			Long version = version(name, "");
			long lease = this.schedule.lease().toMillis();
			if (version == null) {
				this.client
					.sql("insert into %s (name, version, changed_at, expires_at) values (?, 1, 0, %s + ?)"
						.formatted(TABLE, this.now))
					.param(name)
					.param(lease)
					.update();
				return 1L;
			}
			int taken = this.client.sql(
					"update %1$s set version = version + 1, expires_at = %2$s + ? where name = ? and version = ? and expires_at <= %2$s"
						.formatted(TABLE, this.now))
				.param(lease)
				.param(name)
				.param(version)
				.update();
			return (taken == 1) ? version + 1 : null;
		});
		return (token != null) ? new Lease(name, token) : null;
	}

	@Override
	public StoreLock lock(String name) throws IOException {
		long begin = System.nanoTime();
		while (true) {
			StoreLock lock = tryLock(name);
			if (lock != null) {
				return lock;
			}
			if (System.nanoTime() - begin > this.schedule.patience().toNanos()) {
				throw new StoreException("another process has held a lock on it for %d seconds"
					.formatted(this.schedule.patience().toSeconds()), "Check what the other replicas are doing", null);
			}
			try {
				Thread.sleep(PAUSE);
			}
			catch (InterruptedException ex) {
				Thread.currentThread().interrupt();
				throw new InterruptedIOException();
			}
		}
	}

	private <T extends @Nullable Object> T work(Supplier<T> work) throws StoreException {
		for (int attempt = 1; true; attempt++) {
			try {
				return this.transactions.execute((status) -> work.get());
			}
			catch (ConcurrencyFailureException | DuplicateKeyException ex) {
				if (attempt == ATTEMPTS) {
					throw failure(ex);
				}
			}
			catch (UncheckedIOException ex) {
				throw (ex.getCause() instanceof StoreException failure) ? failure : failure(ex);
			}
			catch (RuntimeException ex) {
				throw failure(ex);
			}
		}
	}

	private static StoreException failure(RuntimeException ex) {
		Throwable cause = NestedExceptionUtils.getMostSpecificCause(ex);
		boolean isSchema = ex instanceof BadSqlGrammarException;
		return new StoreException((isSchema ? "the table '%s' cannot be used: %s" : "the database fails: %2$s")
			.formatted(TABLE, String.valueOf(cause.getMessage()).lines().findFirst().orElse("")), CHECK, ex);
	}

	@Override
	public void close() {
		this.threads.shutdownNow();
		try {
			this.copies.close();
		}
		catch (IOException ex) {
			logger.warn("The folder '%s' cannot be deleted, although it contains private keys. Delete it"
				.formatted(this.copies.folder()), ex);
		}
	}

	/**
	 * A row.
	 *
	 * @param version the version
	 * @param keyId what names the key
	 * @param content the encrypted content
	 */
	private record Row(long version, String keyId, byte[] content) {

	}

	/**
	 * A lock that lasts as long as somebody renews it.
	 */
	private final class Lease implements StoreLock {

		private final String name;

		private final Long token;

		private final Future<?> renewal;

		private Lease(String name, Long token) {
			this.name = name;
			this.token = token;
			long delay = JdbcStore.this.schedule.renewal().toMillis();
			this.renewal = JdbcStore.this.threads.scheduleWithFixedDelay(
					() -> update(
							"expires_at = " + JdbcStore.this.now + " + " + JdbcStore.this.schedule.lease().toMillis()),
					delay, delay, TimeUnit.MILLISECONDS);
		}

		private void update(String change) {
			try {
				work(() -> JdbcStore.this.client
					.sql("update %s set %s where name = ? and version = ?".formatted(TABLE, change))
					.param(this.name)
					.param(this.token)
					.update());
			}
			catch (StoreException ex) {
				logger.debug("The lock '%s' ends by itself".formatted(this.name), ex);
			}
		}

		@Override
		public void close() {
			this.renewal.cancel(false);
			// A thread that was interrupted, because the application stops, gets no
			// connection
			boolean interrupted = Thread.interrupted();
			// A renewal that is under way must not take it again
			update("expires_at = 0, version = version + 1");
			if (interrupted) {
				Thread.currentThread().interrupt();
			}
		}

	}

	/**
	 * A database whose time is known.
	 */
	private enum Dialect {

		POSTGRESQL("PostgreSQL", "cast(extract(epoch from clock_timestamp()) * 1000 as bigint)"),

		MYSQL("MySQL", "(timestampdiff(microsecond, '1970-01-01', utc_timestamp(3)) div 1000)"),

		MARIADB("MariaDB", MYSQL.now),

		H2("H2", "cast(extract(epoch from current_timestamp) * 1000 as bigint)");

		private final String product;

		private final String now;

		Dialect(String product, String now) {
			this.product = product;
			this.now = now;
		}

		static Dialect of(DataSource dataSource) throws StoreException {
			try {
				String product = JdbcUtils.extractDatabaseMetaData(dataSource,
						(metaData) -> metaData.getDatabaseProductName());
				return Arrays.stream(values())
					.filter((dialect) -> dialect.product.equals(product))
					.findFirst()
					.orElseThrow(() -> new StoreException("the database is '%s'".formatted(product),
							"Use PostgreSQL, MySQL, MariaDB or H2, or a folder that the replicas share", null));
			}
			catch (MetaDataAccessException ex) {
				throw new StoreException(
						"the database fails: %s".formatted(NestedExceptionUtils.getMostSpecificCause(ex).getMessage()),
						CHECK, ex);
			}
		}

	}

}
