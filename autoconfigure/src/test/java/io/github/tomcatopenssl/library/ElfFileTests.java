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
import java.util.Arrays;
import java.util.Random;

import io.github.tomcatopenssl.test.Provided;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

/**
 * Tests for {@link ElfFile}.
 */
class ElfFileTests {

	@TempDir
	private Path folder;

	@Test
	void whenLibraryIsWholeThenReadsWhatItNeeds() throws IOException {
		ElfFile elf = ElfFile.read(Provided.tomcatNative());
		assertThat(elf).isNotNull();
		assertThat(elf.needed()).contains("libapr-1.so.0", "libc.so.6");
	}

	@Test
	void whenLibraryIsForMuslThenReadsWhatItNeeds() throws IOException {
		ElfFile elf = ElfFile.read(Provided.muslTomcatNative());
		assertThat(elf).isNotNull();
		assertThat(elf.needed()).containsExactly("libc.so");
	}

	@Test
	void whenFileIsNotInTheFormatThenIsNull() throws IOException {
		assertThat(ElfFile.read(write(new byte[0]))).isNull();
		assertThat(ElfFile.read(write("no library".getBytes()))).isNull();
	}

	@Test
	void whenLibraryIsCutOffThenFails() throws IOException {
		byte[] library = Files.readAllBytes(Provided.tomcatNative());
		for (int length : new int[] { 4, 5, 63, 64, 100, 600, 4096, library.length / 2, library.length * 9 / 10 }) {
			Path file = write(Arrays.copyOf(library, length));
			assertThatIOException().as("%d bytes", length).isThrownBy(() -> ElfFile.read(file));
		}
	}

	@Test
	void whenLibraryIsDamagedThenReadsItOrFails() throws IOException {
		byte[] library = Files.readAllBytes(Provided.tomcatNative());
		Random random = new Random(1);
		for (int i = 0; i < 2000; i++) {
			byte[] damaged = library.clone();
			for (int j = 0; j < 8; j++) {
				damaged[4 + random.nextInt(700)] = (byte) random.nextInt();
			}
			read(write(damaged));
		}
	}

	private static void read(Path file) {
		try {
			assertThat(ElfFile.read(file)).isNotNull();
		}
		catch (IOException ex) {
			assertThat(ex).hasMessageStartingWith("It ");
		}
	}

	private Path write(byte[] content) throws IOException {
		return Files.write(this.folder.resolve("library"), content);
	}

}
