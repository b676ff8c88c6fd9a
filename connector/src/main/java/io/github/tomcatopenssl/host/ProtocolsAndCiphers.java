// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

import io.github.tomcatopenssl.SecurityPolicy;
import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.SettingText;
import io.github.tomcatopenssl.TlsSettingException;
import org.apache.tomcat.util.net.openssl.ciphers.Authentication;
import org.apache.tomcat.util.net.openssl.ciphers.Cipher;
import org.apache.tomcat.util.net.openssl.ciphers.OpenSSLCipherConfigurationParser;
import org.jspecify.annotations.Nullable;

/**
 * Checks the protocols and cipher suites of a virtual host: a handshake must be possible
 * with each protocol and key type. Tomcat leaves out names that it does not know, and the
 * engine would refuse all clients of a protocol that it has turned off or that has no
 * cipher suite for the key. The check compares names instead of performing handshakes,
 * which a client engine would limit to what it supports itself.
 */
final class ProtocolsAndCiphers {

	// OpenSSL refuses earlier protocols from security level 1 on
	// (SSL_CTX_set_security_level)
	private static final String SECURITY_LEVEL_0 = "@SECLEVEL=0";

	// Only announces protocols and renegotiation. JSSE counts them as protocol and suite
	private static final Set<String> SIGNALS = Set.of("SSLv2Hello", "TLS_EMPTY_RENEGOTIATION_INFO_SCSV",
			"TLS_FALLBACK_SCSV");

	private ProtocolsAndCiphers() {
	}

	/**
	 * Require that the engine knows all names of protocols and cipher suites.
	 * @param policy the policy
	 * @param engine what the engine can do that serves
	 * @throws TlsSettingException if it does not
	 */
	static void requireKnownNames(TlsPolicy policy, EngineCapabilities engine) {
		List<String> known = versions(policy, engine);
		Set<String> unknown = new LinkedHashSet<>(policy.protocols());
		unknown.removeAll(known);
		unknown.removeAll(SIGNALS);
		if (!unknown.isEmpty()) {
			throw new TlsSettingException(SettingName.ENABLED_PROTOCOLS,
					new SettingText("%s, which serves TLS, does not support '%s'", engine.name(),
							String.join("', '", unknown)),
					new SettingText("Use only '%s', in this spelling, or remove the property",
							String.join("' and '", known)),
					null);
		}
		if (!engine.versionGaps()) {
			requireNoGap(policy.protocols(), engine);
		}
		List<String> unknownCiphers = new ArrayList<>();
		for (String cipher : policy.ciphers().split("[:, ]+")) {
			if (!isKnown(cipher)) {
				unknownCiphers.add(cipher);
			}
		}
		if (!unknownCiphers.isEmpty()) {
			throw new TlsSettingException(SettingName.CIPHERS,
					new SettingText("there is no cipher suite with the name '%s'", String.join("', '", unknownCiphers)),
					new SettingText("Use names from the TLS registry, such as %s, or remove the property", suites()),
					null);
		}
	}

	// Tomcat Native sets the highest version and the lowest without a gap below it
	private static void requireNoGap(List<String> protocols, EngineCapabilities engine) {
		List<Integer> enabled = protocols.stream()
			.map(TlsPolicy.VERSIONS::indexOf)
			.filter((index) -> index >= 0)
			.distinct()
			.sorted()
			.toList();
		if (!enabled.isEmpty() && enabled.get(enabled.size() - 1) - enabled.get(0) >= enabled.size()) {
			throw new TlsSettingException(SettingName.ENABLED_PROTOCOLS,
					new SettingText("%s, which serves TLS, cannot leave out a version between two others: '%s'",
							engine.name(), String.join("', '", protocols)),
					new SettingText("Name all versions from the lowest to the highest, or only one"), null);
		}
	}

	private static List<String> versions(TlsPolicy policy, EngineCapabilities engine) {
		boolean lowered = policy.ciphers().contains(SECURITY_LEVEL_0) || !policy.commands().isEmpty();
		return lowered ? engine.versionsWithoutSecurityLevel() : engine.versions();
	}

	// Expressions that remove, sort or select suites are left to the engine
	private static boolean isKnown(String cipher) {
		return cipher.isEmpty() || !Character.isLetter(cipher.charAt(0)) || cipher.contains("=")
				|| SIGNALS.contains(cipher) || !OpenSSLCipherConfigurationParser.parse(cipher).isEmpty();
	}

	private static String suites() {
		List<String> names = new ArrayList<>(SecurityPolicy.INTERMEDIATE.cipherSuites());
		OpenSSLCipherConfigurationParser.parse(String.join(":", SecurityPolicy.INTERMEDIATE.ciphers()))
			.forEach((cipher) -> names.add(cipher.name()));
		return "'" + String.join("', '", names) + "'";
	}

	/**
	 * Require that Tomcat knows at least one cipher suite.
	 * @param host the name of the virtual host
	 * @param policy its policy
	 * @throws TlsSettingException if it knows none
	 */
	static void requireKnownSuite(String host, TlsPolicy policy) {
		if (policy.cipherList().isEmpty()) {
			throw new TlsSettingException(SettingName.CIPHERS,
					new SettingText("none of the cipher suites of the virtual host '%s' is known: '%s'", host,
							policy.ciphers()),
					new SettingText(
							"Use names from the TLS registry, such as 'TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256', or remove the property"),
					null);
		}
	}

	/**
	 * Require a cipher suite of TLS 1.2 for each key type, if TLS 1.2 is enabled. Those
	 * of TLS 1.3 fit all keys.
	 * @param host the name of the virtual host
	 * @param policy its policy
	 * @param keys its keys
	 * @throws TlsSettingException if there is none
	 */
	static void requireSuites(String host, TlsPolicy policy, List<HostKey> keys) {
		if (policy.protocols().isEmpty()) {
			throw new TlsSettingException(SettingName.CIPHERS,
					new SettingText("its cipher suites are all for a version of TLS that %s turns off",
							SettingName.ENABLED_PROTOCOLS),
					new SettingText("Name suites for an enabled version, or remove one of the two properties"), null);
		}
		Set<Cipher> ciphers = policy.cipherList();
		if (!policy.protocols().contains(TlsPolicy.TLS_1_2) || ciphers.isEmpty()) {
			return;
		}
		for (HostKey entry : keys) {
			Authentication authentication = authentication(entry.type());
			if (authentication != null
					&& ciphers.stream().noneMatch((cipher) -> cipher.getAu().equals(authentication))) {
				throw new TlsSettingException(SettingName.CIPHERS, new SettingText(
						"none of its TLS 1.2 cipher suites fits the %s key of the virtual host '%s', so that all clients with TLS 1.2 would be refused",
						entry.type(), host),
						new SettingText("Add a suite such as '%s', set %s to 'TLSv1.3', or remove the property",
								(authentication == Authentication.ECDSA)
										? Cipher.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256
										: Cipher.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
								SettingName.ENABLED_PROTOCOLS),
						null);
			}
		}
	}

	// ML-DSA keys are for TLS 1.3 only. The needs of other keys are left to the engine
	private static @Nullable Authentication authentication(KeyType type) {
		return switch (type) {
			case EC -> Authentication.ECDSA;
			case RSA -> Authentication.RSA;
			default -> null;
		};
	}

}
