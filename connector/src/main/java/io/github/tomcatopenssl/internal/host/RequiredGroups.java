// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.ProtocolVersion;
import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.SettingText;
import io.github.tomcatopenssl.TlsSettingException;
import org.apache.tomcat.util.net.openssl.OpenSSLConfCmd;
import org.apache.tomcat.util.net.openssl.ciphers.Cipher;
import org.apache.tomcat.util.net.openssl.ciphers.KeyExchange;

/**
 * The only groups that a key exchange may use, all of which the engine supports. TLS 1.2
 * also has key exchanges without a group, and has no post-quantum groups. Protocols and
 * cipher suites that would bypass the list are turned off.
 *
 * @param groups the groups, the preferred one first
 */
record RequiredGroups(List<KeyExchangeGroup> groups) {

	private static final Set<KeyExchange> OTHER_EXCHANGES = EnumSet.of(KeyExchange.RSA, KeyExchange.EDH,
			KeyExchange.PSK, KeyExchange.DHEPSK, KeyExchange.RSAPSK);

	private static final String NO_OTHER_EXCHANGES = ":!kRSA:!kDHE:!kPSK:!kDHEPSK:!kRSAPSK";

	private static final Set<String> OTHER_COMMANDS = Set.of("groups", "curves", "cipherstring", "protocol",
			"minprotocol", "maxprotocol");

	// A session is resumed without a new key exchange
	private static final String NO_EXCHANGE = "allownodhekex";

	/**
	 * Restrict a policy to these groups.
	 * @param host the name of the virtual host
	 * @param policy its policy
	 * @return the policy with these groups
	 * @throws TlsSettingException if the protocols and cipher suites of the host leave no
	 * key exchange with these groups
	 */
	TlsPolicy applyTo(String host, TlsPolicy policy) {
		requireNoOther(host, policy.commands());
		TlsPolicy restricted = policy.withGroups(this.groups);
		if (this.groups.stream().noneMatch(RequiredGroups::isForTls12)) {
			return requireTls13(restricted,
					new SettingText("these groups need TLS 1.3, which %s or %s turns off",
							SettingName.ENABLED_PROTOCOLS, SettingName.CIPHERS),
					"Enable TLS 1.3, or name a group that TLS 1.2 supports, such as 'x25519'");
		}
		return isEcdheOnly(restricted) ? restricted : removeOthers(restricted);
	}

	// Commands of another bean have the last word
	private static void requireNoOther(String host, List<OpenSSLConfCmd> commands) {
		for (OpenSSLConfCmd command : commands) {
			if (OTHER_COMMANDS.contains(command.getName().toLowerCase(Locale.ROOT))
					|| command.getValue().toLowerCase(Locale.ROOT).contains(NO_EXCHANGE)) {
				throw failure(new SettingText(
						"'%s' of the OpenSSL configuration ('OpenSSLConf') of the virtual host '%s' would bypass them",
						command.getName(), host), "Remove the command");
			}
		}
	}

	// With TLS 1.2, the finite field of DHE comes from the server, not from the list
	private static boolean isForTls12(KeyExchangeGroup group) {
		return !group.isPostQuantum() && !group.name().startsWith("FFDHE");
	}

	private static boolean isEcdheOnly(TlsPolicy policy) {
		return policy.ciphers()
			.stream()
			.map(Cipher::getKx)
			.allMatch((exchange) -> exchange == KeyExchange.EECDH || exchange == KeyExchange.ECDHEPSK);
	}

	private static TlsPolicy removeOthers(TlsPolicy policy) {
		TlsPolicy removed = policy.withCiphers(
				policy.ciphers().stream().filter((cipher) -> !OTHER_EXCHANGES.contains(cipher.getKx())).toList(),
				(policy.expression() != null) ? policy.expression() + NO_OTHER_EXCHANGES : null);
		if (removed.ciphers().isEmpty()) {
			return requireTls13(policy,
					new SettingText(
							"none of the TLS 1.2 cipher suites in %s uses one of these groups for its key exchange",
							SettingName.CIPHERS),
					"Name other suites, such as 'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', or suites for TLS 1.3");
		}
		if (!isEcdheOnly(removed)) {
			throw failure(new SettingText("%s contains suites whose key exchange cannot be limited to these groups",
					SettingName.CIPHERS), "Name only suites with ECDHE");
		}
		return removed;
	}

	private static TlsPolicy requireTls13(TlsPolicy policy, SettingText reason, String action) {
		if (!policy.versions().contains(ProtocolVersion.TLS_1_3)) {
			throw failure(reason, action);
		}
		return policy.withVersions(List.of(ProtocolVersion.TLS_1_3));
	}

	private static TlsSettingException failure(SettingText reason, String action) {
		return new TlsSettingException(SettingName.GROUPS, reason, new SettingText("%s", action), null);
	}

}
