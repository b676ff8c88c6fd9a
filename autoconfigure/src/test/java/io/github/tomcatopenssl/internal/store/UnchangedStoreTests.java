// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.store;

import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link UnchangedStore} of a {@link DryRun}.
 */
class UnchangedStoreTests {

	@TempDir
	private Path parent;

	@TempDir
	private Path written;

	private final List<StoreLock> locks = List.of();

	@Test
	void whenEntriesAreWrittenThenTheStoreStaysAsItIs() throws IOException {
		FolderStore folder = new FolderStore(this.parent);
		folder.createFolder("ca");
		folder.write("ca/one", "before", this.locks);
		SharedStore view = new DryRun(this.written).view(folder);
		view.createFolder("ca");
		view.keepCopy("ca/one");
		assertThat(view.file("ca/one")).hasContent("before").startsWith(this.written);
		view.write("ca/one", "after", this.locks);
		assertThat(view.replace("ca/two", "new", null)).isTrue();
		assertThat(List.of(view.read("ca/one").content(), view.read("ca/two").content())).containsExactly("after",
				"new");
		assertThat(view.changes("ca/", null).names()).containsExactly("ca/one");
		assertThat(folder.read("ca/one").content()).isEqualTo("before");
		assertThat(folder.read("ca/two")).isNull();
	}

	@Test
	void whenFolderCannotBeCreatedThenFailsAsItsCreationWould() throws IOException {
		Path file = Files.createFile(this.parent.resolve("file"));
		SharedStore view = new DryRun(this.written).view(new FolderStore(this.parent));
		assertThatExceptionOfType(FileAlreadyExistsException.class).isThrownBy(() -> view.createFolder("file"));
		assertThatExceptionOfType(FileSystemException.class).isThrownBy(() -> view.createFolder("file/ca/one"))
			.withMessage("%s/ca: Not a directory", file);
	}

}
