// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl;

/**
 * Whether TLS is served with the FIPS provider of OpenSSL 3 only.
 */
public enum FipsMode {

	/**
	 * OpenSSL as its configuration file has it, which may be with the FIPS provider.
	 */
	OFF,

	/**
	 * The FIPS provider or nothing: the application does not start without it.
	 */
	REQUIRED

}
