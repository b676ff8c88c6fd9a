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
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

import io.github.tomcatopenssl.LoadAttempt;
import io.github.tomcatopenssl.LoadAttempt.Result;
import org.jspecify.annotations.Nullable;

/**
 * What can be told of a library before it is loaded. One that is refused after it was
 * loaded leaves no room for another.
 */
final class NativeLibraryFile {

	/**
	 * A larger file contains OpenSSL, and its version cannot be told.
	 */
	private static final int LARGEST_WITH_VERSION = 1 << 20;

	private NativeLibraryFile() {
	}

	/**
	 * Check a file.
	 * @param file the library
	 * @param platform what it has to be for
	 * @return a refusal, or {@code null} when it may be loaded
	 */
	static @Nullable LoadAttempt check(Path file, Platform platform) {
		String location = file.toString();
		if (!Files.isReadable(file)) {
			return LoadAttempt.failed(location, Result.UNREADABLE, "it cannot be read");
		}
		LoadAttempt refusal = platform.isLinux() ? checkFormat(file, platform.cLibrary()) : null;
		return (refusal != null) ? refusal : checkVersion(file);
	}

	private static @Nullable LoadAttempt checkFormat(Path file, CLibrary expected) {
		try {
			ElfFile elf = ElfFile.read(file);
			if (elf == null) {
				return LoadAttempt.failed(file.toString(), Result.FAILED, "it is not a native library");
			}
			CLibrary actual = CLibrary.of(elf.needed());
			return (actual == null || actual == expected) ? null : LoadAttempt.failed(file.toString(),
					Result.WRONG_LIBC, "it is for %s, and this JVM is for %s".formatted(actual, expected));
		}
		catch (IOException ex) {
			return new LoadAttempt(file.toString(), Result.FAILED, "it is an incomplete or damaged library", ex);
		}
	}

	private static @Nullable LoadAttempt checkVersion(Path file) {
		try {
			TomcatNativeVersion version = TomcatNativeVersion.ofFileName(file.toRealPath().getFileName().toString());
			if (version == null && Files.size(file) <= LARGEST_WITH_VERSION) {
				version = TomcatNativeVersion.unsafeIn(Files.readString(file, StandardCharsets.ISO_8859_1));
			}
			return (version == null || version.isSafe()) ? null
					: LoadAttempt.failed(file.toString(), Result.TOO_OLD, version.refusal());
		}
		catch (IOException ex) {
			return new LoadAttempt(file.toString(), Result.UNREADABLE, "it cannot be read", ex);
		}
	}

}
