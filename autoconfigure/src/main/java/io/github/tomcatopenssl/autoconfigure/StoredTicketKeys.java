// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.io.IOException;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.certificate.ReloadableFiles;
import io.github.tomcatopenssl.internal.host.SessionTicketKey;
import io.github.tomcatopenssl.internal.host.SessionTicketKeys;
import io.github.tomcatopenssl.internal.store.SharedStore;
import io.github.tomcatopenssl.internal.store.StoreException;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Session ticket keys in the store of the replicas: the previous one, the current one,
 * and the next one. The first replica that finds the current one due rotates them. Until
 * the others have noticed, each can open what any other seals, because all of them have
 * known the next key before.
 */
class StoredTicketKeys extends SharedTicketKeys<StoredTicketKeys.Content> implements AutoCloseable {

	/**
	 * The name of the entry.
	 */
	static final String NAME = "session-ticket-keys";

	/**
	 * How long a key is the current one. It is the previous one as long again, in which
	 * it seals the new tickets of clients that come with one of its tickets.
	 */
	static final Duration ROTATION = Duration.ofHours(12);

	/**
	 * How long a key seals tickets.
	 */
	static final Duration LIFETIME = ROTATION.multipliedBy(2);

	/**
	 * How long the store is not asked. Somebody may have deleted the keys.
	 */
	private static final Duration LONGEST_PAUSE = Duration.ofHours(1);

	private static final Duration PAUSE_AFTER_FAILURE = Duration.ofMinutes(1);

	/**
	 * Within which replicas ask that were started together.
	 */
	private static final Duration SPREAD = Duration.ofSeconds(30);

	/**
	 * How often to try if other replicas rotate the keys at the same time.
	 */
	private static final int ATTEMPTS = 3;

	private static final Messages MESSAGES = new Messages("The session ticket keys were rotated",
			"The session ticket keys cannot be rotated, and those in use stay in use",
			"The session ticket keys can be rotated again");

	private static final Log logger = LogFactory.getLog(StoredTicketKeys.class);

	private static final SecureRandom random = new SecureRandom();

	private final Supplier<SharedStore> store;

	private final ScheduledExecutorService thread = Executors.newSingleThreadScheduledExecutor((work) -> {
		Thread daemon = new Thread(work, "tls-ticket-keys");
		daemon.setDaemon(true);
		return daemon;
	});

	private volatile @Nullable Content latest;

	/**
	 * The keys that the store had when it last answered, unless they are too old.
	 */
	private @Nullable Generation last;

	/**
	 * When to ask the store again.
	 */
	private Instant due = Instant.MIN;

	/**
	 * When the keys in use are too old.
	 */
	private Instant expiry = Instant.MAX;

	/**
	 * Create a new instance.
	 * @param store opens the store
	 * @param clock the clock of this process
	 * @param poller receives this instance as soon as it has keys
	 */
	StoredTicketKeys(Supplier<SharedStore> store, Clock clock, Consumer<ReloadableFiles<?>> poller) {
		super(ServerSslProperty.SESSION_TICKET_KEYS, MESSAGES, clock, poller);
		this.store = store;
	}

	@Override
	protected Content read() {
		Content content = this.latest;
		if (content == null) {
			content = ask();
			this.latest = content;
			schedule();
		}
		return content;
	}

	private void schedule() {
		long delay = Math.max(0, Duration.between(now(), this.due).toMillis());
		if (!this.thread.isShutdown()) {
			this.thread.schedule(this::rotate, delay + ThreadLocalRandom.current().nextLong(SPREAD.toMillis()),
					TimeUnit.MILLISECONDS);
		}
	}

	/**
	 * Use the keys of the store, and rotate them there if they are due.
	 */
	final void rotate() {
		try {
			Content content = ask();
			this.latest = content;
			poll(Duration.ZERO, System.nanoTime());
			Generation generation = this.last;
			if (content.problem() == null) {
				use(keys(content));
			}
			else if (generation != null && now().isAfter(this.expiry.minus(ROTATION))) {
				use(generation.keysWithoutPrevious());
			}
			if (now().isAfter(this.expiry)) {
				use(SessionTicketKeys.of(SessionTicketKey.of(randomKey())));
				this.last = null;
				this.expiry = now().plus(LIFETIME);
				logger.warn(
						"The session ticket keys in use are a day old. Until the store can be used, this server has a key of its own, and clients do not resume their sessions at other replicas");
			}
		}
		catch (Throwable ex) {
			// There is no memory. The store is asked again
		}
		finally {
			schedule();
		}
	}

