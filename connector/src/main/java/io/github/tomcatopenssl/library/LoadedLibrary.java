// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.library;

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
 * @param fipsObstacle why it does not work with the FIPS provider alone, as a clause of a
 * sentence, or {@code null} when it does; of no meaning when it was refused
 */
record LoadedLibrary(@Nullable Path file, LoadAttempt verdict, @Nullable String fipsObstacle) {

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
			String location = "a file loaded before";
			if (file != null) {
				location = LibraryHome.isLibraryOfOne(file) ? BundledLibrary.location(Platform.current())
						: file.toString();
			}
			current = verified(file, location);
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
				current = verified(file, location);
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

	boolean isAccepted() {
		return this.verdict.result() == Result.LOADED;
	}

	TomcatNativeStatus status(List<LoadAttempt> attempts) {
		return new TomcatNativeStatus(isAccepted(), Versions.ofLoadedLibrary().toString(), Library.aprVersionString(),
				SSL.versionString(), this.verdict.location(), this.fipsObstacle == null, attempts);
	}

	private static boolean isLoaded() {
		return Library.TCN_MAJOR_VERSION != 0;
	}

	private static LoadedLibrary verified(@Nullable Path file, String location) {
		LoadAttempt verdict = verify(location);
		return new LoadedLibrary(file, verdict, OpenSslProviders
			.findFipsObstacle(verdict.result() == Result.LOADED && new AprLifecycleListener().isFIPSModeActive()));
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
		// A failure before this library was loaded must not count
		if (AprStatus.isAprInitialized() && !AprStatus.isAprAvailable()) {
			AprStatus.setAprInitialized(false);
		}
		AprStatus.setInstanceCreated(true);
		if (!AprLifecycleListener.isAprAvailable()) {
			return LoadAttempt.failed(location, Result.REFUSED_BY_TOMCAT,
					"this Tomcat does not accept version " + version);
		}
		String obstacle = OpenSslProviders.findObstacle();
		if (obstacle != null) {
			// Nor may a Tomcat that does not ask this class initialize it
			AprStatus.setAprAvailable(false);
			return LoadAttempt.failed(location, Result.NO_ALGORITHMS, obstacle);
		}
		keepInitialized();
		KeyLogFile.warn(location);
		return new LoadAttempt(location, Result.LOADED, null, null);
	}

	/**
	 * Tomcat terminates APR when the last server is destroyed that has the listener. A
	 * server without it, which uses OpenSSL all the same, or a thread that outlives its
	 * server would then crash the JVM. One reference for the life of the JVM prevents
	 * that.
	 */
	private static void keepInitialized() {
		new AprLifecycleListener()
			.lifecycleEvent(new LifecycleEvent(new StandardServer(), Lifecycle.BEFORE_INIT_EVENT, null));
	}

}
