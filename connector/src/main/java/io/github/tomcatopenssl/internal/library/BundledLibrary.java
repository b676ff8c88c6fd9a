// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.library;

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
 * The Tomcat Native library that comes as a dependency. It is extracted, checked against
 * its SHA-256 checksum, loaded, and deleted as soon as the JVM has loaded it.
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
			String fileName = LibraryCandidates.preferredFileName();
			try (TemporaryCatalinaHome home = TemporaryCatalinaHome.createIn(this.workFolder);
					InputStream library = jar.open(fileName);
					InputStream checksum = jar.open(fileName + ".sha256")) {
				Path file = home.library();
				Files.copy(library, file);
				byte[] digest = MessageDigest.getInstance("SHA-256").digest(Files.readAllBytes(file));
				if (!new String(checksum.readAllBytes(), StandardCharsets.US_ASCII).strip()
					.equals(HexFormat.of().formatHex(digest))) {
					return LoadAttempt.failed(location, Result.NOT_EXTRACTED,
							"'%s' does not have the content that was written to it".formatted(file));
				}
				return LoadedLibrary.load(home, file.toRealPath(), location);
			}
		}
		catch (IOException | NoSuchAlgorithmException ex) {
			return new LoadAttempt(location, Result.NOT_EXTRACTED,
					"it cannot be extracted into '%s': %s".formatted(this.workFolder, ex), ex);
		}
	}

}
