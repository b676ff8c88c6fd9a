/*
 * Copyright 2026-present the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.github.tomcatopenssl.autoconfigure;

import java.io.IOException;
import java.io.UncheckedIOException;

import org.apache.tomcat.util.net.SSLHostConfig;
import org.jspecify.annotations.Nullable;

import org.springframework.core.io.ResourceLoader;

/**
 * How client certificates are checked for revocation.
 *
 * @param listFile the file of the certificate revocation lists, or {@code null}
 * @param ocspEnabled whether clients are checked by OCSP
 * @param ocspSoftFail whether a client is accepted when the responder does not answer
 */
record RevocationChecks(@Nullable String listFile, boolean ocspEnabled, boolean ocspSoftFail) {

	/**
	 * How long a client can resume a session without being checked again, in seconds.
	 * Tomcat's default is a day. A list that is replaced counts at once, since the server
	 * then forgets all sessions.
	 */
	private static final int SESSION_TIMEOUT = 300;

	static RevocationChecks of(TomcatOpenSslProperties properties, ResourceLoader resourceLoader) {
		String location = properties.getCertificateRevocationListFile();
		try {
			return new RevocationChecks(
					(location != null) ? resourceLoader.getResource(location).getFile().getAbsolutePath() : null,
					properties.isOcspEnabled(), properties.isOcspSoftFail());
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	boolean isEmpty() {
		return this.listFile == null && !this.ocspEnabled;
	}

	/**
	 * Return the property that asks for the checks.
	 * @return its name
	 */
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
		int timeout = config.getSessionTimeout();
		// 0 and below are no limit
		config.setSessionTimeout((timeout > 0) ? Math.min(timeout, SESSION_TIMEOUT) : SESSION_TIMEOUT);
	}

}
