// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.Set;

import io.github.tomcatopenssl.LoadAttempt.Result;
import io.github.tomcatopenssl.OpenSslUnavailableException;
import io.github.tomcatopenssl.TomcatNative;
import io.github.tomcatopenssl.autoconfigure.TomcatOpenSslProperties.Openssl;
import io.github.tomcatopenssl.tomcat.TlsConnectors;
import org.apache.catalina.connector.Connector;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.tomcat.autoconfigure.TomcatServerProperties.UseApr;
import org.springframework.core.NativeDetector;
import org.springframework.util.StringUtils;

/**
 * Selects the TLS engine of connectors. Loads Tomcat Native only if OpenSSL is wanted,
 * and not before a connector needs an engine.
 */
class TlsEngineSelector {

	// Results that mean a wrong library path, rather than a library that does not fit
	private static final Set<Result> INVALID_PATH = Set.of(Result.NOT_FOUND, Result.UNREADABLE, Result.FAILED);

	private final Openssl openssl;

	private final TomcatNative tomcatNative;

	private final @Nullable UseApr useApr;

	TlsEngineSelector(Openssl openssl, TomcatNative tomcatNative, @Nullable UseApr useApr) {
		this.openssl = openssl;
		this.tomcatNative = tomcatNative;
		this.useApr = useApr;
	}

	boolean isOpenSslWanted() {
		return this.openssl.wanted();
	}

	boolean isOpenSslRequired() {
		return this.openssl.required();
	}

	/**
	 * Return the setting that requires OpenSSL.
	 * @return the property and its value, as the beginning of a sentence
	 */
	String requirement() {
		return this.openssl.fipsRequired() ? "'server.ssl.openssl.fips-mode' is 'required'"
				: "'server.ssl.openssl.mode' is 'always'";
	}

	/**
	 * Return why OpenSSL does not serve a connector.
	 * @param connector a connector that serves TLS
	 * @return the reason and its remedy, or {@code null} if OpenSSL serves the connector
	 * @throws OpenSslUnavailableException if OpenSSL is required and cannot serve TLS, or
	 * if the library path is wrong
	 */
	@Nullable OpenSslUnavailableException findObstacle(Connector connector) {
		OpenSslUnavailableException obstacle = findObstacle();
		if (obstacle == null) {
			obstacle = TlsConnectors.obstacle(connector);
		}
		if (obstacle != null && isOpenSslRequired()) {
			throw new OpenSslUnavailableException(requirement() + ". " + obstacle.getReason(),
					obstacle.getAction(PropertyNames::of) + (this.openssl.fipsRequired() ? ""
							: ". To fall back to JSSE instead, set 'server.ssl.openssl.mode' to 'when-available'"),
					obstacle);
		}
		return obstacle;
	}

	private @Nullable OpenSslUnavailableException findObstacle() {
		if (!isOpenSslWanted()) {
			if (this.openssl.fipsRequired()) {
				throw new OpenSslUnavailableException(
						requirement() + ", and 'server.ssl.openssl.mode' is 'never': the two contradict each other",
						"Remove either 'server.ssl.openssl.fips-mode' or 'server.ssl.openssl.mode'", null);
			}
			return new OpenSslUnavailableException("server.ssl.openssl.mode is 'never'", "Remove the property", null);
		}
		if (this.useApr == UseApr.NEVER) {
			return new OpenSslUnavailableException("server.tomcat.use-apr is 'never'",
					"Remove 'server.tomcat.use-apr', or set 'server.ssl.openssl.mode' to 'never' if you want JSSE",
					null);
		}
		OpenSslUnavailableException cause = this.tomcatNative.unavailabilityCause();
		if (cause != null && StringUtils.hasText(this.openssl.libraryPath()) && !NativeDetector.inNativeImage()
				&& this.tomcatNative.status()
					.attempts()
					.stream()
					.allMatch((attempt) -> INVALID_PATH.contains(attempt.result()))) {
			throw new OpenSslUnavailableException("'server.ssl.openssl.library-path' is '%s'. %s"
				.formatted(this.openssl.libraryPath(), cause.getReason()),
					"Correct 'server.ssl.openssl.library-path', or remove it", cause);
		}
		return cause;
	}

}
