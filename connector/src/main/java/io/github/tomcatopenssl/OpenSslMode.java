// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl;

/**
 * When OpenSSL serves TLS.
 */
public enum OpenSslMode {

	/**
	 * OpenSSL where Tomcat Native is available, JSSE otherwise.
	 */
	WHEN_AVAILABLE,

	/**
	 * OpenSSL or nothing: the application does not start without Tomcat Native.
	 */
	ALWAYS,

	/**
	 * JSSE, whatever is available.
	 */
	NEVER

}
