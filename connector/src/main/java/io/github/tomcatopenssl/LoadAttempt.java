// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl;

import org.jspecify.annotations.Nullable;

/**
 * One attempt to load Tomcat Native.
 *
 * @param location the file, or a description of the place that was searched
 * @param result the result of the attempt
 * @param reason why the attempt failed, as a clause of a sentence, or {@code null} if it
 * succeeded
 * @param cause the underlying error, if there is one
 */
public record LoadAttempt(String location, Result result, @Nullable String reason, @Nullable Throwable cause) {

	/**
	 * Create a failed attempt without an underlying error.
	 * @param location the file, or a description of the place that was searched
	 * @param result the result of the attempt
	 * @param reason why the attempt failed, as a clause of a sentence
	 * @return the attempt
	 */
	public static LoadAttempt failed(String location, Result result, String reason) {
		return new LoadAttempt(location, result, reason, null);
	}

	@Override
	public String toString() {
		return "'" + this.location + "': " + ((this.reason != null) ? this.reason : "loaded");
	}

	/**
	 * The result of an attempt, with a remedy for each failure.
	 */
	public enum Result {

		/**
		 * The library is loaded and accepted.
		 */
		LOADED(""),

		/**
		 * No library was found.
		 */
		NOT_FOUND(
				"Set %s to a libtcnative-2 library of version %s or later, or put one into a folder on java.library.path",
				SettingName.LIBRARY_PATH, MinimumVersions.TOMCAT_NATIVE),

		/**
		 * No dependency contains a library for this platform.
		 */
		NOT_BUNDLED(
				"Add the dependency 'io.github.tomcatopenssl:tomcat-openssl-natives' with the platform as its classifier, or set %s to a libtcnative-2 library",
				SettingName.LIBRARY_PATH),

		/**
		 * The dependency has a version that this connector does not work with.
		 */
		OTHER_NATIVES(
				"Set the version of 'io.github.tomcatopenssl:tomcat-openssl-natives' to one of these, or remove what sets it"),

		/**
		 * The library cannot be extracted or linked to a folder from which it could be
		 * loaded.
		 */
		NOT_EXTRACTED(
				"Set %s to a folder that the application can write to, that has space, and that is not mounted with 'noexec'",
				SettingName.WORK_DIR),

		/**
		 * The file cannot be read.
		 */
		UNREADABLE(
				"Make sure that the user that runs the application has read access to the file and to the folders above it, that their file system works, and that the application has not reached its limit of open files"),

		/**
		 * The system refuses the library: it is for another processor, operating system
		 * or C library, or it needs a library that is missing or too old.
		 */
		NOT_LOADABLE(
				"Use a library compiled on this system, or on an older system with the same processor and C library. Install the libraries that it needs (on Debian and Ubuntu, APR is in libapr1 and OpenSSL in libssl3)"),

		/**
		 * The file is in a place where nothing may be executed.
		 */
		NOT_EXECUTABLE(
				"Put the library on a file system that is not mounted with 'noexec'. For the bundled library, set %s to a folder on such a file system",
				SettingName.WORK_DIR),

		/**
		 * Another class loader of this JVM has loaded the same file.
		 */
		OTHER_CLASS_LOADER("Load Tomcat in one class loader only, or give each class loader a copy of the library"),

		/**
		 * This JVM has loaded another Tomcat Native and cannot load a second one.
		 */
		OTHER_LIBRARY("Restart the JVM, or use the same library in all applications of this JVM"),

		/**
		 * The version has known vulnerabilities.
		 */
		TOO_OLD("Install Tomcat Native %s (or %s) or later, and set %s to it", MinimumVersions.TOMCAT_NATIVE,
				MinimumVersions.TOMCAT_NATIVE_1, SettingName.LIBRARY_PATH),

		/**
		 * Tomcat is too old for a version without known vulnerabilities.
		 */
		OLD_TOMCAT(
				"Use Tomcat %s or later. Remove whatever sets an older version, such as the property 'tomcat.version' in your build",
				MinimumVersions.TOMCAT),

		/**
		 * Tomcat does not accept the library.
		 */
		REFUSED_BY_TOMCAT("See Tomcat's own log message for the version that it requires"),

		/**
		 * The configuration file of OpenSSL leaves it without algorithms.
		 */
		NO_ALGORITHMS(
				"Correct OpenSSL's configuration file: it must activate the providers that its 'default_properties' ask for. It is the file that the environment variable OPENSSL_CONF names, or 'openssl.cnf' in the folder that 'openssl version -d' shows"),

		/**
		 * The FIPS provider is required, but OpenSSL does not take all of its algorithms
		 * from it.
		 */
		NOT_FIPS(
				"Use a Tomcat Native compiled against an OpenSSL 3 with the FIPS provider, such as one built by docker/build-tcnative.sh; the bundled one has none. In the configuration file of that OpenSSL, activate the providers 'fips' and 'base', and set 'default_properties = fips=yes'"),

		/**
		 * The file is not Tomcat Native, or it is incomplete.
		 */
		FAILED("Check that the file is a Tomcat Native library for this system");

		private final SettingText action;

		Result(String action, Object... arguments) {
			this.action = new SettingText(action, arguments);
		}

		boolean isAbsence() {
			return this == NOT_FOUND || this == NOT_BUNDLED;
		}

		/**
		 * Return the remedy.
		 * @return a sentence without its full stop, empty for {@link #LOADED}
		 */
		SettingText action() {
			return this.action;
		}

	}

}
