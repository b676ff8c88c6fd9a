// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.store;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * What all kinds of {@link SharedStore} have in common.
 */
abstract class AbstractStoreTests {

	static final String FOLDER = "ca.example.com-84b92c5c";

	static final String NAME = FOLDER + "/www.example.com-1a2b3c4d-ec.pem";

	SharedStore store;

	/**
	 * Return another replica, or the first one.
	 */
	abstract SharedStore replica() throws Exception;

	@BeforeEach
	void createFolder() throws Exception {
		this.store = replica();
		this.store.createFolder(FOLDER);
	}

	@Test
	void whenEntryIsWrittenThenAllReplicasReadIt() throws Exception {
		assertThat(this.store.read(NAME)).isNull();
		String large = "line of a certificate\n".repeat(10_000);
		this.store.write(NAME, large, List.of());
		assertThat(replica().read(NAME).content()).isEqualTo(large);
		replica().write(NAME, "second \u00fc", List.of());
		assertThat(this.store.read(NAME).content()).isEqualTo("second \u00fc");
		assertThat(this.store.read(NAME)).asString().doesNotContain("second");
	}

	@Test
	void whenEntryIsDeletedThenItIsGone() throws Exception {
		this.store.delete(NAME, List.of());
		this.store.write(NAME, "content", List.of());
		replica().delete(NAME, List.of());
		assertThat(this.store.read(NAME)).isNull();
		assertThat(this.store.changes("", null).names()).isEmpty();
	}

	@Test
	void whenAnotherReplicaHasReplacedTheEntryThenItIsNotReplaced() throws Exception {
		assertThat(this.store.replace(NAME, "first", null)).isTrue();
		assertThat(replica().replace(NAME, "other", null)).isFalse();
		SharedStore.Entry first = this.store.read(NAME);
		assertThat(replica().replace(NAME, "second", first.version())).isTrue();
		assertThat(this.store.replace(NAME, "third", first.version())).isFalse();
		assertThat(this.store.read(NAME).content()).isEqualTo("second");
		this.store.delete(NAME, List.of());
		assertThat(this.store.replace(NAME, "fourth", first.version())).isFalse();
		this.store.write(NAME, "again", List.of());
		assertThat(this.store.replace(NAME, "fifth", first.version())).isFalse();
	}

	@Test
	void whenReplicasReplaceAtTheSameTimeThenNoChangeIsLost() throws Exception {
		this.store.write(NAME, "0", List.of());
		inParallel(4, () -> {
			SharedStore replica = replica();
			for (int done = 0; done < 10;) {
				SharedStore.Entry entry = replica.read(NAME);
				done += replica.replace(NAME, String.valueOf(Integer.parseInt(entry.content()) + 1), entry.version())
						? 1 : 0;
			}
			return null;
		});
		assertThat(this.store.read(NAME).content()).isEqualTo("40");
	}

	@Test
	void whenReplicasCreateTheSameEntryThenNoneFails() throws Exception {
		for (int i = 0; i < 10; i++) {
			String name = FOLDER + "/" + i;
			AtomicInteger created = new AtomicInteger();
			inParallel(4, () -> replica().replace(name, "content", null) ? created.incrementAndGet() : 0);
			assertThat(created).hasValue(1);
		}
	}

	@Test
	void whenEntriesAreWrittenThenTheyAreAmongTheChanges() throws Exception {
		this.store.write(NAME, "content", List.of());
		this.store.write(FOLDER + "/a_b.pem", "content", List.of());
		this.store.write(FOLDER + "/axb.pem", "content", List.of());
		SharedStore.Changes all = replica().changes("", null);
		assertThat(all.names()).containsExactlyInAnyOrder(NAME, FOLDER + "/a_b.pem", FOLDER + "/axb.pem");
		assertThat(this.store.changes(FOLDER + "/a_", null).names()).containsExactly(FOLDER + "/a_b.pem");
		this.store.write(NAME, "other", List.of());
		assertThat(replica().changes("", all.mark()).names()).contains(NAME);
	}

	@Test
	void whenAReplicaHasTheLockThenOthersHaveNot() throws Exception {
		String name = FOLDER + "/write.lock";
		StoreLock lock = this.store.tryLock(name);
		assertThat(lock).isNotNull();
		assertThat(replica().tryLock(name)).isNull();
		assertThat(this.store.tryLock(name)).isNull();
		this.store.write(NAME, "content", List.of(lock));
		lock.close();
		try (StoreLock next = replica().tryLock(name)) {
			assertThat(next).isNotNull();
			assertThat(this.store.changes("", null).names()).containsExactly(NAME);
		}
	}

	@Test
	void whenReplicasWaitForTheLockThenOneAfterTheOtherHasIt() throws Exception {
		AtomicInteger inside = new AtomicInteger();
		AtomicInteger most = new AtomicInteger();
		inParallel(3, () -> {
			for (int i = 0; i < 5; i++) {
				StoreLock lock = replica().lock(FOLDER + "/write.lock");
				try (lock) {
					most.accumulateAndGet(inside.incrementAndGet(), Math::max);
					inside.decrementAndGet();
				}
			}
			return null;
		});
		assertThat(most).hasValue(1);
	}

	@Test
	void whenAnotherReplicaWritesThenTheFileFollows() throws Exception {
		this.store.write(NAME, "first", List.of());
		this.store.keepCopy(NAME);
		Path file = this.store.file(NAME);
		assertThat(file).hasContent("first");
		replica().write(NAME, "second", List.of());
		Awaitility.await().untilAsserted(() -> assertThat(file).hasContent("second"));
		assertThat(Files.getPosixFilePermissions(file)).hasSize(2);
	}

	private static void inParallel(int threads, Callable<?> work) throws Exception {
		ExecutorService executor = Executors.newFixedThreadPool(threads);
		try {
			List<Callable<Object>> all = new ArrayList<>();
			for (int i = 0; i < threads; i++) {
				all.add(work::call);
			}
			for (Future<?> future : executor.invokeAll(all)) {
				future.get();
			}
		}
		finally {
			executor.shutdownNow();
		}
	}

}
