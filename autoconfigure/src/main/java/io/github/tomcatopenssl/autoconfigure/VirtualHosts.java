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

import io.github.tomcatopenssl.certificate.CertificateFileException;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfig.CertificateVerification;
import org.jspecify.annotations.Nullable;

/**
 * What has to hold for all virtual hosts of a connector. Applied whenever the context of
 * one is made: at the start, when one is added, and at a reload.
 *
 * @param hybridGroup whether the engine offers X25519MLKEM768
 * @param revocation how client certificates are checked for revocation, {@code null} if
 * the server has no certificate files
 */
record VirtualHosts(boolean hybridGroup, @Nullable RevocationChecks revocation) {

	/**
	 * Configure a virtual host.
	 * @param host the virtual host
	 * @throws CertificateFileException if its clients cannot be verified as configured
	 */
	void configure(SSLHostConfig host) {
		if (host.getCertificateVerification() != CertificateVerification.NONE) {
			requireTrustAnchors(host);
			requireRevocation(host);
		}
		if (this.revocation != null) {
			this.revocation.applyTo(host);
		}
		IntermediateTlsProfile.applyTo(host, this.hybridGroup);
		requireCiphers(host);
	}

	private static void requireCiphers(SSLHostConfig host) {
		if (host.getCipherList().isEmpty()) {
			throw new CertificateFileException("server.ssl.ciphers", null,
					"no cipher suite of the virtual host '%s' is known: '%s'".formatted(host.getHostName(),
							host.getCiphers()),
					"Use names of the TLS registry, such as 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', or remove the property",
					null);
		}
	}

	private static void requireTrustAnchors(SSLHostConfig host) {
		if (host.getCaCertificateFile() != null || host.getCaCertificatePath() != null
				|| host.getTrustManagerClassName() != null) {
			return;
		}
		try {
			if (host.getTruststore() != null) {
				return;
			}
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		throw new CertificateFileException("server.ssl.client-auth", null,
				"clients of the virtual host '%s' are to be verified, but it has no CA to verify them against"
					.formatted(host.getHostName()),
				"Give it one with 'server.ssl.ca-certificate-file', 'server.ssl.trust-certificate' or the trust store of its SSL bundle, or remove 'server.ssl.client-auth'",
				null);
	}

	private void requireRevocation(SSLHostConfig host) {
		if (this.revocation != null && !this.revocation.isEmpty() && host.getTrustManagerClassName() != null) {
			throw new CertificateFileException(this.revocation.property(), null,
					"the virtual host '%s' has a trust manager of its own, '%s', which would not check revocation"
						.formatted(host.getHostName(), host.getTrustManagerClassName()),
					"Remove what sets 'trustManagerClassName', or remove '%s'".formatted(this.revocation.property()),
					null);
		}
	}

}
