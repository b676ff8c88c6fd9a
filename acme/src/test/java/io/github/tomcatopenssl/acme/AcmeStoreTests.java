// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.Closeable;
import java.net.URI;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link AcmeStore}.
 */
class AcmeStoreTests {

	@TempDir
	private Path folder;

	// A process that closes any channel of a file loses its locks on the file (POSIX)
	@Test
	@Tag("forked")
	void whenAnotherApplicationOfTheJvmAsksForTheLockThenOtherProcessesStillHaveToWait() throws Exception {
		AcmeStore store = store(this.folder);
		store.create();
		try (Closeable lock = store.tryLock()) {
			assertThat(lock).isNotNull();
			assertThat(store(this.folder).tryLock()).isNull();
			assertThat(isLocked(this.folder)).isTrue();
		}
		assertThat(isLocked(this.folder)).isFalse();
		try (Closeable lock = store(this.folder).tryLock()) {
			assertThat(lock).isNotNull();
		}
	}

	private static boolean isLocked(Path folder) throws Exception {
		return new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-cp",
				System.getProperty("java.class.path"), LockingApplication.class.getName(), folder.toString())
			.inheritIO()
			.start()
			.waitFor() == LockingApplication.LOCKED;
	}

	static AcmeStore store(Path folder) {
		return new AcmeStore(folder, URI.create("https://ca.example.com/directory"), List.of("localhost"));
	}

}
