// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.security.cert.X509CRL;
import java.util.Collection;
import java.util.List;

import javax.net.ssl.TrustManager;

import org.apache.tomcat.util.net.SSLHostConfig.CertificateVerification;
import org.jspecify.annotations.Nullable;

/**
 * What a virtual host verifies its clients with, besides what Tomcat is configured with.
 *
 * @param mode whether clients have to present a certificate, or {@code null} for what
 * Tomcat is configured with
 * @param trustManagers trust managers that do not come from a trust store, or
 * {@code null}
 * @param revocationLists the validated certificate revocation lists
 */
public record ClientMaterial(@Nullable CertificateVerification mode, TrustManager @Nullable [] trustManagers,
		Collection<X509CRL> revocationLists) {

	/**
	 * Nothing.
	 */
	public static final ClientMaterial NONE = new ClientMaterial(null, null, List.of());

}
