// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.library;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LibraryCandidates}.
 */
class LibraryCandidatesTests {

	@TempDir
	private Path temporary;

	private Path folder;

	private Path loaded;

	@BeforeEach
	void createFile() throws IOException {
		this.folder = this.temporary.toRealPath();
		this.loaded = Files.createFile(this.folder.resolve("libtcnative-2.so"));
	}

	@Test
	void whenPathLeadsToLoadedFileThenIncludesIt() throws IOException {
		assertThat(LibraryCandidates.include(this.loaded, this.loaded)).isTrue();
		assertThat(LibraryCandidates.include(this.folder, this.loaded)).isTrue();
		assertThat(LibraryCandidates.include(this.folder.resolve("../" + this.folder.getFileName()), this.loaded))
			.isTrue();
		Path link = Files.createSymbolicLink(this.folder.resolve("link.so"), this.loaded.getFileName());
		assertThat(LibraryCandidates.include(link, this.loaded)).isTrue();
		Path linked = Files.createSymbolicLink(this.folder.resolve("linked"), this.folder);
		assertThat(LibraryCandidates.include(linked, this.loaded)).isTrue();
	}

	@Test
	void whenLoadedFileIsDeletedThenPathStillLeadsToIt() throws IOException {
		Path linked = Files.createSymbolicLink(this.folder.resolve("linked"), this.folder);
		Files.delete(this.loaded);
		assertThat(LibraryCandidates.include(this.loaded, this.loaded)).isTrue();
		assertThat(LibraryCandidates.include(this.folder, this.loaded)).isTrue();
		assertThat(LibraryCandidates.include(linked.resolve("libtcnative-2.so"), this.loaded)).isTrue();
	}

	@Test
	void whenPathLeadsElsewhereThenDoesNotIncludeLoadedFile() throws IOException {
		Path copy = Files.copy(this.loaded, Files.createDirectory(this.folder.resolve("copy")).resolve("tcnative.so"));
		assertThat(LibraryCandidates.include(copy, this.loaded)).isFalse();
		assertThat(LibraryCandidates.include(copy.getParent(), this.loaded)).isFalse();
		assertThat(LibraryCandidates.include(this.folder.resolve("nowhere/at/all"), this.loaded)).isFalse();
		assertThat(LibraryCandidates.include(this.loaded, null)).isFalse();
	}

	@Test
	void whenPathIsFileOrFolderThenItIsTheCandidate() {
		assertThat(LibraryCandidates.at(this.loaded).files()).containsExactly(this.loaded);
		assertThat(LibraryCandidates.at(this.folder).files()).containsExactly(this.loaded);
		assertThat(LibraryCandidates.at(this.folder.resolve("nowhere")).files()).isEmpty();
	}

}
