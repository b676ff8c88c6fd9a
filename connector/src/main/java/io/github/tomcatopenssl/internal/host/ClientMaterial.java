// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;

import javax.net.ssl.TrustManager;

import org.jspecify.annotations.Nullable;

/**
 * The trust managers and revocation lists by which a virtual host without
 * {@link HostMaterial} verifies its clients, besides those of Tomcat's configuration.
 *
 * @param trustManagers trust managers that do not come from a trust store, or
 * {@code null}
 * @param revocationLists the validated certificate revocation lists
 * @param proxyCertificates the CAs of proxies that forward the certificates of their
 * clients
 */
public record ClientMaterial(TrustManager @Nullable [] trustManagers, Collection<X509CRL> revocationLists,
		Collection<X509Certificate> proxyCertificates) {

	/**
	 * Nothing.
	 */
	public static final ClientMaterial NONE = new ClientMaterial(null, List.of(), List.of());

}
