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
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

import io.github.tomcatopenssl.LoadAttempt;
import io.github.tomcatopenssl.LoadAttempt.Result;
import org.jspecify.annotations.Nullable;

/**
 * Tomcat Native that comes as a dependency. It is extracted, compared with its SHA-256,
 * loaded, and deleted as soon as the JVM has it.
 *
 * @param platform what it is for
 * @param workFolder where to extract it
 */
record BundledLibrary(Platform platform, Path workFolder) {

	static String location(Platform platform) {
		return "bundled " + platform.classifier();
	}

	/**
	 * Extract and load the library.
	 * @return the attempt that failed, or {@code null} when a library is loaded
	 */
	@Nullable LoadAttempt load() {
		ClassLoader classLoader = BundledLibrary.class.getClassLoader();
		try (InputStream library = classLoader.getResourceAsStream(this.platform.resource());
				InputStream checksum = classLoader.getResourceAsStream(this.platform.resource() + ".sha256")) {
			if (library == null || checksum == null) {
				return LoadAttempt.failed(location(this.platform), Result.NOT_BUNDLED,
						"no dependency brings a library for " + this.platform.classifier());
			}
			return load(library, new String(checksum.readAllBytes(), StandardCharsets.US_ASCII).strip());
		}
		catch (IOException ex) {
			return new LoadAttempt(location(this.platform), Result.NOT_EXTRACTED,
					"it cannot be extracted into '%s': %s".formatted(this.workFolder, ex), ex);
		}
	}

	private @Nullable LoadAttempt load(InputStream library, String checksum) throws IOException {
		try (LibraryHome home = LibraryHome.createIn(this.workFolder)) {
			Files.copy(library, home.library());
			String location = location(this.platform);
			if (!checksum.equals(sha256(home.library()))) {
				return LoadAttempt.failed(location, Result.NOT_EXTRACTED,
						"'%s' does not have the content that was written to it".formatted(home.library()));
			}
			LoadAttempt failure = LoadedLibrary.load(home, home.library().toRealPath(), location);
			return (failure != null) ? explain(failure, home.library()) : null;
		}
	}

	private static LoadAttempt explain(LoadAttempt failure, Path file) {
		Result result = (failure.result() != Result.NOT_EXECUTABLE) ? failure.result() : Result.NOT_EXTRACTED;
		return new LoadAttempt(failure.location(), result, failure.reason() + " ('" + file + "')", failure.cause());
	}

	private static String sha256(Path file) throws IOException {
		try {
			MessageDigest digest = MessageDigest.getInstance("SHA-256");
			return HexFormat.of().formatHex(digest.digest(Files.readAllBytes(file)));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
