// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.github.tomcatopenssl.SecurityPolicy;
import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.SettingText;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.library.TrialContext;
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

	private static final String SEPARATOR = ":";

	private static final Set<String> SUITES = Arrays.stream(Cipher.values())
		.map(Cipher::getOpenSSLAlias)
		.collect(Collectors.toSet());

	private FipsRequirement() {
	}

	static TlsPolicy applyTo(String host, TlsPolicy policy, List<HostKey> keys, SecurityPolicy defaults) {
		try (TrialContext trial = new TrialContext()) {
			TlsPolicy required = requireSuites(host, policy, trial, defaults);
			for (HostKey key : keys) {
				requireKey(host, key, trial);
			}
			return required;
		}
	}

	private static TlsPolicy requireSuites(String host, TlsPolicy policy, TrialContext trial, SecurityPolicy defaults) {
		List<String> available;
		try {
			SSLContext.setCipherSuite(trial.address(), policy.ciphers());
			SSLContext.setCipherSuitesEx(trial.address(), policy.cipherSuites());
			available = List.of(SSLContext.getCiphers(trial.address()));
		}
		catch (Exception ex) {
			throw suitesFailure(host, policy.ciphers(), ex);
		}
		return policy.withSuites(require(host, policy.ciphers(), defaults.ciphers(), available),
				require(host, policy.cipherSuites(), defaults.cipherSuites(), available));
	}

	// Leaves out suites of the profile that the provider does not have, but rejects
	// those that a user has named. The rest of an expression is left to OpenSSL
	private static String require(String host, String suites, List<String> profile, List<String> available) {
		List<String> names = List.of(suites.split(SEPARATOR));
		List<String> missing = names.stream()
			.filter(SUITES::contains)
			.filter((name) -> !available.contains(name))
			.toList();
		if (!missing.isEmpty() && !suites.startsWith(String.join(SEPARATOR, profile))) {
			throw suitesFailure(host, String.join(", ", missing), null);
		}
		return names.stream().filter((name) -> !missing.contains(name)).collect(Collectors.joining(SEPARATOR));
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
