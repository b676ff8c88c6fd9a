// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.SettingText;
import io.github.tomcatopenssl.TlsSettingException;
import org.apache.tomcat.util.net.SSLHostConfig;

/**
 * How client certificates are checked for revocation.
 *
 * @param lists whether they are checked with certificate revocation lists
 * @param ocspEnabled whether client certificates are checked with OCSP
 * @param ocspSoftFail whether a client is accepted if the OCSP responder does not answer
 */
public record RevocationChecks(boolean lists, boolean ocspEnabled, boolean ocspSoftFail) {

	/**
	 * No checks.
	 */
	public static final RevocationChecks NONE = new RevocationChecks(false, false, false);

	/**
	 * Return whether there are no checks.
	 * @return whether there are none
	 */
	public boolean isEmpty() {
		return !this.lists && !this.ocspEnabled;
	}

	/**
	 * Return the setting that asks for the checks.
	 * @return the setting, unless there are no checks
	 */
	public SettingName setting() {
		return this.ocspEnabled ? SettingName.OCSP : SettingName.REVOCATION_LISTS;
	}

	/**
	 * Require that the clients of a virtual host are verified by the trust manager that
	 * makes the checks. Another one would be used as it is.
	 * @param config the virtual host
	 * @param providedContext whether the user provides its context
	 * @param ownTrustManager whether its SSL bundle has a trust manager of its own
	 * @throws TlsSettingException if the checks cannot be made
	 */
	void requirePossible(SSLHostConfig config, boolean providedContext, boolean ownTrustManager) {
		if (isEmpty()) {
			return;
		}
		if (providedContext) {
			throw failure(config, "its own 'SSLContext', which would not check revocation", "'sslContext'");
		}
		if (ownTrustManager) {
			throw failure(config, "an SSL bundle with its own trust manager, which would not check revocation",
					"the 'SslManagerBundle' of the bundle");
		}
		if (config.getTrustManagerClassName() != null) {
			throw failure(config, "its own trust manager, '%s', which would not check revocation"
				.formatted(config.getTrustManagerClassName()), "'trustManagerClassName'");
		}
		if (!"PKIX".equalsIgnoreCase(config.getTruststoreAlgorithm())) {
			throw failure(config,
					"the trust manager algorithm '%s', which does not check revocation"
						.formatted(config.getTruststoreAlgorithm()),
					"'truststoreAlgorithm' or the security property 'ssl.TrustManagerFactory.algorithm'");
		}
	}

	private TlsSettingException failure(SSLHostConfig config, String trust, String source) {
		return new TlsSettingException(setting(),
				new SettingText("the virtual host '%s' has %s", config.getHostName(), trust),
				new SettingText("Remove whatever sets %s, or remove %s", source, setting()), null);
	}

}
