// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.library;

import java.io.IOException;
import java.nio.file.Path;

import io.github.tomcatopenssl.LoadAttempt;
import io.github.tomcatopenssl.LoadAttempt.Result;
import org.jspecify.annotations.Nullable;

/**
 * The Tomcat Native library that comes as a dependency. It is extracted, checked against
 * the checksum of the jar, loaded, and deleted as soon as the JVM has loaded it.
 *
 * @param platform the platform that the library is for
 * @param workFolder the folder that the library is extracted into
 * @param classLoader the class loader that has the dependency
 */
record BundledLibrary(Platform platform, Path workFolder, ClassLoader classLoader) {

	static String location(Platform platform) {
		return "bundled " + platform.classifier();
	}

	// Returns the attempt that failed, or null if a library is loaded
	@Nullable LoadAttempt load() {
		String location = location(this.platform);
		try {
			NativesJar jar = NativesJar.find(this.platform, this.classLoader);
			if (jar == null) {
				return LoadAttempt.failed(location, Result.NOT_BUNDLED,
						"no dependency provides a library for " + this.platform.classifier());
			}
			location += " " + jar.version();
			if (!jar.isAccepted()) {
				return LoadAttempt.failed(location, Result.OTHER_NATIVES,
						"this connector works with versions of 'tomcat-openssl-natives' from %s up to, but not including, %s"
							.formatted(NativesJar.FIRST, NativesJar.END));
			}
			try (TemporaryCatalinaHome home = TemporaryCatalinaHome.createIn(this.workFolder)) {
				Path file = home.library();
				if (!jar.extract(LibraryCandidates.preferredFileName(), file)) {
					return LoadAttempt.failed(location, Result.NOT_EXTRACTED,
							"'%s' does not have the content of its jar, which may be damaged".formatted(file));
				}
				return LoadedLibrary.load(home, file.toRealPath(), location);
			}
		}
		catch (IOException ex) {
			return new LoadAttempt(location, Result.NOT_EXTRACTED,
					"it cannot be extracted into '%s': %s".formatted(this.workFolder, ex), ex);
		}
	}

}
