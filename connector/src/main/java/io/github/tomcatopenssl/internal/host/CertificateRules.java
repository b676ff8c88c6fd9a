// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.io.IOException;
import java.security.AlgorithmParameters;
import java.security.GeneralSecurityException;
import java.security.PublicKey;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECKey;
import java.security.interfaces.RSAKey;
import java.security.spec.ECGenParameterSpec;
import java.security.spec.ECParameterSpec;
import java.security.spec.MGF1ParameterSpec;
import java.security.spec.PSSParameterSpec;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import javax.net.ssl.X509TrustManager;
import javax.security.auth.x500.X500Principal;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.SecurityPolicy;
import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.SettingText;
import io.github.tomcatopenssl.SignatureScheme;
import io.github.tomcatopenssl.TlsSettingException;
import org.jspecify.annotations.Nullable;

/**
 * The rules of a policy for certificates: their keys and, except for those of a trust
 * anchor, their signatures.
 *
 * @param policy the policy
 */
public record CertificateRules(SecurityPolicy policy) {

	// RFC 4055, RFC 5758, RFC 8410 and RFC 9881
	private static final Map<String, SignatureScheme> SIGNATURES = Map.ofEntries(
			Map.entry("1.2.840.113549.1.1.11", SignatureScheme.RSA_PKCS1_SHA256),
			Map.entry("1.2.840.113549.1.1.12", SignatureScheme.RSA_PKCS1_SHA384),
			Map.entry("1.2.840.113549.1.1.13", SignatureScheme.RSA_PKCS1_SHA512),
			Map.entry("1.2.840.10045.4.3.2", SignatureScheme.ECDSA_SECP256R1_SHA256),
			Map.entry("1.2.840.10045.4.3.3", SignatureScheme.ECDSA_SECP384R1_SHA384),
			Map.entry("1.2.840.10045.4.3.4", SignatureScheme.ECDSA_SECP521R1_SHA512),
			Map.entry("1.3.101.112", SignatureScheme.ED25519), Map.entry("1.3.101.113", SignatureScheme.ED448),
			Map.entry("2.16.840.1.101.3.4.3.17", SignatureScheme.MLDSA44),
			Map.entry("2.16.840.1.101.3.4.3.18", SignatureScheme.MLDSA65),
			Map.entry("2.16.840.1.101.3.4.3.19", SignatureScheme.MLDSA87));

	private static final Map<String, SignatureScheme> PSS_DIGESTS = Map.of("SHA-256",
			SignatureScheme.RSA_PSS_RSAE_SHA256, "SHA-384", SignatureScheme.RSA_PSS_RSAE_SHA384, "SHA-512",
			SignatureScheme.RSA_PSS_RSAE_SHA512);

	private static final String PSS = "1.2.840.113549.1.1.10";

	/**
	 * Return the violation of the policy in a chain.
	 * @param chain the certificates, the leaf first
	 * @return a clause about the first certificate that it does not allow, or
	 * {@code null} if it allows all of them
	 */
	public @Nullable String violation(List<X509Certificate> chain) {
		return chain.stream()
			.map((certificate) -> violation(certificate, true))
			.filter((violation) -> violation != null)
			.findFirst()
			.orElse(null);
	}

	/**
	 * Return a trust manager that accepts a client only if the policy also allows all
	 * certificates that it has sent, and the CAs that issued them.
	 * @param manager verifies the client
	 * @return the trust manager
	 */
	X509TrustManager enforcedBy(X509TrustManager manager) {
		return CheckedTrustManager.of(manager, (chain, verification) -> {
			verification.run(chain);
			String violation = violation(List.of(chain));
			if (violation == null) {
				violation = issuerViolation(chain, manager.getAcceptedIssuers());
			}
			if (violation != null) {
				throw new CertificateException(
						"The policy '%s' (%s) refuses the client: %s".formatted(this.policy, this.policy.source(),
								violation),
						new CertPathValidatorException(violation, null, null, -1, BasicReason.ALGORITHM_CONSTRAINED));
			}
		});
	}

	// A trust manager of the user's may get other CAs after the start
	private @Nullable String issuerViolation(X509Certificate[] chain, X509Certificate[] issuers) {
		Set<X500Principal> names = Arrays.stream(chain)
			.map(X509Certificate::getIssuerX500Principal)
			.collect(Collectors.toSet());
		return Arrays.stream(issuers)
			.filter((issuer) -> names.contains(issuer.getSubjectX500Principal()))
			.map((issuer) -> violation(issuer, false))
			.filter(Objects::nonNull)
			.findFirst()
			.orElse(null);
	}

