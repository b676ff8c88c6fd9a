// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.library;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

import io.github.tomcatopenssl.LoadAttempt;
import io.github.tomcatopenssl.LoadAttempt.Result;
import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.Provided;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

/**
 * Tests for {@link LibraryFile}. {@code LibrarySelectionTests} tests what happens to a
 * refused file.
 */
@Tag("jdk")
@Tag("servers")
class LibraryFileTests {

	private static final Platform GLIBC = new Platform("linux-x86_64");

	private static final Platform MUSL = new Platform("linux-x86_64-musl");

	@TempDir
	private Path folder;

	private Path file;

	@BeforeEach
	void setFile() {
		this.file = this.folder.resolve("libtcnative-2.so");
	}

	@Test
	void whenLibraryIsForTheSameCLibraryThenMayBeLoaded() {
		assertThat(LibraryFile.check(Provided.tomcatNative(), GLIBC)).isNull();
		assertThat(LibraryFile.check(Provided.muslTomcatNative(), MUSL)).isNull();
	}

	@Test
	void whenLibraryIsForTheOtherCLibraryThenIsRefused() {
		assertThat(LibraryFile.check(Provided.tomcatNative(), MUSL)).returns(Result.NOT_LOADABLE, LoadAttempt::result)
			.returns("it is for glibc, but this JVM is for musl", LoadAttempt::reason);
		assertThat(LibraryFile.check(Provided.muslTomcatNative(), GLIBC))
			.returns(Result.NOT_LOADABLE, LoadAttempt::result)
			.returns("it is for musl, but this JVM is for glibc", LoadAttempt::reason);
	}

	@ParameterizedTest
	@ValueSource(strings = { "MZ", "no library", "" })
	void whenFileIsAnotherThenIsRefused(String content) throws IOException {
		assertThat(LibraryFile.check(Files.writeString(this.file, content), GLIBC)).returns("it is not Tomcat Native",
				LoadAttempt::reason);
	}

	@Test
	void whenFormatIsAnotherThenIsLeftToTheSystem() throws IOException {
		Files.writeString(this.file, "MZ Java_org_apache_tomcat_jni_Library_version");
		assertThat(LibraryFile.check(this.file, GLIBC)).isNull();
	}

	@Test
	void whenThereIsNoFileThenCannotBeRead() {
		assertThat(LibraryFile.check(this.file, GLIBC)).returns(Result.UNREADABLE, LoadAttempt::result)
			.returns("it cannot be read: it does not exist", LoadAttempt::reason);
	}

	@Test
	void whenFileCannotBeReadThenGivesTheReason() {
		assumeThat(Path.of("/proc/self/mem")).exists();
		assertThat(LibraryFile.check(Path.of("/proc/self/mem"), GLIBC)).returns(Result.UNREADABLE, LoadAttempt::result)
			.returns("it cannot be read: Input/output error", LoadAttempt::reason);
	}

	@Test
	@Timeout(60)
	void whenFileIsAPipeThenDoesNotReadIt() {
		Commands.run("", List.of("mkfifo", this.file.toString())).orFail();
		assertThat(LibraryFile.check(this.file, GLIBC)).returns("it is not a regular file", LoadAttempt::reason);
	}

	@ParameterizedTest
	@ValueSource(ints = { 6, 63, 64, 100, 600, 4096, -1, -10000, -40000 })
	void whenLibraryIsCutOffThenIsRefused(int length) throws IOException {
		byte[] library = Files.readAllBytes(Provided.tomcatNative());
		Files.write(this.file, Arrays.copyOf(library, (length > 0) ? length : library.length + length));
		assertThat(LibraryFile.check(this.file, GLIBC)).returns("it is an incomplete library", LoadAttempt::reason);
	}

	@Test
	void whenLibraryIsAnotherThenIsRefused() {
		Path other = Path.of(System.getProperty("java.home"), "lib", "libzip.so");
		assertThat(LibraryFile.check(other, GLIBC)).returns("it is not Tomcat Native", LoadAttempt::reason);
	}

}
