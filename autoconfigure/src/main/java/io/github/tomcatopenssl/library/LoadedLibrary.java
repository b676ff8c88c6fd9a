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

import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;

import io.github.tomcatopenssl.LoadAttempt;
import io.github.tomcatopenssl.LoadAttempt.Result;
import io.github.tomcatopenssl.TomcatNativeStatus;
import org.apache.tomcat.jni.AprStatus;
import org.apache.tomcat.jni.Library;
import org.apache.tomcat.jni.SSL;
import org.jspecify.annotations.Nullable;

/**
 * The one library that this JVM has loaded, accepted or refused for good, which all of
 * its applications share. None of this is used without the lock that also guards Tomcat's
 * initialization and termination of the library.
 *
 * @param file the real path of the file, which may be deleted, or {@code null} when it
 * cannot be told
 * @param verdict whether it was accepted
 */
record LoadedLibrary(@Nullable Path file, LoadAttempt verdict) {

	private static @Nullable LoadedLibrary current;

	static <T> T withLock(Supplier<T> action) {
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
	 * Return the library, which someone else may have loaded.
	 * @return the library, or {@code null} when there is none yet
	 */
	static @Nullable LoadedLibrary current() {
		if (current == null && isLoaded()) {
			Path file = MappedFiles.tomcatNative();
			String location = (file != null) ? location(file) : "a file loaded before";
			current = new LoadedLibrary(file, LibraryVerifier.verify(location));
		}
		return current;
	}

	/**
	 * Load the library, and verify it.
	 * @param home the folder it is in
	 * @param file its real path
	 * @param location how to call it
	 * @return the attempt that failed, or {@code null} when a library is loaded
	 */
	static @Nullable LoadAttempt load(LibraryHome home, Path file, String location) {
		try {
			if (home.load()) {
				current = new LoadedLibrary(file, LibraryVerifier.verify(location));
			}
			return null;
		}
		catch (VirtualMachineError ex) {
			throw ex;
		}
		catch (Throwable ex) {
			return isLoaded() ? null : LinkErrors.explain(location, home.library(), ex);
		}
	}

	TomcatNativeStatus status(List<LoadAttempt> attempts) {
		return new TomcatNativeStatus(this.verdict.result() == Result.LOADED, Versions.ofLoadedLibrary().toString(),
				Library.aprVersionString(), SSL.versionString(), this.verdict.location(), attempts);
	}

	private static boolean isLoaded() {
		return Library.TCN_MAJOR_VERSION != 0;
	}

	private static String location(Path file) {
		return LibraryHome.isLibraryOfOne(file) ? BundledLibrary.location(Platform.current()) : file.toString();
	}

}
