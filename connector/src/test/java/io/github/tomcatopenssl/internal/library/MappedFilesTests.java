// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.library;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link MappedFiles}.
 */
class MappedFilesTests {

	@ParameterizedTest
	@ValueSource(strings = { "/lib/ld-musl-x86_64.so.1", "/usr/lib/ld-musl-aarch64.so.1",
			"/usr/lib/x86_64-linux-musl/libc.so" })
	void whenLibraryOrLoaderIsOfMuslThenIsMusl(String file) {
		assertThat(MappedFiles.isMusl(file)).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "/usr/lib/x86_64-linux-gnu/libc.so.6", "/lib/x86_64-linux-gnu/libc-2.31.so",
			"/lib64/ld-linux-x86-64.so.2", "/usr/lib/jvm/java-17/lib/server/libjvm.so" })
	void whenLibraryOrLoaderIsOfAnotherThenIsNotMusl(String file) {
		assertThat(MappedFiles.isMusl(file)).isFalse();
	}

}
