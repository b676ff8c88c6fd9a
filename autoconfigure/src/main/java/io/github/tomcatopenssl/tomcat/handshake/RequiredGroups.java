// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat.handshake;

import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

import io.github.tomcatopenssl.KeyExchangeGroup;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.openssl.ciphers.Group;
import org.apache.tomcat.util.net.openssl.ciphers.KeyExchange;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * The only groups of a key exchange, which an engine has. TLS 1.2 knows other exchanges
 * than those of a group, and no post-quantum one: what would get around the list is
 * turned off.
 *
 * @param groups the groups, the preferred one first
 */
public record RequiredGroups(List<KeyExchangeGroup> groups) {

	private static final String TLS_1_3 = "TLSv1.3";

	/**
	 * Have a virtual host use these groups alone.
	 * @param host the virtual host
	 */
	public void applyTo(SSLHostConfig host) {
		host.setGroups(this.groups.stream()
			.map((group) -> Objects.requireNonNull(Group.valueOf(group.id())).name())
			.collect(Collectors.joining(",")));
		if (this.groups.stream().allMatch(KeyExchangeGroup::isPostQuantum)) {
			if (!host.getProtocols().contains(TLS_1_3)) {
				throw new InvalidConfigurationPropertyValueException(KeyExchangeGroups.PROPERTY, this.groups,
						"These groups are for TLS 1.3, which 'server.ssl.enabled-protocols' or 'server.ssl.ciphers' turns off.");
			}
			host.setProtocols(TLS_1_3);
		}
		else if (this.groups.stream().noneMatch((group) -> group.name().startsWith("FFDHE"))
				&& host.getCipherList().stream().anyMatch((cipher) -> cipher.getKx() == KeyExchange.EDH)) {
			host.setCiphers(host.getCiphers() + ":!kDHE");
		}
	}

}
