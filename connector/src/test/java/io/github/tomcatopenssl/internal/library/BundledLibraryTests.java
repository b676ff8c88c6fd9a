// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.library;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import io.github.tomcatopenssl.LoadAttempt;
import io.github.tomcatopenssl.LoadAttempt.Result;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link BundledLibrary}, with a library on the class path that cannot be
 * loaded. {@code LibrarySelectionTests} has those with one that can.
 */
class BundledLibraryTests {

	private static final Platform PLATFORM = new Platform("test-platform");

	@TempDir
	private Path folder;

	@BeforeEach
	void provideLibrary() throws IOException {
		Path library = Path.of("target/test-classes", PLATFORM.resource());
		Files.createDirectories(library.getParent());
		Files.writeString(library, "no library");
		Files.writeString(library.resolveSibling(library.getFileName() + ".sha256"), "wrong");
	}

	@Test
	void whenThereIsNoLibraryForPlatformThenSaysSo() {
		LoadAttempt attempt = new BundledLibrary(new Platform("linux-riscv64"), this.folder).load();
		assertThat(attempt).returns("bundled linux-riscv64", LoadAttempt::location)
			.returns(Result.NOT_BUNDLED, LoadAttempt::result)
			.returns("no dependency provides a library for linux-riscv64", LoadAttempt::reason);
	}

	@Test
	void whenContentIsWrongThenRefusesItAndLeavesNothing() throws IOException {
		LoadAttempt attempt = new BundledLibrary(PLATFORM, this.folder).load();
		assertThat(attempt).returns(Result.NOT_EXTRACTED, LoadAttempt::result);
		assertThat(attempt.reason()).contains(this.folder + "/tomcat-openssl-", "does not have the content");
		assertThat(files()).isEmpty();
	}

	@Test
	void whenFolderCannotBeWrittenThenSaysSo() {
		LoadAttempt attempt = new BundledLibrary(PLATFORM, this.folder.resolve("missing")).load();
		assertThat(attempt).returns(Result.NOT_EXTRACTED, LoadAttempt::result);
		assertThat(attempt.reason()).startsWith("it cannot be extracted into '" + this.folder.resolve("missing") + "'");
	}

	private List<Path> files() throws IOException {
		try (Stream<Path> files = Files.list(this.folder)) {
			return files.toList();
		}
	}

}
