// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.store;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;

import io.github.tomcatopenssl.test.Commands;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LocalCopies}.
 */
class LocalCopiesTests {

	@TempDir
	private Path folder;

	// A pipe takes as long to read as a database that does not respond
	@Test
	void whenApplicationStopsWhileAnEntryIsReadThenNoCopyStays() throws Exception {
		LocalCopies copies = new LocalCopies(new FolderStore(this.folder));
		Path entry = this.folder.resolve("key.pem");
		Commands.run("", List.of("mkfifo", entry.toString())).orFail();
		CompletableFuture<Exception> copying = CompletableFuture.supplyAsync(() -> {
			try {
				copies.add("key.pem");
				return null;
			}
			catch (Exception ex) {
				return ex;
			}
		});
		CompletableFuture<Void> stopping = CompletableFuture.runAsync(() -> {
			try {
				copies.close();
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		});
		stopping.join();
		Files.writeString(entry, "private key");
		copying.join();
		assertThat(copies.folder()).doesNotExist();
	}

}
