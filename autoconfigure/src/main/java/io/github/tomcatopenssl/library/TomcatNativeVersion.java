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

import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import io.github.tomcatopenssl.MinimumVersions;
import org.apache.tomcat.jni.Library;
import org.jspecify.annotations.Nullable;

/**
 * Version of Tomcat Native.
 *
 * @param major the major version: 2 for the line of Tomcat 10.1 and later, 1 for the one
 * before
 * @param minor the minor version
 * @param patch the patch version
 */
record TomcatNativeVersion(int major, int minor, int patch) implements Comparable<TomcatNativeVersion> {

	/**
	 * First versions without the holes that {@link MinimumVersions#HOLES} names.
	 */
	static final TomcatNativeVersion MINIMUM_1 = of(MinimumVersions.TOMCAT_NATIVE_1);

	static final TomcatNativeVersion MINIMUM_2 = of(MinimumVersions.TOMCAT_NATIVE);

	/**
	 * Names of the files that the build of Tomcat Native installs, and that packages of
	 * distributions keep: {@code libtcnative-1.so.0.2.35} is 1.2.35.
	 */
	private static final Pattern FILE_NAME = Pattern.compile("libtcnative-(\\d+)\\.so\\.\\d+\\.(\\d+)\\.(\\d+)");

	/**
	 * A version as a string of its own, as the function of Tomcat Native returns it.
	 */
	private static final Pattern STRING = Pattern
		.compile("\\x00(\\d{1,4})\\.(\\d{1,4})\\.(\\d{1,4})(?:-dev)?(?=\\x00)");

	private static final String FUNCTION = "Java_org_apache_tomcat_jni_Library_version";

	static @Nullable TomcatNativeVersion ofFileName(String fileName) {
		Matcher matcher = FILE_NAME.matcher(fileName);
		return matcher.matches() ? of(matcher) : null;
	}

	/**
	 * Find the version of a library with holes. A library contains its own version, so
	 * one without holes contains a version that {@link #isSafe()}. So does one that
	 * contains OpenSSL or APR, whose versions are higher; of that nothing can be told.
	 * @param content the content of a file, each byte a character
	 * @return the version, or {@code null} when there is none or it may be a safe one
	 */
	static @Nullable TomcatNativeVersion unsafeIn(String content) {
		if (!content.contains(FUNCTION)) {
			return null;
		}
		List<TomcatNativeVersion> versions = STRING.matcher(content)
			.results()
			.map(TomcatNativeVersion::of)
			.sorted()
			.toList();
		boolean unsafe = versions.stream().noneMatch(TomcatNativeVersion::isSafe);
		return (unsafe && !versions.isEmpty()) ? versions.get(versions.size() - 1) : null;
	}

	private static TomcatNativeVersion of(MatchResult match) {
		return new TomcatNativeVersion(Integer.parseInt(match.group(1)), Integer.parseInt(match.group(2)),
				Integer.parseInt(match.group(3)));
	}

	private static TomcatNativeVersion of(String version) {
		int[] parts = Arrays.stream(version.split("\\.")).mapToInt(Integer::parseInt).toArray();
		return new TomcatNativeVersion(parts[0], parts[1], parts[2]);
	}

	static TomcatNativeVersion ofLoadedLibrary() {
		return new TomcatNativeVersion(Library.TCN_MAJOR_VERSION, Library.TCN_MINOR_VERSION, Library.TCN_PATCH_VERSION);
	}

	/**
	 * Return why this version is refused, as a clause of a sentence.
	 * @return the reason
	 */
	String refusal() {
		return "its version is %s, older than %s (or %s): %s".formatted(this, MINIMUM_2, MINIMUM_1,
				MinimumVersions.HOLES);
	}

	boolean isSafe() {
		return compareTo((this.major == 1) ? MINIMUM_1 : MINIMUM_2) >= 0;
	}

	@Override
	public int compareTo(TomcatNativeVersion other) {
		int result = Integer.compare(this.major, other.major);
		result = (result != 0) ? result : Integer.compare(this.minor, other.minor);
		return (result != 0) ? result : Integer.compare(this.patch, other.patch);
	}

	@Override
	public String toString() {
		return this.major + "." + this.minor + "." + this.patch;
	}

}
