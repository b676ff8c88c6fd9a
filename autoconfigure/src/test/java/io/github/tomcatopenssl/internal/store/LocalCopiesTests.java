// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.store;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import io.github.tomcatopenssl.test.Commands;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.given;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link LocalCopies}.
 */
@ExtendWith(OutputCaptureExtension.class)
class LocalCopiesTests {

	@TempDir
	private Path folder;

	// A pipe takes as long to read as a database that does not respond
	@Test
	void whenApplicationStopsWhileAnEntryIsReadThenNoCopyStays() throws Exception {
		LocalCopies copies = new LocalCopies(new FolderStore(this.folder));
		Path entry = this.folder.resolve("key.pem");
		Commands.run("", List.of("mkfifo", entry.toString())).orFail();
		Thread copying = new Thread(() -> {
			try {
				copies.add("key.pem");
			}
			catch (IOException ex) {
				// The copy was not made
			}
		});
		copying.start();
		copies.close();
		Files.writeString(entry, "private key");
		copying.join();
		assertThat(copies.folder()).doesNotExist();
	}

	// The thread that refreshes them does so as long as the application runs
	@Test
	void whenMemoryRunsOutThenCopiesAreRefreshedTheNextTime(CapturedOutput output) throws Exception {
		SharedStore store = mock();
		given(store.changes("", null)).willThrow(new OutOfMemoryError("Test"))
			.willReturn(new SharedStore.Changes(List.of("key.pem"), "1"));
		LocalCopies copies = new LocalCopies(store);
		copies.add("key.pem");
		given(store.read("key.pem")).willReturn(new SharedStore.Entry("renewed", "2"));
		copies.refresh();
		assertThat(output).contains("WARN").doesNotContain("taken over again");
		copies.refresh();
		assertThat(output).contains("Certificates of other replicas are taken over again");
		assertThat(copies.folder().resolve("key.pem")).hasContent("renewed");
		copies.close();
	}

}
