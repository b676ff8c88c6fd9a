// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.library;

import io.github.tomcatopenssl.LoadAttempt;
import io.github.tomcatopenssl.LoadAttempt.Result;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link LoadedLibrary}, with messages of dynamic linkers of other systems.
 * {@code LibrarySelectionTests} loads real libraries.
 */
class LoadedLibraryTests {

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			/x.so: failed to map segment from shared object | NOT_EXECUTABLE
			Error loading shared library /x.so: Operation not permitted | NOT_EXECUTABLE
			Native Library /x.so already loaded in another classloader | OTHER_CLASS_LOADER
			libapr-1.so.0: cannot open shared object file: No such file or directory | NOT_LOADABLE
			/lib/libc.so.6: version `GLIBC_2.38' not found (required by /x.so) | NOT_LOADABLE
			/x.so: cannot open shared object file: Too many open files | UNREADABLE
			/x.so: cannot open shared object file: Permission denied | UNREADABLE
			C:\\x.dll: Can't find dependent libraries | NOT_LOADABLE
			""")
	void whenLibraryIsNotLoadedThenMessageStandsAndResultHasTheRemedy(String message, Result result) {
		LoadAttempt attempt = LoadedLibrary.failure("/x.so", new UnsatisfiedLinkError(message));
		assertThat(attempt).returns(result, LoadAttempt::result)
			.returns("it cannot be loaded: " + message, LoadAttempt::reason);
	}

}
