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
import java.util.ArrayList;
import java.util.List;

import io.github.tomcatopenssl.LibrarySource;
import io.github.tomcatopenssl.LoadAttempt;
import io.github.tomcatopenssl.LoadAttempt.Result;
import io.github.tomcatopenssl.TomcatNative;
import io.github.tomcatopenssl.TomcatNativeStatus;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.core.NativeDetector;

/**
 * Finds Tomcat Native, loads it and verifies that it may serve TLS.
 * <p>
 * A JVM can load one Tomcat Native only: all instances share it.
 */
public final class TomcatNativeLoader implements TomcatNative {

	private static final Log logger = LogFactory.getLog(TomcatNativeLoader.class);

	private final LibrarySource source;

	private final @Nullable Path libraryPath;

	private final Path workFolder;

	private @Nullable TomcatNativeStatus status;

	/**
	 * Create a new instance.
	 * @param source where the library comes from, unless there is a library path
	 * @param libraryPath the library's file, or the folder it is in; tried alone when it
	 * is not {@code null}
	 * @param workFolder the folder that the bundled library is extracted into, or
	 * {@code null} for the one of temporary files
	 */
	public TomcatNativeLoader(LibrarySource source, @Nullable Path libraryPath, @Nullable Path workFolder) {
		this.source = source;
		this.libraryPath = libraryPath;
		this.workFolder = (workFolder != null) ? workFolder : Path.of(System.getProperty("java.io.tmpdir"));
	}

	@Override
	public synchronized TomcatNativeStatus status() {
		TomcatNativeStatus current = this.status;
		if (current == null) {
			current = load();
			this.status = current;
		}
		return current;
	}

	private TomcatNativeStatus load() {
		List<LoadAttempt> attempts = new ArrayList<>();
		String location = NativeDetector.inNativeImage() ? inNativeImage(attempts) : find(attempts);
		if (location != null) {
			attempts.add(LibraryVerifier.verify(location));
		}
		attempts.forEach((attempt) -> logger.debug(attempt, attempt.cause()));
		if (location == null) {
			return TomcatNativeStatus.unavailable(attempts);
		}
		boolean accepted = attempts.get(attempts.size() - 1).result() == Result.LOADED;
		return LibraryVerifier.status(accepted, location, attempts);
	}

	private static @Nullable String inNativeImage(List<LoadAttempt> attempts) {
		attempts.add(LoadAttempt.failed("GraalVM native image", Result.FAILED, "it cannot load Tomcat Native"));
		return null;
	}

	private @Nullable String find(List<LoadAttempt> attempts) {
		if (NativeLibraryLoader.isLoaded()) {
			return findLoaded(attempts);
		}
		if (this.libraryPath != null) {
			return loadFirst(LibraryCandidates.at(this.libraryPath), attempts);
		}
		String location = (this.source != LibrarySource.BUNDLED)
				? loadFirst(LibraryCandidates.onLibraryPath(), attempts) : null;
		return (location == null && this.source != LibrarySource.SYSTEM) ? loadBundled(attempts) : location;
	}

	private @Nullable String loadFirst(LibraryCandidates candidates, List<LoadAttempt> attempts) {
		if (candidates.files().isEmpty()) {
			attempts.add(LoadAttempt.failed(candidates.place(), Result.NOT_FOUND, candidates.absence()));
		}
		for (Path file : candidates.files()) {
			LoadAttempt refusal = LibraryFile.check(file, Platform.current());
			LoadAttempt failure = (refusal != null) ? refusal
					: NativeLibraryLoader.load(file, file.toString(), this.workFolder);
			if (failure == null) {
				return file.toString();
			}
			attempts.add(failure);
		}
		return null;
	}

	private @Nullable String loadBundled(List<LoadAttempt> attempts) {
		BundledLibrary library = new BundledLibrary(Platform.current(), this.workFolder);
		LoadAttempt failure = library.load();
		if (failure != null) {
			attempts.add(failure);
			return null;
		}
		return library.location();
	}

	private @Nullable String findLoaded(List<LoadAttempt> attempts) {
		NativeLibraryLoader.Loaded loaded = NativeLibraryLoader.loaded();
		String location = (loaded != null) ? loaded.location() : "a file loaded before";
		if (this.libraryPath != null && (loaded == null || !isAt(this.libraryPath, loaded.file()))) {
			attempts.add(LoadAttempt.failed(this.libraryPath.toString(), Result.OTHER_LIBRARY,
					"this JVM has loaded '" + location + "', and can load no second Tomcat Native"));
			return null;
		}
		return location;
	}

	private static boolean isAt(Path libraryPath, Path loaded) {
		return LibraryCandidates.at(libraryPath).files().stream().anyMatch((file) -> {
			try {
				return Files.isSameFile(file, loaded);
			}
			catch (IOException ex) {
				return false;
			}
		});
	}

}
