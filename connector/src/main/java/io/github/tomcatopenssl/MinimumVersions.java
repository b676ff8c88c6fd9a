// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl;

/**
 * The oldest versions that may serve TLS.
 */
public final class MinimumVersions {

	/**
	 * Tomcat Native of the version line for Tomcat 10.1 and later, without
	 * {@link #HOLES}.
	 */
	public static final String TOMCAT_NATIVE = "2.0.16";

	/**
	 * Tomcat Native of the previous version line, without {@link #HOLES}.
	 */
	public static final String TOMCAT_NATIVE_1 = "1.3.9";

	/**
	 * Vulnerabilities for which an older Tomcat Native is refused: a client can crash the
	 * JVM during the handshake, defaults are insecure, and a race weakens client
	 * authentication.
	 */
	public static final String HOLES = "CVE-2026-86243, CVE-2026-86246 and CVE-2026-86247";

	/**
	 * Tomcat. Earlier versions ignore certificate revocation lists if the server's key
	 * comes from a key store (CVE-2026-73581), and the connectors that serve OpenSSL by
	 * Tomcat's own engine do not start with Tomcat Native 2.0.16.
	 */
	public static final String TOMCAT = "11.0.26";

	private MinimumVersions() {
	}

}
