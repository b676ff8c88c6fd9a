// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat;

import java.io.IOException;
import java.security.cert.X509CRL;
import java.util.Collection;
import java.util.List;
import java.util.function.Function;

import io.github.tomcatopenssl.TlsSetting;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.jspecify.annotations.Nullable;

/**
 * How client certificates are checked for revocation.
 *
 * @param lists the certificate revocation lists that were validated and are to be used
 * for a virtual host, by its name, or {@code null} where there are none
 * @param ocspEnabled whether clients are checked by OCSP
 * @param ocspSoftFail whether a client is accepted when the responder does not answer
 */
public record RevocationChecks(@Nullable Function<String, Collection<X509CRL>> lists, boolean ocspEnabled,
		boolean ocspSoftFail) {

	// How long a client can resume a session without being checked again, in seconds, see
	// SessionExpiry. Tomcat's default is a day. A list that is replaced counts at
	// once, since the server then forgets all sessions
	private static final int SESSION_TIMEOUT = 300;

	/**
	 * No check.
	 */
	public static final RevocationChecks NONE = new RevocationChecks(null, false, false);

	/**
	 * Return whether there is no check.
	 * @return whether there is none
	 */
	public boolean isEmpty() {
		return this.lists == null && !this.ocspEnabled;
	}

	RevocationLists listsOf(SSLHostConfig host) throws IOException {
		return new RevocationLists((this.lists != null) ? this.lists.apply(host.getHostName()) : List.of());
	}

	// The one that asks for the checks
	TlsSetting setting() {
		return this.ocspEnabled ? TlsSetting.OCSP : TlsSetting.REVOCATION_LISTS;
	}

	void applyTo(SSLHostConfig config) {
		if (isEmpty()) {
			return;
		}
		config.setOcspEnabled(this.ocspEnabled);
		config.setOcspSoftFail(this.ocspSoftFail);
		// 0 and below are no limit
		if (config.getSessionTimeout() <= 0 || config.getSessionTimeout() > SESSION_TIMEOUT) {
			config.setSessionTimeout(SESSION_TIMEOUT);
		}
	}

}
