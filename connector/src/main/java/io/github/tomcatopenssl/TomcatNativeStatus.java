// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl;

import java.util.List;
import java.util.stream.Collectors;

import org.jspecify.annotations.Nullable;

/**
 * The result of loading Tomcat Native in this JVM.
 *
 * @param available whether the library is loaded and accepted
 * @param version the version of Tomcat Native, such as {@code 2.0.16}; also set if the
 * library was refused after it was loaded
 * @param aprVersion the version of the Apache Portable Runtime
 * @param openSslVersion the version of OpenSSL with its date, as OpenSSL reports it
 * @param library the file that was loaded
 * @param fips whether OpenSSL takes its algorithms only from its FIPS provider
 * @param attempts all attempts in the order in which they were made
 */
public record TomcatNativeStatus(boolean available, @Nullable String version, @Nullable String aprVersion,
		@Nullable String openSslVersion, @Nullable String library, boolean fips, List<LoadAttempt> attempts) {

	/**
	 * Create a status with an unmodifiable copy of the attempts.
	 */
	public TomcatNativeStatus {
		attempts = List.copyOf(attempts);
	}

	/**
	 * Create the status of a library that was not loaded.
	 * @param attempts all attempts, at least one
	 * @return the status
	 */
	public static TomcatNativeStatus unavailable(List<LoadAttempt> attempts) {
		return new TomcatNativeStatus(false, null, null, null, null, false, attempts);
	}

	/**
	 * Return the reason why Tomcat Native is not available: the result of the first
	 * attempt that found a library, or of all attempts if none did.
	 * @return the cause, or {@code null} if Tomcat Native is available
	 */
	public @Nullable TlsSettingException unavailabilityCause() {
		if (this.available) {
			return null;
		}
		LoadAttempt last = this.attempts.get(this.attempts.size() - 1);
		LoadAttempt decisive = this.attempts.stream()
			.filter((attempt) -> !attempt.result().isAbsence())
			.findFirst()
			.orElse(last);
		String reason = decisive.result().isAbsence()
				? this.attempts.stream().map(LoadAttempt::toString).collect(Collectors.joining("; "))
				: decisive.toString();
		return new TlsSettingException(SettingName.MODE, new SettingText("Tomcat Native cannot be used: %s", reason),
				decisive.result().action(), decisive.cause());
	}

}
