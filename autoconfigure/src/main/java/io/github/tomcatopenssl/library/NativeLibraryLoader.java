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
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import io.github.tomcatopenssl.LoadAttempt;
import io.github.tomcatopenssl.LoadAttempt.Result;
import org.apache.tomcat.jni.AprStatus;
import org.apache.tomcat.jni.Library;
import org.jspecify.annotations.Nullable;

/**
 * Loads one library through {@link Library}, as Tomcat does.
 * <p>
 * {@link Library} remembers what it has loaded for the life of the JVM. Everything here
 * happens under Tomcat's own lock, which also guards the termination of APR.
 */
final class NativeLibraryLoader {

	private static final String CATALINA_HOME = "catalina.home";

	private static final Pattern MAPPED = Pattern.compile("/[^/]*tcnative[^/]*\\.so[^/]*$");

	private static @Nullable Loaded loaded;

	private NativeLibraryLoader() {
	}

	/**
	 * Return whether this JVM has loaded a library, here or elsewhere.
	 * @return whether there is one
	 */
	static boolean isLoaded() {
		return Library.TCN_MAJOR_VERSION != 0;
	}

	/**
	 * Return what this JVM has loaded.
	 * @return the library, or {@code null} when it cannot be told
	 */
	static @Nullable Loaded loaded() {
		return withLock(() -> {
			if (loaded == null) {
				Path file = mappedFile();
				loaded = (file != null) ? new Loaded(file, location(file)) : null;
			}
			return loaded;
		});
	}

	/**
	 * Load a library.
	 * @param file the library
	 * @param location how to call it
	 * @param workFolder a folder that can be written to
	 * @return the attempt that failed, or {@code null} when the library is loaded
	 */
	static @Nullable LoadAttempt load(Path file, String location, Path workFolder) {
		return withLock(() -> {
			try {
				initialize(file, workFolder);
				return remember(file, location);
			}
			catch (VirtualMachineError ex) {
				throw ex;
			}
			catch (IOException ex) {
				return new LoadAttempt(location, Result.NOT_EXTRACTED,
						"a link to it cannot be made in '%s': %s".formatted(workFolder, ex), ex);
			}
			catch (Throwable ex) {
				return LinkErrors.explain(file.toString(), ex);
			}
		});
	}

	// Another thread may have changed catalina.home at the wrong moment, as Tomcat does
	private static @Nullable LoadAttempt remember(Path file, String location) throws IOException {
		Path mapped = mappedFile();
		if (mapped == null || Files.isSameFile(mapped, file)) {
			loaded = new Loaded(file, location);
			return null;
		}
		loaded = new Loaded(mapped, location(mapped));
		return LoadAttempt.failed(location, Result.OTHER_LIBRARY,
				"'" + mapped + "' was loaded in its place, as another server was starting at the same time");
	}

	/**
	 * {@link Library} looks into {@code catalina.home/bin} first. A link there makes any
	 * file loadable, whatever its name and folder, and nothing else is tried.
	 * @param file the library
	 * @param workFolder the folder for the link
	 * @throws Exception if it cannot be loaded
	 */
	private static void initialize(Path file, Path workFolder) throws Exception {
		Path bin = file.getParent();
		Path parent = (bin != null) ? bin.getParent() : null;
		if (parent != null && LibraryHome.isLibraryOfOne(file)) {
			initializeIn(parent);
			return;
		}
		try (LibraryHome home = LibraryHome.createIn(workFolder)) {
			home.link(file.toRealPath());
			initializeIn(home.path());
		}
	}

	private static void initializeIn(Path home) throws Exception {
		String previous = System.getProperty(CATALINA_HOME);
		System.setProperty(CATALINA_HOME, home.toString());
		try {
			Library.initialize(null);
		}
		finally {
			restore(home, previous);
		}
	}

	private static void restore(Path home, @Nullable String previous) {
		if (!home.toString().equals(System.getProperty(CATALINA_HOME))) {
			return;
		}
		if (previous != null) {
			System.setProperty(CATALINA_HOME, previous);
		}
		else {
			System.clearProperty(CATALINA_HOME);
		}
	}

	private static String location(Path file) {
		return LibraryHome.isLibraryOfOne(file) ? "bundled " + Platform.current().classifier() : file.toString();
	}

	private static @Nullable Path mappedFile() {
		try (Stream<String> mappings = Files.lines(Path.of("/proc/self/maps"))) {
			return mappings.filter((mapping) -> MAPPED.matcher(mapping).find())
				.map((mapping) -> Path.of(mapping.substring(mapping.indexOf('/')).replace(" (deleted)", "")))
				.findFirst()
				.orElse(null);
		}
		catch (IOException | UncheckedIOException ex) {
			return null;
		}
	}

	static <T extends @Nullable Object> T withLock(Supplier<T> action) {
		Lock lock = AprStatus.getStatusLock().writeLock();
		lock.lock();
		try {
			return action.get();
		}
		finally {
			lock.unlock();
		}
	}

	/**
	 * A library that this JVM has loaded.
	 *
	 * @param file the file it was loaded from, which may be deleted
	 * @param location how to call it
	 */
	record Loaded(Path file, String location) {
	}

}
