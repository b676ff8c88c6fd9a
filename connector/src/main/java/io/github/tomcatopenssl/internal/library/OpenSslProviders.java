// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.library;

import java.util.Arrays;
import java.util.regex.Pattern;

import org.apache.tomcat.jni.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * Finds out which providers the configuration file of OpenSSL 3 activates, from the
 * cipher suites that a TLS context has.
 */
final class OpenSslProviders {

	// Suites that are in the default provider of OpenSSL 3, and in no FIPS provider
	private static final Pattern NOT_IN_FIPS_PROVIDER = Pattern.compile("CHACHA20|CAMELLIA|ARIA");

	private static final String ALL_SUITES = "ALL";

	private OpenSslProviders() {
	}

	/**
	 * Return the reason why OpenSSL cannot serve TLS. If OpenSSL has no algorithms,
	 * Tomcat must not use it: Tomcat asks for the provider of an algorithm, which crashes
	 * the JVM.
	 * @return the reason, as a clause of a sentence, or {@code null} if OpenSSL can serve
	 * TLS
	 */
	static @Nullable String unavailabilityCause() {
		try {
			suites();
			return null;
		}
		catch (Exception ex) {
			return "its OpenSSL has no algorithms for TLS (%s)".formatted(ex.getMessage());
		}
	}

	/**
	 * Return the reason why OpenSSL does not take all of its algorithms from the FIPS
	 * provider.
	 * @param fipsProvider whether OpenSSL takes an algorithm from the FIPS provider that
	 * other providers may have too
	 * @return the reason, as a clause of a sentence, or {@code null} if it does
	 */
	static @Nullable String fipsUnavailabilityCause(boolean fipsProvider) {
		if (!fipsProvider) {
			return "its OpenSSL does not take its algorithms from the FIPS provider";
		}
		try {
			return Arrays.stream(suites()).anyMatch((suite) -> NOT_IN_FIPS_PROVIDER.matcher(suite).find())
					? "its OpenSSL has the FIPS provider, but also takes algorithms from other providers, because 'fips=yes' is not its default property"
					: null;
		}
		catch (Exception ex) {
			return "the cipher suites of its OpenSSL cannot be listed (%s)".formatted(ex.getMessage());
		}
	}

	private static String[] suites() throws Exception {
		try (TrialContext trial = new TrialContext()) {
			SSLContext.setCipherSuite(trial.address(), ALL_SUITES);
			return SSLContext.getCiphers(trial.address());
		}
	}

}
