// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.library;

import java.io.File;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

/**
 * The file that Tomcat Native writes the secrets of all TLS sessions to, without a word,
 * when an environment variable names it. The bundled library does not.
 */
final class KeyLogFile {

	private static final String VARIABLE = "SSLKEYLOGFILE";

	private static final Log logger = LogFactory.getLog(KeyLogFile.class);

	private KeyLogFile() {
	}

	/**
	 * Warn of the file that a library has opened.
	 * @param location the location of the library, which is initialized
	 */
	static void warn(String location) {
		String file = System.getenv(VARIABLE);
		boolean bundled = location.equals(BundledLibrary.location(Platform.current()));
		if (file != null && !bundled && new File(file).canWrite()) {
			logger.warn(("Tomcat Native writes the secrets of all TLS sessions to '%s', as the environment variable %s "
					+ "says: who can read that file can decrypt the traffic. Unset the variable, or set "
					+ "'server.ssl.openssl.library' to 'bundled'")
				.formatted(file, VARIABLE));
		}
	}

}
