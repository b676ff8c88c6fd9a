// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.security.cert.X509CRL;
import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * The validated content of the certificate files of a virtual host. It needs no class of
 * Tomcat, because other servers use the files too.
 *
 * @param keys the keys of the host, one for each type, the preferred one first
 * @param clientAuth whether clients have to present a certificate, or {@code null} for
 * what Tomcat is configured with
 * @param revocationLists the certificate revocation lists
 * @param proxyCertificates the CAs of proxies that forward the certificates of their
 * clients
 */
public record HostMaterial(List<HostKey> keys, @Nullable ClientAuth clientAuth, Collection<X509CRL> revocationLists,
		Collection<X509Certificate> proxyCertificates) {

	/**
	 * Create the material with an unmodifiable copy of the keys.
	 */
	public HostMaterial {
		keys = List.copyOf(keys);
	}

	/**
	 * Whether clients have to present a certificate.
	 */
	public enum ClientAuth {

		/**
		 * They are not asked for one.
		 */
		NONE,

		/**
		 * They may present one.
		 */
		WANT,

		/**
		 * They have to.
		 */
		NEED

	}

}
