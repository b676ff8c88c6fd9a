// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl;

/**
 * When OpenSSL serves TLS.
 */
public enum OpenSslMode {

	/**
	 * OpenSSL if Tomcat Native is available, JSSE otherwise.
	 */
	WHEN_AVAILABLE,

	/**
	 * Always OpenSSL: the application does not start without Tomcat Native.
	 */
	ALWAYS,

	/**
	 * Always JSSE, even if Tomcat Native is available.
	 */
	NEVER

}
