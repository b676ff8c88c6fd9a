// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.security.interfaces.ECKey;
import java.util.List;
import java.util.Locale;

import io.github.tomcatopenssl.ProtocolVersion;
import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.SettingText;
import io.github.tomcatopenssl.SignatureScheme;
import io.github.tomcatopenssl.TlsSettingException;
import org.apache.tomcat.util.net.openssl.OpenSSLConfCmd;

/**
 * The only signature algorithms that a handshake may use. A handshake must be possible
 * with each key and each version of TLS.
 *
 * @param engine what the engine can do that serves
 * @param settings what the user has set
 */
record Signatures(EngineCapabilities engine, PolicySettings settings) {

	private static final String COMMAND = "signaturealgorithms";

	/**
	 * Restrict a policy to the signature algorithms.
	 * @param host the name of the virtual host
	 * @param keys its keys
	 * @param policy its policy
	 * @return the policy with the signature algorithms that the engine supports
	 * @throws TlsSettingException if the engine supports none of them, or a key can use
	 * none
	 */
	TlsPolicy applyTo(String host, List<HostKey> keys, TlsPolicy policy) {
		List<SignatureScheme> wanted = wanted();
		if (wanted.isEmpty()) {
			return policy;
		}
		for (OpenSSLConfCmd command : policy.commands()) {
			if (command.getName().toLowerCase(Locale.ROOT).endsWith(COMMAND)) {
				throw failure(new SettingText(
						"'%s' of the OpenSSL configuration ('OpenSSLConf') of the virtual host '%s' would bypass them",
						command.getName(), host), new SettingText("Remove the command"));
			}
		}
		List<SignatureScheme> schemes = wanted.stream().filter(this.engine.signatures()::contains).toList();
		if (schemes.isEmpty()) {
			throw failure(new SettingText("%s, which serves TLS, supports none of %s", this.engine.name(), wanted),
					new SettingText("Serve TLS with an engine that supports them (see %s), or use others",
							SettingName.MODE));
		}
		for (HostKey key : keys) {
			for (ProtocolVersion version : policy.versions()) {
				requireUsable(host, key, version, schemes);
			}
		}
		return policy.withSignatures(schemes);
	}

	private List<SignatureScheme> wanted() {
		NamedPolicy named = this.settings.named();
		if (named == null) {
			return this.settings.signatures();
		}
		named.requireSignatures(this.settings.signatures());
		return this.settings.signatures().isEmpty() ? named.policy().signatures() : this.settings.signatures();
	}

	private void requireUsable(String host, HostKey key, ProtocolVersion version, List<SignatureScheme> schemes) {
		boolean tls13 = version == ProtocolVersion.TLS_1_3;
		// ML-DSA keys serve TLS 1.3 only
		if (key.type().isMlDsa() && !tls13 || schemes.stream()
			.anyMatch((scheme) -> isUsable(scheme, key, tls13 || this.engine.curveInTls12(), tls13))) {
			return;
		}
		throw failure(
				new SettingText("none of %s fits the %s key of the virtual host '%s' in %s", schemes,
						key.leaf().getPublicKey().getAlgorithm(), host, version),
				new SettingText("%s, use a certificate with another key, or remove '%s' from %s",
						this.settings.signatures().isEmpty() ? "Use another policy" : "Add an algorithm that fits",
						version, SettingName.ENABLED_PROTOCOLS));
	}

	/**
	 * Return whether a key can sign a handshake with an algorithm.
	 * @param scheme the algorithm
	 * @param key the key
	 * @param tls13 whether the version of TLS is 1.3
	 * @return whether it can
	 */
	static boolean isUsable(SignatureScheme scheme, HostKey key, boolean tls13) {
		return isUsable(scheme, key, tls13, tls13);
	}

	private static boolean isUsable(SignatureScheme scheme, HostKey key, boolean onCurve, boolean tls13) {
		if (key.leaf().getPublicKey() instanceof ECKey ec && onCurve) {
			return scheme == switch (ec.getParams().getOrder().bitLength()) {
				case 256 -> SignatureScheme.ECDSA_SECP256R1_SHA256;
				case 384 -> SignatureScheme.ECDSA_SECP384R1_SHA384;
				default -> SignatureScheme.ECDSA_SECP521R1_SHA512;
			};
		}
		return key.type().schemes().contains(scheme) && !(tls13 && scheme.name().startsWith("RSA_PKCS1"));
	}

	private TlsSettingException failure(SettingText reason, SettingText action) {
		NamedPolicy named = this.settings.named();
		if (named != null && this.settings.signatures().isEmpty()) {
			return named.refusal(reason, action);
		}
		return new TlsSettingException(SettingName.SIGNATURE_ALGORITHMS, reason, action, null);
	}

}