	private @Nullable String violation(X509Certificate certificate, boolean signed) {
		String name = certificate.getSubjectX500Principal().getName();
		String key = keyViolation(certificate.getPublicKey());
		if (key != null) {
			return "'%s' has %s".formatted(name, key);
		}
		SignatureScheme signature = signature(certificate);
		if (signed && (signature == null || !this.policy.certificateSignatures().contains(signature))
				&& !SecurityLevel.isSelfSigned(certificate)) {
			return "'%s' is signed with %s, which is none of %s".formatted(name, certificate.getSigAlgName(),
					this.policy.certificateSignatures());
		}
		return null;
	}

	private @Nullable String keyViolation(PublicKey key) {
		SecurityPolicy.Keys keys = this.policy.keys();
		if (key instanceof RSAKey rsa) {
			int bits = rsa.getModulus().bitLength();
			if (keys.minimumRsaBits() == 0) {
				return "an RSA key, and only %s are allowed".formatted(allowedKeys());
			}
			return (bits < keys.minimumRsaBits())
					? "an RSA key with %d bits, and the minimum is %d".formatted(bits, keys.minimumRsaBits()) : null;
		}
		if (key instanceof ECKey ec && keys.curves().stream().anyMatch((curve) -> isOn(curve, ec.getParams()))) {
			return null;
		}
		KeyType keyType = KeyType.of(key);
		if (keyType.isMlDsa() && this.policy.certificateSignatures().containsAll(keyType.schemes())) {
			return null;
		}
		String type = keyType.isMlDsa() ? keyType.schemes().iterator().next().toString() : (key instanceof ECKey ec)
				? "EC (%d bits)".formatted(ec.getParams().getOrder().bitLength()) : key.getAlgorithm();
		return "a key of the type %s, and only %s are allowed".formatted(type, allowedKeys());
	}

	private String allowedKeys() {
		SecurityPolicy.Keys keys = this.policy.keys();
		if (keys.curves().isEmpty()) {
			return "the types " + this.policy.certificateSignatures();
		}
		return "EC keys on %s%s".formatted(keys.curves(),
				(keys.minimumRsaBits() > 0) ? " and RSA keys from %d bits".formatted(keys.minimumRsaBits()) : "");
	}

	private static boolean isOn(KeyExchangeGroup curve, ECParameterSpec parameters) {
		try {
			AlgorithmParameters named = AlgorithmParameters.getInstance("EC");
			named.init(new ECGenParameterSpec(curve.toString()));
			ECParameterSpec expected = named.getParameterSpec(ECParameterSpec.class);
			return expected.getCurve().equals(parameters.getCurve())
					&& expected.getGenerator().equals(parameters.getGenerator())
					&& expected.getOrder().equals(parameters.getOrder());
		}
		catch (GeneralSecurityException ex) {
			return false;
		}
	}

	private static @Nullable SignatureScheme signature(X509Certificate certificate) {
		if (!certificate.getSigAlgOID().equals(PSS)) {
			return SIGNATURES.get(certificate.getSigAlgOID());
		}
		try {
			AlgorithmParameters parameters = AlgorithmParameters.getInstance("RSASSA-PSS");
			parameters.init(certificate.getSigAlgParams());
			PSSParameterSpec pss = parameters.getParameterSpec(PSSParameterSpec.class);
			// TLS requires the same digest for both (RFC 8446, 4.2.3)
			return (pss.getMGFParameters() instanceof MGF1ParameterSpec mask
					&& mask.getDigestAlgorithm().equals(pss.getDigestAlgorithm()))
							? PSS_DIGESTS.get(pss.getDigestAlgorithm()) : null;
		}
		catch (GeneralSecurityException | IOException ex) {
			return null;
		}
	}

	/**
	 * Require that the policy allows the certificates of a host.
	 * @param host the name of the virtual host
	 * @param keys its keys
	 * @throws TlsSettingException if it does not
	 */
	void require(String host, List<HostKey> keys) {
		for (HostKey key : keys) {
			String violation = violation(key.chain());
			if (violation != null) {
				throw new TlsSettingException(SettingName.CERTIFICATE, key.leaf(),
						new SettingText("in the chain of the virtual host '%s', %s, because %s is '%s' (%s)", host,
								violation, SettingName.POLICY, this.policy, this.policy.source()),
						new SettingText("Use certificates that the policy allows, or another policy"), null);
			}
		}
	}

	/**
	 * Require that the policy allows the CAs by which a host verifies its clients. Their
	 * own signatures do not count, because nobody verifies them.
	 * @param host the name of the virtual host
	 * @param issuers the CAs
	 * @throws TlsSettingException if it does not
	 */
	void requireIssuers(String host, X509Certificate[] issuers) {
		for (X509Certificate issuer : issuers) {
			String violation = violation(issuer, false);
			if (violation != null) {
				throw new TlsSettingException(SettingName.CA_CERTIFICATES, new SettingText(
						"among the CAs that clients of the virtual host '%s' are verified against, %s, because %s is '%s' (%s)",
						host, violation, SettingName.POLICY, this.policy, this.policy.source()),
						new SettingText("Leave only CAs that the policy allows, or use another policy"), null);
			}
		}
	}

}
