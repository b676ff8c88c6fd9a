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

package io.github.tomcatopenssl;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

import io.github.tomcatopenssl.LoadAttempt.Result;
import org.jspecify.annotations.Nullable;

/**
 * What can be told of a library before it is loaded.
 */
final class NativeLibraryFile {

	private static final byte[] ELF = { 0x7F, 'E', 'L', 'F' };

	private NativeLibraryFile() {
	}

	/**
	 * Check a file.
	 * @param file the library
	 * @param location how to call it
	 * @return a refusal, or {@code null} when it may be loaded
	 */
	static @Nullable LoadAttempt check(Path file, String location) {
		if (!Files.isReadable(file)) {
			return LoadAttempt.failed(location, Result.UNREADABLE, "it cannot be read");
		}
		return isNativeLibrary(file) ? checkName(file, location)
				: LoadAttempt.failed(location, Result.FAILED, "it is not a native library");
	}

	// The dynamic linker complains on standard error about anything else
	private static boolean isNativeLibrary(Path file) {
		if (!Platform.current().classifier().startsWith("linux")) {
			return true;
		}
		try (InputStream in = Files.newInputStream(file)) {
			return Arrays.equals(in.readNBytes(ELF.length), ELF);
		}
		catch (IOException ex) {
			return false;
		}
	}

	// A library that is refused after it was loaded leaves no room for another
	private static @Nullable LoadAttempt checkName(Path file, String location) {
		try {
			TomcatNativeVersion version = TomcatNativeVersion.ofFileName(file.toRealPath().getFileName().toString());
			return (version == null || version.isSafe()) ? null
					: LoadAttempt.failed(location, Result.TOO_OLD, version.refusal());
		}
		catch (IOException ex) {
			return new LoadAttempt(location, Result.UNREADABLE, "it cannot be read", ex);
		}
	}

}
