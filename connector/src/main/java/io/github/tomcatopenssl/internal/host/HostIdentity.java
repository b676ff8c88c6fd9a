// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

/**
 * What decides which requests a connection may make: the host that it was made for, and
 * how that host verifies its clients.
 */
public interface HostIdentity {

	/**
	 * Return the host's own name.
	 * @return the name, which no other host of the connector has
	 */
	String name();

	/**
	 * Return how the host verifies clients.
	 * @return the verification
	 */
	ClientVerification clients();

	/**
	 * Return whether the host is one of those that come and go, which all have the same
	 * rules.
	 * @return whether its certificate makes it
	 */
	default boolean comesAndGoes() {
		return false;
	}

}
