// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat;

import java.time.Duration;
import java.util.List;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.tomcat.sni.ServerNameRules;
import io.github.tomcatopenssl.tomcat.ticket.SessionTicketKeys;
import org.jspecify.annotations.Nullable;

/**
 * What a user has set of a connector.
 *
 * @param groups the only groups of the key exchange, the preferred one first, all of
 * which the engine has; none for the default
 * @param revocation how client certificates are checked for revocation
 * @param ticketKeys the keys of session tickets, or {@code null} for the engine's own
 * @param serverNames which clients are let through where unknown server names are
 * rejected, or {@code null} where they are not
 * @param handshakeTimeout how long a handshake may take, or {@code null} for the default
 * @param fips whether OpenSSL has to work with the FIPS provider
 */
public record TlsSettings(List<KeyExchangeGroup> groups, RevocationChecks revocation,
		@Nullable SessionTicketKeys ticketKeys, @Nullable ServerNameRules serverNames,
		@Nullable Duration handshakeTimeout, boolean fips) {

	/**
	 * Create the settings.
	 */
	public TlsSettings {
		groups = List.copyOf(groups);
	}

}
