// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat;

import org.apache.tomcat.util.net.SSLHostConfig;
import org.jspecify.annotations.Nullable;

/**
 * How client certificates are checked for revocation.
 *
 * @param listFile the file of the certificate revocation lists, or {@code null}
 * @param ocspEnabled whether clients are checked by OCSP
 * @param ocspSoftFail whether a client is accepted when the responder does not answer
 */
public record RevocationChecks(@Nullable String listFile, boolean ocspEnabled, boolean ocspSoftFail) {

	// How long a client can resume a session without being checked again, in seconds, see
	// ForgottenSessions. Tomcat's default is a day. A list that is replaced counts at
	// once, since the server then forgets all sessions
	private static final int SESSION_TIMEOUT = 300;

	/**
	 * No check.
	 */
	public static final RevocationChecks NONE = new RevocationChecks(null, false, false);

	boolean isEmpty() {
		return this.listFile == null && !this.ocspEnabled;
	}

	// The one that asks for the checks
	String property() {
		return this.ocspEnabled ? "server.ssl.ocsp-enabled" : "server.ssl.certificate-revocation-list-file";
	}

	void applyTo(SSLHostConfig config) {
		if (isEmpty()) {
			return;
		}
		if (this.listFile != null) {
			config.setCertificateRevocationListFile(this.listFile);
		}
		config.setOcspEnabled(this.ocspEnabled);
		config.setOcspSoftFail(this.ocspSoftFail);
		// 0 and below are no limit
		if (config.getSessionTimeout() <= 0 || config.getSessionTimeout() > SESSION_TIMEOUT) {
			config.setSessionTimeout(SESSION_TIMEOUT);
		}
	}

}
