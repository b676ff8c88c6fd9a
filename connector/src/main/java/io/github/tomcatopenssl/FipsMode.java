// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl;

/**
 * Whether TLS requires the FIPS provider of OpenSSL 3.
 */
public enum FipsMode {

	/**
	 * OpenSSL uses the providers in its configuration file, which may include the FIPS
	 * provider.
	 */
	OFF,

	/**
	 * The FIPS provider is required: the application does not start without it.
	 */
	REQUIRED

}
