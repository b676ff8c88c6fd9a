// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.library;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import org.jspecify.annotations.Nullable;

/**
 * Files that are mapped into this process. Only Linux lists them. On other systems the
 * list is empty.
 */
final class MappedFiles {

	private static final Path MAPPINGS = Path.of("/proc/self/maps");

	private static final String DELETED = " (deleted)";

	private MappedFiles() {
	}

	static boolean includeMusl() {
		return executables().anyMatch(MappedFiles::isMusl);
	}

	// musl's C library is also its loader, and either name may be the link
	static boolean isMusl(String file) {
		return file.contains("/ld-musl-") || file.endsWith("/libc.so");
	}

	// Returns the file that other code has loaded, even if deleted, or null if unknown
	static @Nullable Path tomcatNative() {
		List<Path> files = executables().map((file) -> Path.of(file.replace(DELETED, "")))
			.filter(LibraryCandidates::isNamedLikeOne)
			.distinct()
			.toList();
		return (files.size() == 1) ? files.get(0) : null;
	}

	private static Stream<String> executables() {
		try {
			return new String(Files.readAllBytes(MAPPINGS), StandardCharsets.UTF_8).lines()
				.filter((mapping) -> mapping.contains(" r-xp ") && mapping.contains("/"))
				.map((mapping) -> mapping.substring(mapping.indexOf('/')));
		}
		catch (IOException ex) {
			return Stream.empty();
		}
	}

}
