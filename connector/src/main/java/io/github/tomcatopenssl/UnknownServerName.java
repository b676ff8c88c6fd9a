// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl;

/**
 * How to treat a client whose server name (SNI) is missing, or is not covered by any
 * certificate.
 */
public enum UnknownServerName {

	/**
	 * The client gets the certificate of the default host.
	 */
	ACCEPT,

	/**
	 * The client gets the alert {@code unrecognized_name} (RFC 6066, 3) and no
	 * certificate. A request for a host that the connection's certificate does not cover
	 * gets the status 421 (RFC 9110, 15.5.20).
	 */
	REJECT

}
