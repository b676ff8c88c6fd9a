// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl;

/**
 * What becomes of a client that asks for a server name (SNI) that no certificate is for,
 * or for none.
 */
public enum UnknownServerName {

	/**
	 * It gets the certificate of the default host.
	 */
	ACCEPT,

	/**
	 * It gets the alert {@code unrecognized_name} (RFC 6066, 3) and no certificate.
	 * Requests for a host that the certificate of their connection is not for get the
	 * status 421 (RFC 9110, 15.5.20).
	 */
	REJECT

}
