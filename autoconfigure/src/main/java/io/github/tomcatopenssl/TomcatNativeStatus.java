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

import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * What became of Tomcat Native in this JVM.
 *
 * @param available whether it is loaded and accepted
 * @param version the version of Tomcat Native, such as {@code 2.0.16}; known for a
 * refused library too
 * @param aprVersion the version of the Apache Portable Runtime
 * @param openSslVersion the version of OpenSSL with its date, as OpenSSL words it
 * @param library the file that was loaded
 * @param attempts all attempts in the order in which they were made
 */
public record TomcatNativeStatus(boolean available, @Nullable String version, @Nullable String aprVersion,
		@Nullable String openSslVersion, @Nullable String library, List<LoadAttempt> attempts) {

	/**
	 * Create a status with an unmodifiable copy of the attempts.
	 */
	public TomcatNativeStatus {
		attempts = List.copyOf(attempts);
	}

	static TomcatNativeStatus unavailable(List<LoadAttempt> attempts) {
		return new TomcatNativeStatus(false, null, null, null, null, attempts);
	}

	/**
	 * Return why Tomcat Native is not available: of the attempts, the first that found a
	 * library, or else the first.
	 * @return the cause, or {@code null} when it is available
	 */
	public @Nullable OpenSslUnavailableException unavailabilityCause() {
		if (this.available) {
			return null;
		}
		LoadAttempt decisive = this.attempts.stream()
			.filter((attempt) -> attempt.result() != LoadAttempt.Result.NOT_FOUND)
			.findFirst()
			.orElse(this.attempts.get(0));
		return new OpenSslUnavailableException("Tomcat Native cannot be used: " + decisive, decisive.result().action(),
				decisive.cause());
	}

}
