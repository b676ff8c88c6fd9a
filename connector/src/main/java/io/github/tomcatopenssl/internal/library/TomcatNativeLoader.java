// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.library;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.github.tomcatopenssl.FipsMode;
import io.github.tomcatopenssl.LibrarySource;
import io.github.tomcatopenssl.LoadAttempt;
import io.github.tomcatopenssl.LoadAttempt.Result;
import io.github.tomcatopenssl.TomcatNative;
import io.github.tomcatopenssl.TomcatNativeStatus;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Finds and loads Tomcat Native for an application. A JVM can load only one Tomcat
 * Native. If this JVM has already loaded one, the application gets that one. Attempts
 * that failed before a library was loaded count only for this application. The same is
 * true if the loaded library does not work with the FIPS provider.
 */
public final class TomcatNativeLoader implements TomcatNative {

	private static final Log logger = LogFactory.getLog(TomcatNativeLoader.class);

	private final LibrarySource source;

	private final @Nullable Path libraryPath;

	private final Path workFolder;

	private final boolean fips;

	private @Nullable TomcatNativeStatus status;

	/**
	 * Create a new instance.
	 * @param source where the library comes from, unless there is a library path
	 * @param libraryPath the library's file, or the folder that contains it; no other
	 * library is tried if it is not {@code null}
	 * @param workFolder the folder that the bundled library is extracted into, or
	 * {@code null} for the folder for temporary files
	 * @param fipsMode whether OpenSSL must work with the FIPS provider, which the bundled
	 * library does not have
	 */
	public TomcatNativeLoader(LibrarySource source, @Nullable Path libraryPath, @Nullable Path workFolder,
			FipsMode fipsMode) {
		this.source = source;
		this.libraryPath = libraryPath;
		this.workFolder = (workFolder != null) ? workFolder : Path.of(System.getProperty("java.io.tmpdir"));
		this.fips = fipsMode == FipsMode.REQUIRED;
	}

	@Override
	public synchronized TomcatNativeStatus status() {
		TomcatNativeStatus status = this.status;
		if (status == null) {
			status = LoadedLibrary.withLock(this::decide);
			this.status = status;
		}
		return status;
	}

	private TomcatNativeStatus decide() {
		TomcatNativeStatus decided = decide(new ArrayList<>());
		decided.attempts().forEach((attempt) -> logger.debug(attempt, attempt.cause()));
		return decided;
	}

	private TomcatNativeStatus decide(List<LoadAttempt> attempts) {
		if (System.getProperty("org.graalvm.nativeimage.imagecode") != null) {
			attempts.add(LoadAttempt.failed("GraalVM native image", Result.FAILED, "it cannot load Tomcat Native"));
		}
		else if (LoadedLibrary.current() == null) {
			search(attempts);
		}
		LoadedLibrary library = LoadedLibrary.current();
		if (library == null) {
			return TomcatNativeStatus.unavailable(attempts);
		}
		if (this.libraryPath != null && !LibraryCandidates.include(this.libraryPath, library.file())) {
			attempts.add(LoadAttempt.failed(this.libraryPath.toString(), Result.OTHER_LIBRARY,
					"this JVM has already loaded '%s' and cannot load a second Tomcat Native"
						.formatted(library.verdict().location())));
			return TomcatNativeStatus.unavailable(attempts);
		}
		if (this.fips && library.isAccepted() && library.fipsUnavailabilityCause() != null) {
			attempts.add(LoadAttempt.failed(library.verdict().location(), Result.NOT_FIPS,
					library.fipsUnavailabilityCause()));
			return TomcatNativeStatus.unavailable(attempts);
		}
		attempts.add(library.verdict());
		return library.status(attempts);
	}

	private void search(List<LoadAttempt> attempts) {
		if (this.libraryPath != null) {
			loadFirst(LibraryCandidates.at(this.libraryPath), attempts);
			return;
		}
		if (this.source != LibrarySource.BUNDLED) {
			loadFirst(LibraryCandidates.onLibraryPath(), attempts);
		}
		if (this.source != LibrarySource.SYSTEM && LoadedLibrary.current() == null) {
			LoadAttempt failure = this.fips
					? LoadAttempt.failed(BundledLibrary.location(Platform.current()), Result.NOT_FIPS,
							"it has no FIPS provider, and is not loaded")
					: new BundledLibrary(Platform.current(), this.workFolder, TomcatNativeLoader.class.getClassLoader())
						.load();
			if (failure != null) {
				attempts.add(failure);
			}
		}
	}

	private void loadFirst(LibraryCandidates candidates, List<LoadAttempt> attempts) {
		if (candidates.files().isEmpty()) {
			attempts.add(LoadAttempt.failed(candidates.place(), Result.NOT_FOUND, candidates.absence()));
		}
		for (Path file : candidates.files()) {
			LoadAttempt refusal = LibraryFile.check(file, Platform.current());
			LoadAttempt failure = (refusal != null) ? refusal : load(file);
			if (failure == null) {
				return;
			}
			attempts.add(failure);
		}
	}

	private @Nullable LoadAttempt load(Path file) {
		try (TemporaryCatalinaHome home = TemporaryCatalinaHome.createIn(this.workFolder)) {
			Path real = file.toRealPath();
			home.link(real);
			return LoadedLibrary.load(home, real, file.toString());
		}
		catch (IOException ex) {
			return new LoadAttempt(file.toString(), Result.NOT_EXTRACTED,
					"a link to it cannot be created in '%s': %s".formatted(this.workFolder, ex), ex);
		}
	}

}
