// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.library;

import java.nio.file.Path;

import io.github.tomcatopenssl.LoadAttempt;
import io.github.tomcatopenssl.LoadAttempt.Result;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LinkErrors}, with messages of dynamic linkers that are not the one of
 * this system.
 */
class LinkErrorsTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					Error loading shared library libapr-1.so.0: No such file or directory (needed by /x.so) | MISSING_DEPENDENCY | it needs libapr-1.so.0, which is not installed
					Error loading shared library ld-linux-x86-64.so.2: No such file or directory (needed by /x.so) | WRONG_LIBC | it needs ld-linux-x86-64.so.2, the C library of another system
					libc.musl-x86_64.so.1: cannot open shared object file: No such file or directory | WRONG_LIBC | it needs libc.musl-x86_64.so.1, the C library of another system
					/lib/libcrypto.so.3: version `OPENSSL_3.4.0' not found (required by /x.so) | MISSING_DEPENDENCY | it needs OPENSSL_3.4.0 of a library that is older here
					/lib/libc.so.6: version `GLIBC_2.38' not found (required by /x.so) | WRONG_LIBC | it needs GLIBC_2.38, which the C library of this system does not have
					/x.so: cannot open shared object file: No such file or directory (Possible cause: can't load AARCH64 .so on a AMD 64 platform) | WRONG_ARCHITECTURE | it is for AARCH64, and this JVM is for AMD 64
					/x.so: wrong ELF class: ELFCLASS32 (Possible cause: architecture word width mismatch) | WRONG_ARCHITECTURE | it is for another processor
					failed to map segment from shared object | NOT_EXECUTABLE | its file system does not allow executing it
					Native Library /x.so already loaded in another classloader | OTHER_CLASS_LOADER | it is already loaded in another class loader of this JVM
					C:\\x.dll: Can't find dependent libraries | MISSING_DEPENDENCY | it needs a library that is not installed
					something new | FAILED | it cannot be loaded: something new
					""")
	void explainsMessage(String message, Result result, String reason) {
		LoadAttempt attempt = LinkErrors.explain("/x.so", Path.of("/x.so"), new UnsatisfiedLinkError(message));
		assertThat(attempt).returns(result, LoadAttempt::result).returns(reason, LoadAttempt::reason);
	}

	@Test
	void everyFailureHasARemedy() {
		for (Result result : Result.values()) {
			if (result != Result.LOADED) {
				assertThat(result.action()).as(result.name()).isNotEmpty().doesNotEndWith(".");
			}
		}
	}

}
