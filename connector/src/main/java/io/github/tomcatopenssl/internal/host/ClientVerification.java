// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.util.Set;

import javax.net.ssl.X509TrustManager;

import org.apache.tomcat.util.net.SSLHostConfig.CertificateVerification;
import org.jspecify.annotations.Nullable;

/**
 * How a host verifies its clients.
 *
 * @param mode whether clients have to present a certificate, may present one, or are not
 * asked for one
 * @param trustManager decides about certificates; {@code null} if no client is asked for
 * one, if any is accepted ({@link CertificateVerification#OPTIONAL_NO_CA}), or if only
 * the context decides that a user provides
 * @param trust what the trust manager decides by, which ends connections when a reload
 * takes a CA away
 * @param checksPurpose whether the trust manager is known to require the purpose
 * clientAuth
 * @param forwarded how certificates are verified that a proxy forwards, or {@code null}
 * if none are accepted
 */
public record ClientVerification(CertificateVerification mode, @Nullable X509TrustManager trustManager,
		@Nullable ClientTrust trust, boolean checksPurpose, @Nullable ForwardedVerification forwarded) {

	/**
	 * Maximum number of certificates that a client may present. JSSE reads the same
	 * property.
	 */
	public static final int MOST_CERTIFICATES = Integer.getInteger("jdk.tls.maxCertificateChainLength", 10);

	/**
	 * The purposes that allow a client's certificate (RFC 5280, 4.2.1.12): clientAuth and
	 * anyExtendedKeyUsage.
	 */
	public static final Set<String> PURPOSES = Set.of("1.3.6.1.5.5.7.3.2", "2.5.29.37.0");

	/**
	 * No client is asked for a certificate.
	 */
	public static final ClientVerification NONE = new ClientVerification(CertificateVerification.NONE, null, null,
			false, null);

	/**
	 * Return whether clients are asked for a certificate.
	 * @return whether they are
	 */
	public boolean isActive() {
		return this.mode != CertificateVerification.NONE;
	}

	/**
	 * Return whether clients have to present a certificate.
	 * @return whether they have to
	 */
	public boolean isRequired() {
		return this.mode == CertificateVerification.REQUIRED;
	}

	/**
	 * Return whether any certificate is accepted, without a decision about it.
	 * @return whether it is
	 */
	public boolean acceptsAny() {
		return this.mode == CertificateVerification.OPTIONAL_NO_CA && this.trustManager == null;
	}

}
