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
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HexFormat;

import io.github.tomcatopenssl.LoadAttempt;
import io.github.tomcatopenssl.LoadAttempt.Result;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Tomcat Native that comes as a dependency. It is extracted into a private folder,
 * compared with its SHA-256, loaded, and deleted as soon as the JVM has it.
 */
final class BundledLibrary {

	private static final Log logger = LogFactory.getLog(BundledLibrary.class);

	private final Platform platform;

	private final Path workFolder;

	BundledLibrary(Platform platform, Path workFolder) {
		this.platform = platform;
		this.workFolder = workFolder;
	}

	String location() {
		return "bundled " + this.platform.classifier();
	}

	/**
	 * Extract and load the library.
	 * @return the attempt that failed, or {@code null} when the library is loaded
	 */
	@Nullable LoadAttempt load() {
		ClassLoader classLoader = BundledLibrary.class.getClassLoader();
		try (InputStream library = classLoader.getResourceAsStream(this.platform.resource());
				InputStream checksum = classLoader.getResourceAsStream(this.platform.resource() + ".sha256")) {
			if (library == null || checksum == null) {
				return LoadAttempt.failed(location(), Result.NOT_BUNDLED,
						"no dependency brings a library for " + this.platform.classifier());
			}
			return extractAndLoad(library, new String(checksum.readAllBytes(), StandardCharsets.US_ASCII).strip());
		}
		catch (IOException ex) {
			return new LoadAttempt(location(), Result.NOT_EXTRACTED,
					"it cannot be extracted into '%s': %s".formatted(this.workFolder, ex), ex);
		}
	}

	private @Nullable LoadAttempt extractAndLoad(InputStream library, String checksum) throws IOException {
		try (LibraryHome home = LibraryHome.createIn(this.workFolder)) {
			Path file = home.library();
			logger.debug("Extracting " + location() + " to " + file);
			home.extract(library);
			if (!checksum.equals(sha256(file))) {
				return LoadAttempt.failed(location(), Result.NOT_EXTRACTED,
						"'%s' does not have the content that was written to it".formatted(file));
			}
			LoadAttempt failure = NativeLibraryLoader.load(file, location(), this.workFolder);
			return (failure != null) ? explain(failure, file) : null;
		}
	}

	private LoadAttempt explain(LoadAttempt failure, Path file) {
		Result result = (failure.result() != Result.NOT_EXECUTABLE) ? failure.result() : Result.NOT_EXTRACTED;
		return new LoadAttempt(location(), result, failure.reason() + " ('" + file + "')", failure.cause());
	}

	private static String sha256(Path file) throws IOException {
		try (InputStream in = Files.newInputStream(file)) {
			MessageDigest digest = MessageDigest.getInstance("SHA-256");
			byte[] buffer = new byte[65536];
			for (int length = in.read(buffer); length != -1; length = in.read(buffer)) {
				digest.update(buffer, 0, length);
			}
			return HexFormat.of().formatHex(digest.digest());
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
