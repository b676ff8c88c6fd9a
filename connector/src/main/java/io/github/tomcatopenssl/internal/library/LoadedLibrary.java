// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.library;

import java.io.File;
import java.lang.module.ModuleDescriptor.Version;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.function.Supplier;

import io.github.tomcatopenssl.LoadAttempt;
import io.github.tomcatopenssl.LoadAttempt.Result;
import io.github.tomcatopenssl.TomcatNativeStatus;
import org.apache.catalina.Lifecycle;
import org.apache.catalina.LifecycleEvent;
import org.apache.catalina.core.AprLifecycleListener;
import org.apache.catalina.core.StandardServer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.tomcat.jni.AprStatus;
import org.apache.tomcat.jni.Library;
import org.apache.tomcat.jni.SSL;
import org.jspecify.annotations.Nullable;

/**
 * The one library that this JVM has loaded. All applications of the JVM share it, and it
 * is accepted or refused for good. Every use requires the lock that also guards Tomcat's
 * initialization and termination of the library.
 *
 * @param file the real path of the file, which may have been deleted, or {@code null} if
 * it is unknown
 * @param verdict whether the library was accepted
 * @param fipsUnavailabilityCause why the library does not work with only the FIPS
 * provider, as a clause of a sentence, or {@code null} if it does; has no meaning if the
 * library was refused
 */
record LoadedLibrary(@Nullable Path file, LoadAttempt verdict, @Nullable String fipsUnavailabilityCause) {

	private static final Log logger = LogFactory.getLog(LoadedLibrary.class);

	private static final String KEY_LOG_VARIABLE = "SSLKEYLOGFILE";

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
	 * Return the library, which other code may have loaded.
	 * @return the library, or {@code null} if none is loaded yet
	 */
	static @Nullable LoadedLibrary current() {
		if (current == null && isLoaded()) {
			Path file = MappedFiles.tomcatNative();
			String location = "a previously loaded file";
			if (file != null) {
				location = TemporaryCatalinaHome.isLibraryOfOne(file) ? BundledLibrary.location(Platform.current())
						: file.toString();
			}
			current = verified(file, location);
		}
		return current;
	}

	/**
	 * Load the library and verify it.
	 * @param home the folder that contains the library
	 * @param file the real path of the library
	 * @param location what messages call the library
	 * @return the attempt that failed, or {@code null} if a library is loaded
	 */
	static @Nullable LoadAttempt load(TemporaryCatalinaHome home, Path file, String location) {
		try {
			if (home.load()) {
				current = verified(file, location);
			}
			return null;
		}
		catch (VirtualMachineError ex) {
			throw ex;
		}
		catch (Throwable ex) {
			return isLoaded() ? null : failure(location, ex);
		}
	}

	// Recognizes messages of HotSpot, of glibc, of musl and glibc, and of the system
	static LoadAttempt failure(String location, Throwable error) {
		String message = String.valueOf(error.getMessage());
		Result result = Result.NOT_LOADABLE;
		if (message.contains("already loaded in another classloader")) {
			result = Result.OTHER_CLASS_LOADER;
		}
		else if (message.contains("failed to map segment") || message.contains("Operation not permitted")) {
			result = Result.NOT_EXECUTABLE;
		}
		else if (message.contains("Too many open files") || message.contains("No file descriptors")
				|| message.contains("Permission denied")) {
			result = Result.UNREADABLE;
		}
		return new LoadAttempt(location, result, "it cannot be loaded: " + message, error);
	}

	boolean isAccepted() {
		return this.verdict.result() == Result.LOADED;
	}

	TomcatNativeStatus status(List<LoadAttempt> attempts) {
		return new TomcatNativeStatus(isAccepted(), Versions.ofLoadedLibrary().toString(), Library.aprVersionString(),
				SSL.versionString(), this.verdict.location(), this.fipsUnavailabilityCause == null, attempts);
	}

	private static boolean isLoaded() {
		return Library.TCN_MAJOR_VERSION != 0;
	}

	private static LoadedLibrary verified(@Nullable Path file, String location) {
		LoadAttempt verdict = verify(location);
		boolean fips = verdict.result() == Result.LOADED && new AprLifecycleListener().isFIPSModeActive();
		return new LoadedLibrary(file, verdict, OpenSslProviders.fipsUnavailabilityCause(fips));
	}

	private static LoadAttempt verify(String location) {
		Version version = Versions.ofLoadedLibrary();
		if (!Versions.isSafe(version)) {
			if (!AprStatus.isAprInitialized()) {
				Library.terminate();
			}
			return LoadAttempt.failed(location, Result.TOO_OLD, Versions.refusal(version));
		}
		Version tomcat = Versions.ofTomcat();
		if (!Versions.worksWithSafeTomcatNative(tomcat)) {
			return LoadAttempt.failed(location, Result.OLD_TOMCAT,
					"Tomcat %s does not work with version %s".formatted(tomcat, version));
		}
		// A failure from before this library was loaded must not count
		if (AprStatus.isAprInitialized() && !AprStatus.isAprAvailable()) {
			AprStatus.setAprInitialized(false);
		}
		AprStatus.setInstanceCreated(true);
		if (!AprLifecycleListener.isAprAvailable()) {
			return LoadAttempt.failed(location, Result.REFUSED_BY_TOMCAT,
					"this Tomcat does not accept version " + version);
		}
		String cause = OpenSslProviders.unavailabilityCause();
		if (cause != null) {
			// A Tomcat that bypasses this class must not initialize the library either
			AprStatus.setAprAvailable(false);
			return LoadAttempt.failed(location, Result.NO_ALGORITHMS, cause);
		}
		keepInitialized();
		warnOfKeyLog(location);
		return new LoadAttempt(location, Result.LOADED, null, null);
	}

	/**
	 * Keep APR initialized for the life of the JVM. Tomcat terminates APR when the last
	 * server with the APR listener is destroyed. This would crash the JVM if a server
	 * without the listener still uses OpenSSL, or if a thread outlives its server. One
	 * additional reference prevents it.
	 */
	private static void keepInitialized() {
		new AprLifecycleListener()
			.lifecycleEvent(new LifecycleEvent(new StandardServer(), Lifecycle.BEFORE_INIT_EVENT, null));
	}

	/**
	 * Warn if Tomcat Native writes the secrets of all TLS sessions to a file. If the
	 * environment variable names a file, Tomcat Native opens the file when it is
	 * initialized, and does not log this. The bundled library does not write the secrets.
	 */
	private static void warnOfKeyLog(String location) {
		String file = System.getenv(KEY_LOG_VARIABLE);
		if (file != null && new File(file).canWrite()
				&& !location.startsWith(BundledLibrary.location(Platform.current()))) {
			logger
				.warn(("Tomcat Native writes the secrets of all TLS sessions to '%s', because the environment variable "
						+ "%s names it: anyone who can read that file can decrypt the traffic. Unset the variable, or use the bundled library")
					.formatted(file, KEY_LOG_VARIABLE));
		}
	}

}
