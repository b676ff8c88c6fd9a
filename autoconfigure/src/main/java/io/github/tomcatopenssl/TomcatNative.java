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

package io.github.tomcatopenssl;

import org.jspecify.annotations.Nullable;

/**
 * Tomcat Native as an application sees it: loaded and accepted, or the reason why not.
 * Nothing is loaded before the first question is asked, and the answer does not change.
 */
public interface TomcatNative {

	/**
	 * Return versions, file and attempts.
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
	 * Return why the library is not available.
	 * @return the cause, or {@code null} when it is available
	 */
	default @Nullable OpenSslUnavailableException unavailabilityCause() {
		return status().unavailabilityCause();
	}

	/**
	 * Return the version of Tomcat Native.
	 * @return the version, or {@code null} when nothing was loaded
	 */
	default @Nullable String versionString() {
		return status().version();
	}

}
