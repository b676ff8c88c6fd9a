// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.library;

/**
 * An error of OpenSSL.
 *
 * @param library the number of the library that has failed
 * @param reason the number of the reason, which has its meaning in the library
 * @param text the text
 */
public record OpenSslError(int library, int reason, String text) {

	/**
	 * Number of the library for TLS ({@code ERR_LIB_SSL}).
	 */
	public static final int SSL = 20;

}
