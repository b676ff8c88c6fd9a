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

package io.github.tomcatopenssl.autoconfigure;

import java.util.Set;

import io.github.tomcatopenssl.LoadAttempt.Result;
import io.github.tomcatopenssl.OpenSslMode;
import io.github.tomcatopenssl.OpenSslUnavailableException;
import io.github.tomcatopenssl.TomcatNative;
import org.apache.catalina.connector.Connector;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.tomcat.autoconfigure.TomcatServerProperties.UseApr;

/**
 * Selects the TLS engine. Loads Tomcat Native only when it is asked to select and OpenSSL
 * is wanted.
 */
class TlsEngineSelector {

	/**
	 * What makes a library path a mistake, rather than its library one that does not fit.
	 */
	private static final Set<Result> INVALID_PATH = Set.of(Result.NOT_FOUND, Result.UNREADABLE, Result.FAILED);

	private final OpenSslMode mode;

	private final TomcatNative tomcatNative;

	private final @Nullable String libraryPath;

	private final @Nullable UseApr useApr;

	/**
	 * Create a new selector.
	 * @param properties the properties
	 * @param tomcatNative the library
	 * @param useApr what the user has set {@code server.tomcat.use-apr} to, or
	 * {@code null}
	 */
	TlsEngineSelector(TomcatOpenSslProperties.Openssl properties, TomcatNative tomcatNative, @Nullable UseApr useApr) {
		this.mode = properties.getMode();
		this.libraryPath = properties.getLibraryPath();
		this.tomcatNative = tomcatNative;
		this.useApr = useApr;
	}

	boolean isOpenSslWanted() {
		return this.mode != OpenSslMode.NEVER;
	}

	boolean isOpenSslRequired() {
		return this.mode == OpenSslMode.ALWAYS;
	}

	/**
	 * Select the engine.
	 * @return the engine
	 * @throws OpenSslUnavailableException if OpenSSL is required and not available, or if
	 * the library path is a mistake
	 */
	TlsEngineSelection select() {
		if (this.mode == OpenSslMode.NEVER) {
			return TlsEngineSelection.jsse("server.ssl.openssl.mode is 'never'", null);
		}
		if (this.useApr == UseApr.NEVER) {
			return unavailable(new OpenSslUnavailableException("server.tomcat.use-apr is 'never'",
					"Remove 'server.tomcat.use-apr', or set 'server.ssl.openssl.mode' to 'never' if JSSE is wanted",
					null));
		}
		OpenSslUnavailableException cause = this.tomcatNative.unavailabilityCause();
		if (cause == null) {
			return TlsEngineSelection.openSslEngine();
		}
		if (this.libraryPath != null && hasInvalidPath()) {
			throw new OpenSslUnavailableException(
					"'server.ssl.openssl.library-path' is '%s'. %s".formatted(this.libraryPath, cause.getReason()),
					"Correct 'server.ssl.openssl.library-path', or remove it", cause);
		}
		return unavailable(cause);
	}

	/**
	 * Select the engine of a connector.
	 * @param connector a connector that serves TLS
	 * @return the engine
	 * @throws OpenSslUnavailableException if OpenSSL is required and cannot serve it
	 */
	TlsEngineSelection select(Connector connector) {
		TlsEngineSelection selection = select();
		OpenSslUnavailableException obstacle = selection.openSsl() ? OpenSslObstacles.find(connector) : null;
		return (obstacle != null) ? unavailable(obstacle) : selection;
	}

	private boolean hasInvalidPath() {
		return this.tomcatNative.status()
			.attempts()
			.stream()
			.allMatch((attempt) -> INVALID_PATH.contains(attempt.result()));
	}

	private TlsEngineSelection unavailable(OpenSslUnavailableException cause) {
		if (isOpenSslRequired()) {
			throw new OpenSslUnavailableException("'server.ssl.openssl.mode' is 'always'. " + cause.getReason(),
					cause.getAction()
							+ ". To fall back to JSSE instead, set 'server.ssl.openssl.mode' to 'when-available'",
					cause);
		}
		return TlsEngineSelection.jsse(cause.getReason(), cause.getAction());
	}

}
