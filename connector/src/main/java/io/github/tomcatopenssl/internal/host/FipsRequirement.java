// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.SettingText;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.library.TrialContext;
import org.apache.tomcat.jni.SSLContext;
import org.apache.tomcat.util.net.openssl.ciphers.Cipher;
import org.jspecify.annotations.Nullable;

/**
 * Checks on a separate TLS context whether the FIPS provider accepts the cipher suites
 * and keys of a virtual host. If the provider refuses a key, Tomcat would only say that
 * the connector has failed. Cipher suites that the provider does not have would be left
 * out.
 */
final class FipsRequirement {

	private FipsRequirement() {
	}

	static void require(String host, TlsPolicy policy, List<HostKey> keys, Set<Cipher> available) {
		try (TrialContext trial = new TrialContext()) {
			requireSuites(host, policy, available, trial);
			for (HostKey key : keys) {
				requireKey(host, key, trial);
			}
		}
	}

	// The rest of an expression is left to OpenSSL
	private static void requireSuites(String host, TlsPolicy policy, Set<Cipher> available, TrialContext trial) {
		Stream<Cipher> ciphers = policy.ciphers().stream();
		if (policy.expression() != null) {
			List<String> named = List.of(policy.expression().split(PolicyReader.SEPARATORS));
			ciphers = ciphers.filter((cipher) -> named.contains(cipher.getOpenSSLAlias()));
		}
		List<String> missing = Stream.concat(ciphers, policy.cipherSuites().stream())
			.filter((suite) -> !available.contains(suite))
			.map(Cipher::getOpenSSLAlias)
			.toList();
		if (!missing.isEmpty()) {
			throw suitesFailure(host, String.join(", ", missing), null);
		}
		try {
			SSLContext.setCipherSuite(trial.address(), policy.openSslCiphers());
		}
		catch (Exception ex) {
			throw suitesFailure(host, policy.openSslCiphers(), ex);
		}
	}

	private static TlsSettingException suitesFailure(String host, String suites, @Nullable Exception cause) {
		return new TlsSettingException(SettingName.CIPHERS, new SettingText(
				"the FIPS provider, which %s requires, does not support these cipher suites of the virtual host '%s': '%s'",
				SettingName.FIPS_MODE, host, suites),
				new SettingText(
						"Name only suites with AES, such as 'TLS_AES_256_GCM_SHA384' and 'TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384', or remove the property"),
				cause);
	}

	private static void requireKey(String host, HostKey key, TrialContext trial) {
		try {
			key.addTo(trial.address(), 0);
		}
		catch (Exception ex) {
			throw new TlsSettingException(SettingName.CERTIFICATE, new SettingText(
					"the FIPS provider, which %s requires, refuses the certificate '%s' of the virtual host '%s' or its key: %s",
					SettingName.FIPS_MODE, key.leaf().getSubjectX500Principal().getName(), host, ex.getMessage()),
					new SettingText(
							"Use a certificate with an EC key on the curve P-256, P-384 or P-521, or with an RSA key of at least 2048 bits"),
					ex);
		}
	}

}
