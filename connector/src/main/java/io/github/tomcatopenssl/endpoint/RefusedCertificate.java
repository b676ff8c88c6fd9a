// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.security.cert.CertPathBuilderException;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertPathValidatorException.Reason;
import java.security.cert.CertificateExpiredException;
import java.security.cert.CertificateNotYetValidException;
import java.security.cert.CertificateParsingException;
import java.security.cert.CertificateRevokedException;
import java.security.cert.PKIXReason;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.Map;

import io.github.tomcatopenssl.internal.host.ClientVerification;
import org.jspecify.annotations.Nullable;

/**
 * A certificate of a client that a trust manager has refused.
 *
 * @param leaf the client's certificate; {@code null} if it cannot be read
 * @param certificate the client's certificate, or the one of its chain that is to blame;
 * {@code null} if they cannot be read
 * @param reason why it was refused
 */
record RefusedCertificate(@Nullable X509Certificate leaf, @Nullable X509Certificate certificate, FailureReason reason) {

	private static final Map<Reason, FailureReason> REASONS = Map.of(BasicReason.EXPIRED,
			FailureReason.CERTIFICATE_EXPIRED, BasicReason.NOT_YET_VALID, FailureReason.CERTIFICATE_NOT_YET_VALID,
			BasicReason.REVOKED, FailureReason.CERTIFICATE_REVOKED, BasicReason.UNDETERMINED_REVOCATION_STATUS,
			FailureReason.CERTIFICATE_REVOCATION_UNKNOWN, PKIXReason.NO_TRUST_ANCHOR,
			FailureReason.CERTIFICATE_ISSUER_UNKNOWN);

	/**
	 * Number of exceptions that are asked for the reason.
	 */
	private static final int MOST_CAUSES = 10;

	private static final String UNREADABLE = "unreadable";

	/**
	 * Find out why a chain was refused.
	 * @param chain the chain, the client's certificate first; empty if it cannot be read
	 * @param refusal what the trust manager has thrown
	 * @param checksPurpose whether the trust manager is known to require the purpose
	 * clientAuth
	 * @return the refused certificate
	 */
	static RefusedCertificate of(X509Certificate[] chain, Throwable refusal, boolean checksPurpose) {
		X509Certificate leaf = (chain.length > 0) ? chain[0] : null;
		X509Certificate certificate = leaf;
		boolean invalidPath = false;
		boolean noPath = false;
		Throwable cause = refusal;
		for (int i = 0; cause != null && i < MOST_CAUSES; i++) {
			FailureReason reason = reason(cause);
			if (cause instanceof CertPathValidatorException invalid) {
				invalidPath = true;
				certificate = blamed(invalid, certificate);
			}
			noPath |= cause instanceof CertPathBuilderException;
			if (reason != null) {
				return new RefusedCertificate(leaf, certificate, reason);
			}
			cause = cause.getCause();
		}
		if (invalidPath) {
			return new RefusedCertificate(leaf, certificate, FailureReason.CERTIFICATE_REJECTED);
		}
		if (noPath) {
			return new RefusedCertificate(leaf, certificate, FailureReason.CERTIFICATE_ISSUER_UNKNOWN);
		}
		return new RefusedCertificate(leaf, certificate, (checksPurpose && !isForClients(certificate))
				? FailureReason.CERTIFICATE_WITHOUT_CLIENT_AUTH : FailureReason.CERTIFICATE_REJECTED);
	}

	private static @Nullable FailureReason reason(Throwable cause) {
		if (cause instanceof CertPathValidatorException invalid) {
			return REASONS.get(invalid.getReason());
		}
		if (cause instanceof CertificateExpiredException) {
			return FailureReason.CERTIFICATE_EXPIRED;
		}
		if (cause instanceof CertificateNotYetValidException) {
			return FailureReason.CERTIFICATE_NOT_YET_VALID;
		}
		return (cause instanceof CertificateRevokedException) ? FailureReason.CERTIFICATE_REVOKED : null;
	}

	private static @Nullable X509Certificate blamed(CertPathValidatorException invalid,
			@Nullable X509Certificate leaf) {
		int index = invalid.getIndex();
		return (index > 0 && invalid.getCertPath().getCertificates().get(index) instanceof X509Certificate issuer)
				? issuer : leaf;
	}

	private static boolean isForClients(@Nullable X509Certificate certificate) {
		try {
			List<String> purposes = (certificate != null) ? certificate.getExtendedKeyUsage() : null;
			return purposes == null || purposes.stream().anyMatch(ClientVerification.PURPOSES::contains);
		}
		catch (CertificateParsingException | RuntimeException ex) {
			// Refused, because it cannot be read
			return true;
		}
	}

	/**
	 * Return the subject and the serial number in hexadecimal, in a form that is safe to
	 * log.
	 * @return the text
	 */
	@Override
	public String toString() {
		ShownCertificate shown = ShownCertificate.of(this.certificate);
		return (shown != null) ? "subject '%s', serial number %s".formatted(shown.subject(), shown.serialNumber())
				: UNREADABLE;
	}

}
