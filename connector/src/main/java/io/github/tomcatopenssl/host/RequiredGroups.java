// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Collectors;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.TlsSettingException;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.openssl.OpenSSLConf;
import org.apache.tomcat.util.net.openssl.OpenSSLConfCmd;
import org.apache.tomcat.util.net.openssl.ciphers.Cipher;
import org.apache.tomcat.util.net.openssl.ciphers.Group;
import org.apache.tomcat.util.net.openssl.ciphers.KeyExchange;
import org.jspecify.annotations.Nullable;

/**
 * The only groups that a key exchange may use, all of which the engine supports. TLS 1.2
 * also has key exchanges without a group, and has no post-quantum groups. Protocols and
 * cipher suites that would bypass the list are turned off.
 *
 * @param groups the groups, the preferred one first
 */
record RequiredGroups(List<KeyExchangeGroup> groups) {

	private static final String OTHER_EXCHANGES = ":!kRSA:!kDHE:!kPSK:!kDHEPSK:!kRSAPSK";

	private static final String TLS_1_3 = "TLSv1.3";

	private static final Set<String> OTHER_COMMANDS = Set.of("groups", "curves", "cipherstring", "protocol");

	/**
	 * Restrict a virtual host to these groups.
	 * @param host the virtual host
	 * @throws TlsSettingException if the protocols and cipher suites of the host leave no
	 * key exchange with these groups
	 */
	void applyTo(SSLHostConfig host) {
		requireNoOther(host.getOpenSslConf());
		host.setGroups(names());
		if (this.groups.stream().noneMatch(RequiredGroups::isForTls12)) {
			requireTls13(host, "these groups need TLS 1.3, which {ENABLED_PROTOCOLS} or {CIPHERS} turns off",
					"Enable TLS 1.3, or name a group that TLS 1.2 supports, such as 'x25519'");
		}
		else if (!isEcdheOnly(host)) {
			removeOthers(host);
		}
	}

	// Commands of another bean have the last word. Tomcat adds one for these groups
	private void requireNoOther(@Nullable OpenSSLConf configuration) {
		if (configuration == null) {
			return;
		}
		for (OpenSSLConfCmd command : configuration.getCommands()) {
			boolean ours = command.getName().equals(OpenSSLConfCmd.GROUPS)
					&& command.getValue().equals(names().replace(',', ':'));
			if (!ours && OTHER_COMMANDS.contains(command.getName().toLowerCase(Locale.ROOT))) {
				throw failure("'%s' of the OpenSSL configuration ('OpenSSLConf') of the virtual host would bypass them"
					.formatted(command.getName()), "Remove the command");
			}
		}
	}

	private String names() {
		return this.groups.stream()
			.map((group) -> Objects.requireNonNull(Group.valueOf(group.id())).name())
			.collect(Collectors.joining(","));
	}

	// With TLS 1.2, the finite field of DHE comes from the server, not from the list
	private static boolean isForTls12(KeyExchangeGroup group) {
		return !group.isPostQuantum() && !group.name().startsWith("FFDHE");
	}

	private static boolean isEcdheOnly(SSLHostConfig host) {
		return host.getCipherList()
			.stream()
			.map(Cipher::getKx)
			.allMatch((exchange) -> exchange == KeyExchange.EECDH || exchange == KeyExchange.ECDHEPSK);
	}

	private void removeOthers(SSLHostConfig host) {
		String ciphers = host.getCiphers();
		host.setCiphers(ciphers + OTHER_EXCHANGES);
		if (host.getCipherList().isEmpty()) {
			host.setCiphers(ciphers);
			requireTls13(host,
					"none of the TLS 1.2 cipher suites in {CIPHERS} uses one of these groups for its key exchange",
					"Name other suites, such as 'TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256', or suites for TLS 1.3");
		}
		else if (!isEcdheOnly(host)) {
			throw failure("{CIPHERS} contains suites whose key exchange cannot be limited to these groups",
					"Name only suites with ECDHE");
		}
	}

	private void requireTls13(SSLHostConfig host, String reason, String action) {
		if (!host.getProtocols().contains(TLS_1_3)) {
			throw failure(reason, action);
		}
		host.setProtocols(TLS_1_3);
	}

	private static TlsSettingException failure(String reason, String action) {
		return new TlsSettingException(SettingName.GROUPS, reason, action, null);
	}

}
