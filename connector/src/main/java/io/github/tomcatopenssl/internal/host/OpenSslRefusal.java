// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.security.cert.X509Certificate;
import java.util.List;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.SettingText;
import io.github.tomcatopenssl.TlsSettingException;
import org.jspecify.annotations.Nullable;

/**
 * Explains why OpenSSL refuses to create a context. OpenSSL itself says only "ca md too
 * weak", and not for which certificate.
 */
public final class OpenSslRefusal {

	private OpenSslRefusal() {
	}

	/**
	 * Create the exception.
	 * @param host the name of the virtual host whose context cannot be created
	 * @param keys the keys that may be to blame
	 * @param origin knows where certificates come from
	 * @param failure the exception of Tomcat Native
	 * @return the exception
	 */
	public static TlsSettingException of(String host, List<HostKey> keys, CertificateOrigin origin, Exception failure) {
		String reason = reason(failure);
		for (HostKey key : keys) {
			TlsSettingException mismatch = key.mismatch(host, failure);
			if (mismatch != null) {
				return mismatch;
			}
			for (int i = 0; i < key.chain().size(); i++) {
				X509Certificate link = key.chain().get(i);
				String weakness = SecurityLevel.weakness(link);
				if (weakness != null) {
					return failure(key.leaf(),
							new SettingText("OpenSSL refuses %s of the virtual host '%s': %s (%s)",
									description(key.chain(), i, origin), host, weakness, reason),
							action(i, SecurityLevel.isSelfSigned(link)), failure);
				}
			}
		}
		String certificate = keys.isEmpty() ? "" : " with " + description(keys.get(0).chain(), 0, origin);
		return failure(keys.isEmpty() ? null : keys.get(0).leaf(),
				new SettingText("OpenSSL refuses the TLS settings of the virtual host '%s'%s: %s", host, certificate,
						reason),
				"Correct what the reason names. A certificate needs an EC key on the curve P-256, P-384 or P-521, an Ed25519 key, or an RSA key of at least 2048 bits, and a signature with SHA-256 or stronger",
				failure);
	}

	static String description(List<X509Certificate> chain, int index, CertificateOrigin origin) {
		X509Certificate certificate = chain.get(index);
		String subject = certificate.getSubjectX500Principal().getName();
		String place = origin.of(certificate);
		return "the certificate '%s' (%s)".formatted(subject,
				(place != null) ? place : "number %d of the chain".formatted(index + 1));
	}

	private static String action(int index, boolean selfSigned) {
		if (index == 0) {
			return "Have its CA issue it again, for an EC key on the curve P-256 or an RSA key of at least 2048 bits, and signed with SHA-256 or stronger";
		}
		return selfSigned ? "Remove it: clients do not need the root from the server"
				: "Replace it with the CA's current certificate, which has an RSA key of at least 2048 bits or an EC key, and is signed with SHA-256 or stronger";
	}

	private static TlsSettingException failure(@Nullable X509Certificate leaf, SettingText reason, String action,
			Exception cause) {
		return new TlsSettingException(SettingName.CERTIFICATE, leaf, reason, new SettingText("%s", action), cause);
	}

	private static String reason(Throwable failure) {
		Throwable cause = failure;
		while (cause.getCause() != null) {
			cause = cause.getCause();
		}
		return (cause.getMessage() != null) ? cause.getMessage() : cause.toString();
	}

}
