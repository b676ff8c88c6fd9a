// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.library;

import org.apache.tomcat.jni.SSL;
import org.jspecify.annotations.Nullable;

/**
 * The list of errors that OpenSSL keeps for each thread.
 */
public final class OpenSslErrors {

	private OpenSslErrors() {
	}

	/**
	 * Empty the list.
	 */
	public static void clear() {
		while (SSL.getLastErrorNumber() != SSL.SSL_ERROR_NONE) {
			continue;
		}
	}

	/**
	 * Empty the list.
	 * @return the first error, or {@code null} if there is none
	 */
	public static @Nullable OpenSslError take() {
		int error = SSL.getLastErrorNumber();
		if (error == SSL.SSL_ERROR_NONE) {
			return null;
		}
		clear();
		// As ERR_PACK of OpenSSL 3 has put them together
		return new OpenSslError(error >> 23 & 0xFF, error & 0x7FFFFF,
				SSL.getErrorString(Integer.toUnsignedLong(error)));
	}

}
