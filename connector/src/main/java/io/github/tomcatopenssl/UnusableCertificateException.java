// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl;

import java.security.cert.X509Certificate;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if no client could connect to a virtual host that would use a certificate.
 */
public class UnusableCertificateException extends TlsSettingException {

	private final transient @Nullable X509Certificate certificate;

	/**
	 * Create a new instance.
	 * @param setting the setting
	 * @param certificate the certificate that clients would be shown, or {@code null} if
	 * it is not known
	 * @param reason what is wrong, as a clause of a sentence
	 * @param action what to do about it, as a sentence without its full stop
	 * @param cause the underlying error
	 */
	public UnusableCertificateException(SettingName setting, @Nullable X509Certificate certificate, String reason,
			String action, @Nullable Throwable cause) {
		super(setting, reason, action, cause);
		this.certificate = certificate;
	}

	/**
	 * Return the certificate that clients would be shown.
	 * @return the certificate, or {@code null} if it is not known
	 */
	public @Nullable X509Certificate getCertificate() {
		return this.certificate;
	}

}
