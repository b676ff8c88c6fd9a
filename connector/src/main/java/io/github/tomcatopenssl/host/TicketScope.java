// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import org.apache.tomcat.util.net.SSLHostConfig;
import org.jspecify.annotations.Nullable;

/**
 * Where a session ticket of a virtual host is valid: at hosts of the same name. A host
 * that verifies clients has no tickets.
 */
final class TicketScope {

	private TicketScope() {
	}

	/**
	 * Derive the ticket key of a virtual host.
	 * @param key the key that replicas share
	 * @param host the virtual host
	 * @return the key, or {@code null} if the host has no tickets
	 */
	static byte @Nullable [] derive(SessionTicketKey key, SSLHostConfig host) {
		// The second line keeps tickets valid that replicas of an earlier version issue
		return hasTickets(host) ? key.derive(host.getHostName() + "\n" + host.getCertificateVerification()) : null;
	}

	static boolean hasTickets(SSLHostConfig host) {
		return !VirtualHosts.verifiesClients(host);
	}

}
