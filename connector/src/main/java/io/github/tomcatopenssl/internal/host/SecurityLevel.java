// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.io.IOException;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.security.interfaces.DSAKey;
import java.security.interfaces.ECKey;
import java.security.interfaces.RSAKey;
import java.security.spec.PSSParameterSpec;
import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * OpenSSL's rule for certificates at its default security level, 2: a key and a signature
 * have at least 112 bits of security, which RSA has from 2048 bits on, an elliptic curve
 * from 224, and a digest from 224 ({@code SSL_CTX_set_security_level(3)}, "Security Level
 * 2"). The signature of a self-signed certificate does not count. OpenSSL decides (it
 * rounds, and accepts some bits less of RSA); this class explains the refusal.
 */
final class SecurityLevel {

	private static final int MINIMUM_RSA_BITS = 2048;

	private static final int MINIMUM_CURVE_BITS = 224;

	private static final Pattern WEAK_DIGEST = Pattern.compile("(MD2|MD5|SHA-?1)(?!\\d)");

	private SecurityLevel() {
	}

	/**
	 * Return the weakness of a certificate.
	 * @param certificate the certificate
	 * @return a clause about the certificate, or {@code null} if it has none
	 */
	static @Nullable String weakness(X509Certificate certificate) {
		PublicKey key = certificate.getPublicKey();
		if (key instanceof RSAKey rsa && rsa.getModulus().bitLength() < MINIMUM_RSA_BITS) {
			return "its RSA key has %d bits, but the minimum is %d".formatted(rsa.getModulus().bitLength(),
					MINIMUM_RSA_BITS);
		}
		if (key instanceof DSAKey) {
			return "its key is a DSA key";
		}
		if (key instanceof ECKey ec && ec.getParams().getOrder().bitLength() < MINIMUM_CURVE_BITS) {
			return "its curve has %d bits, but the minimum is %d".formatted(ec.getParams().getOrder().bitLength(),
					MINIMUM_CURVE_BITS);
		}
		Matcher digest = WEAK_DIGEST.matcher(signature(certificate).toUpperCase(Locale.ROOT));
		return (digest.find() && !isSelfSigned(certificate)) ? "it is signed with " + digest.group(1) : null;
	}

	/**
	 * Return whether a certificate is that of a root, which clients have.
	 * @param certificate the certificate
	 * @return whether it has signed itself
	 */
	static boolean isSelfSigned(X509Certificate certificate) {
		return TrustAnchors.isIssuer(certificate, certificate);
	}

	// The parameters of RSASSA-PSS name the digest. Without them, it is SHA-1 (RFC 4055,
	// 3.1)
	private static String signature(X509Certificate certificate) {
		String name = certificate.getSigAlgName();
		if (!name.equals("RSASSA-PSS")) {
			return name;
		}
		try {
			AlgorithmParameters parameters = AlgorithmParameters.getInstance(name);
			parameters.init(certificate.getSigAlgParams());
			return parameters.getParameterSpec(PSSParameterSpec.class).getDigestAlgorithm();
		}
		catch (GeneralSecurityException | IOException ex) {
			return name;
		}
	}

}
