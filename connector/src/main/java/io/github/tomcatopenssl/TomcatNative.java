// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl;

import org.jspecify.annotations.Nullable;

/**
 * Tomcat Native as an application sees it: loaded and accepted, or the reason why not.
 * The library is loaded when a method is called for the first time, and the answer does
 * not change.
 */
public interface TomcatNative {

	/**
	 * Return the versions, the file and the attempts to load the library.
	 * @return the status
	 */
	TomcatNativeStatus status();

	/**
	 * Return whether the library is loaded and accepted.
	 * @return whether Tomcat Native is available
	 */
	default boolean isAvailable() {
		return status().available();
	}

	/**
	 * Return the reason why the library is not available.
	 * @return the cause, or {@code null} if the library is available
	 */
	default @Nullable TlsSettingException unavailabilityCause() {
		return status().unavailabilityCause();
	}

	/**
	 * Return the version of Tomcat Native.
	 * @return the version, or {@code null} if no library was loaded
	 */
	default @Nullable String versionString() {
		return status().version();
	}

}
