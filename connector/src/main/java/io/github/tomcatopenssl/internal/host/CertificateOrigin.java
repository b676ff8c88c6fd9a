// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.security.cert.X509Certificate;

import org.jspecify.annotations.Nullable;

/**
 * Knows where certificates come from.
 */
@FunctionalInterface
public interface CertificateOrigin {

	/**
	 * Return the origin of a certificate.
	 * @param certificate the certificate
	 * @return its file, as messages show it, or {@code null} if that is unknown
	 */
	@Nullable String of(X509Certificate certificate);

}
