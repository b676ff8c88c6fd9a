// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.security.cert.X509Certificate;

import io.github.tomcatopenssl.internal.host.ForeignText;
import io.github.tomcatopenssl.internal.host.HostNames;
import org.jspecify.annotations.Nullable;

/**
 * A client's certificate, as it can be shown.
 *
 * @param subject its subject, or its alternative names if it has none, in a form that is
 * safe to show
 * @param serialNumber its serial number in hexadecimal
 */
record ShownCertificate(String subject, String serialNumber) {

	private static final int HEXADECIMAL = 16;

	/**
	 * Return what can be shown of a certificate.
	 * @param certificate the certificate
	 * @return what can be shown, or {@code null} if there is no certificate, or none that
	 * can be read
	 */
	static @Nullable ShownCertificate of(@Nullable X509Certificate certificate) {
		if (certificate == null) {
			return null;
		}
		try {
			return new ShownCertificate(ForeignText.of(HostNames.describe(certificate)),
					ForeignText.of(certificate.getSerialNumber().toString(HEXADECIMAL)));
		}
		catch (RuntimeException ex) {
			// Tomcat reads a certificate from OpenSSL only when it is asked
			return null;
		}
	}

}