	private Content ask() {
		this.due = now().plus(PAUSE_AFTER_FAILURE);
		SharedStore store = this.store.get();
		try {
			for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
				SharedStore.Entry entry = store.read(NAME);
				Instant now = store.now();
				Generation stored = (entry != null) ? Generation.of(entry.content()) : null;
				Generation current = (stored != null) ? stored.at(now) : Generation.first(now);
				if (current.equals(stored)
						|| store.replace(NAME, current.text(), (entry != null) ? entry.version() : null)) {
					inUse(current, now);
					return new Content(current, null);
				}
			}
			throw new StoreException("other replicas write it all the time", "Check what the other replicas are doing",
					null);
		}
		catch (IOException | RuntimeException | LinkageError ex) {
			return new Content(null, failure(ex, false));
		}
	}

	private void inUse(Generation generation, Instant now) {
		this.last = generation;
		Duration age = Duration.between(generation.since(), now);
		Duration left = ROTATION.minus(age);
		this.due = now().plus((left.compareTo(LONGEST_PAUSE) < 0) ? left : LONGEST_PAUSE);
		this.expiry = now().plus(LIFETIME).minus(age);
	}

	private static byte[] randomKey() {
		byte[] key = new byte[SessionTicketKey.MAX_LENGTH];
		random.nextBytes(key);
		return key;
	}

	@Override
	protected SessionTicketKeys keys(Content content) {
		if (content.problem() != null) {
			throw content.problem();
		}
		return Objects.requireNonNull(content.generation()).keys();
	}

	@Override
	protected TlsSettingException failure(Throwable ex, boolean byConsumer) {
		return new TlsSettingException(ServerSslProperty.SESSION_TICKET_KEYS.toString(),
				this.store.get().describe(NAME), String.valueOf(ex.getMessage()),
				(ex instanceof StoreException failure) ? failure.action() : "See the log messages", ex);
	}

	@Override
	public void close() {
		this.thread.shutdownNow();
	}

	/**
	 * The answer of the store.
	 *
	 * @param generation the keys
	 * @param problem why there are none
	 */
	record Content(@Nullable Generation generation, @Nullable TlsSettingException problem) {

		@Override
		public boolean equals(@Nullable Object other) {
			return other instanceof Content content && Objects.equals(this.generation, content.generation)
					&& String.valueOf(this.problem).equals(String.valueOf(content.problem));
		}

		@Override
		public int hashCode() {
			return Objects.hashCode(this.generation);
		}

	}

	/**
	 * The keys of a period.
	 *
	 * @param since since when the current one is that, by the clock of the store
	 * @param encoded the previous, the current, and the next one, in Base64
	 */
	record Generation(Instant since, List<String> encoded) {

		static Generation first(Instant now) {
			return new Generation(now, List.of(random(), random(), random()));
		}

		static Generation of(String content) throws StoreException {
			List<String> lines = content.lines().toList();
			try {
				Generation generation = new Generation(Instant.parse(lines.get(0)), lines.subList(1, 4));
				generation.keys();
				return generation;
			}
			catch (IndexOutOfBoundsException | IllegalArgumentException | DateTimeException ex) {
				throw new StoreException("it has no session ticket keys", "Delete it from the store", null);
			}
		}

		private static String random() {
			return Base64.getEncoder().encodeToString(randomKey());
		}

		// Keys of a long time ago, or of a clock that was wrong, are not used any more
		Generation at(Instant now) {
			long periods = Math.abs(Duration.between(this.since, now).dividedBy(ROTATION));
			return (periods == 0) ? this : (periods > 1) ? first(now)
					: new Generation(now, List.of(this.encoded.get(1), this.encoded.get(2), random()));
		}

		SessionTicketKeys keys() {
			return new SessionTicketKeys(key(1), List.of(key(0), key(2)));
		}

		SessionTicketKeys keysWithoutPrevious() {
			return new SessionTicketKeys(key(1), List.of(key(2)));
		}

		private SessionTicketKey key(int index) {
			return SessionTicketKey.of(Base64.getDecoder().decode(this.encoded.get(index)));
		}

		String text() {
			return this.since + "\n" + String.join("\n", this.encoded) + "\n";
		}

		/**
		 * Return the time only, because the keys are secret.
		 */
		@Override
		public String toString() {
			return "Generation[" + this.since + "]";
		}

	}

}
