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

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link CLibrary}.
 */
class CLibraryTests {

	@ParameterizedTest
	@CsvSource({ "libc.so.6,GLIBC", "libm.so.6,GLIBC", "ld-linux-x86-64.so.2,GLIBC", "libpthread.so.0,GLIBC",
			"libc.so,MUSL", "libc.musl-x86_64.so.1,MUSL", "ld-musl-aarch64.so.1,MUSL" })
	void whenOneOfItsFilesIsNeededThenIsRecognised(String needed, CLibrary library) {
		assertThat(CLibrary.of(List.of("libssl.so.3", needed))).isEqualTo(library);
	}

	@Test
	void whenNoneOfItsFilesIsNeededThenCannotBeTold() {
		assertThat(CLibrary.of(List.of("libcrypto.so.3"))).isNull();
		assertThat(CLibrary.of(List.of())).isNull();
	}

}
