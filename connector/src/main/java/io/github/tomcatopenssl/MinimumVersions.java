// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl;

/**
 * Oldest versions that may serve TLS.
 */
public final class MinimumVersions {

	/**
	 * Tomcat Native of the line of Tomcat 10.1 and later, without {@link #HOLES}.
	 */
	public static final String TOMCAT_NATIVE = "2.0.16";

	/**
	 * Tomcat Native of the line before, without {@link #HOLES}.
	 */
	public static final String TOMCAT_NATIVE_1 = "1.3.9";

	/**
	 * What an older Tomcat Native is refused for: a client that can crash the JVM during
	 * the handshake, insecure defaults, and a race that weakens client authentication.
	 */
	public static final String HOLES = "CVE-2026-86243, CVE-2026-86246 and CVE-2026-86247";

	/**
	 * Tomcat. Earlier ones ask Tomcat Native 2.0.16 for the address of a buffer that is
	 * not direct, which it refuses, and the connector does not start.
	 */
	public static final String TOMCAT = "11.0.26";

	private MinimumVersions() {
	}

}
