// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.library;

import java.lang.module.ModuleDescriptor.Version;
import java.util.List;
import java.util.regex.Pattern;

import io.github.tomcatopenssl.MinimumVersions;
import org.apache.catalina.util.ServerInfo;
import org.apache.tomcat.jni.Library;
import org.jspecify.annotations.Nullable;

/**
 * Versions of Tomcat and Tomcat Native, compared with {@link MinimumVersions}.
 */
final class Versions {

	// A complete string, as the version function of Tomcat Native returns it
	private static final Pattern STRING = Pattern.compile("\\x00(\\d{1,4}\\.\\d{1,4}\\.\\d{1,4})(?:-dev)?(?=\\x00)");

	private Versions() {
	}

	static Version ofLoadedLibrary() {
		return Version.parse(
				"%d.%d.%d".formatted(Library.TCN_MAJOR_VERSION, Library.TCN_MINOR_VERSION, Library.TCN_PATCH_VERSION));
	}

	static Version ofTomcat() {
		return Version.parse(ServerInfo.getServerNumber().replaceFirst("\\.0$", ""));
	}

	static boolean isSafe(Version tomcatNative) {
		boolean first = tomcatNative.toString().startsWith("1.");
		String minimum = first ? MinimumVersions.TOMCAT_NATIVE_1 : MinimumVersions.TOMCAT_NATIVE;
		return tomcatNative.compareTo(Version.parse(minimum)) >= 0;
	}

	static boolean worksWithSafeTomcatNative(Version tomcat) {
		return tomcat.compareTo(Version.parse(MinimumVersions.TOMCAT)) >= 0;
	}

	static String refusal(Version tomcatNative) {
		return "its version is %s, older than %s (or %s), which fixes %s".formatted(tomcatNative,
				MinimumVersions.TOMCAT_NATIVE, MinimumVersions.TOMCAT_NATIVE_1, MinimumVersions.HOLES);
	}

	/**
	 * Return the version of a Tomcat Native with known vulnerabilities. A library
	 * contains its own version, so a library without them contains a safe version. A
	 * library that includes OpenSSL or APR always contains a version that looks safe,
	 * because theirs are higher. Such a library cannot be judged here.
	 * @param content the content of a file, each byte as a character
	 * @return the version, or {@code null} if there is none or it may be a safe one
	 */
	static @Nullable Version unsafeIn(String content) {
		List<Version> versions = STRING.matcher(content)
			.results()
			.map((match) -> Version.parse(match.group(1)))
			.sorted()
			.toList();
		return (versions.isEmpty() || versions.stream().anyMatch(Versions::isSafe)) ? null
				: versions.get(versions.size() - 1);
	}

}
