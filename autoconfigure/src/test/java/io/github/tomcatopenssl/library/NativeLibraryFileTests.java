/*
 * Copyright 2026-present the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.github.tomcatopenssl.library;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import io.github.tomcatopenssl.LoadAttempt;
import io.github.tomcatopenssl.LoadAttempt.Result;
import io.github.tomcatopenssl.test.Provided;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link NativeLibraryFile}, for platforms that are not this one: those for
 * this one are in {@code LibrarySelectionTests}.
 */
class NativeLibraryFileTests {

	private static final Platform GLIBC = new Platform("linux-x86_64");

	private static final Platform MUSL = new Platform("linux-x86_64-musl");

	@Test
	void whenLibraryIsForTheSameCLibraryThenMayBeLoaded() {
		assertThat(NativeLibraryFile.check(Provided.tomcatNative(), GLIBC)).isNull();
		assertThat(NativeLibraryFile.check(Provided.muslTomcatNative(), MUSL)).isNull();
	}

	@Test
	void whenLibraryIsForTheOtherCLibraryThenIsRefused() {
		assertThat(NativeLibraryFile.check(Provided.tomcatNative(), MUSL))
			.returns(Result.WRONG_LIBC, LoadAttempt::result)
			.returns("it is for glibc, and this JVM is for musl", LoadAttempt::reason);
		assertThat(NativeLibraryFile.check(Provided.muslTomcatNative(), GLIBC))
			.returns(Result.WRONG_LIBC, LoadAttempt::result)
			.returns("it is for musl, and this JVM is for glibc", LoadAttempt::reason);
	}

	@Test
	void whenSystemIsNotLinuxThenFormatIsLeftToIt(@TempDir Path folder) throws IOException {
		Path file = Files.writeString(folder.resolve("tcnative-2.dll"), "MZ");
		assertThat(NativeLibraryFile.check(file, new Platform("windows-x86_64"))).isNull();
		assertThat(NativeLibraryFile.check(file, GLIBC)).returns("it is not a native library", LoadAttempt::reason);
	}

}
