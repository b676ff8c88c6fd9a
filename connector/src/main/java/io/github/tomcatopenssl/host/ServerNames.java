// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.net.InetAddress;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.Supplier;

import org.apache.tomcat.util.net.SSLHostConfig;
import org.jspecify.annotations.Nullable;

/**
 * The server names that a connector serves. It accepts no handshakes for other names, and
 * knows which hosts the certificate of each open connection covers.
 */
public final class ServerNames {

	private static final HostNames NONE = new HostNames(Set.of());

	private final ServerNameRules rules;

	/**
	 * Names that each virtual host serves, by the name of the virtual host.
	 */
	private final Map<String, HostNames> names = new ConcurrentHashMap<>();

	/**
	 * Create a new instance.
	 * @param rules which other clients are accepted
	 */
	public ServerNames(ServerNameRules rules) {
		this.rules = rules;
	}

	/**
	 * Load the names from the certificates of a virtual host.
	 * @param host the virtual host, with its new contexts
	 */
	public void load(SSLHostConfig host) {
		this.names.put(host.getHostName(), HostNames.of(host));
	}

	/**
	 * Return which hosts a connection may ask for, after the client has sent its server
	 * name.
	 * @param serverName the canonical form of the server name, or {@code null} if the
	 * client has sent none
	 * @param host the name of the virtual host that was found for it
	 * @param client returns the address of the client, which is {@code null} if the
	 * connection is closed
	 * @return accepts the canonical forms of these hosts; or {@code null} to end the
	 * handshake with the alert {@code unrecognized_name}
	 */
	public @Nullable Predicate<String> hosts(@Nullable String serverName, String host,
			Supplier<@Nullable InetAddress> client) {
		// The certificates may have been replaced by the time a request arrives
		HostNames names = this.names.getOrDefault(host, NONE);
		Predicate<String> served = (name) -> names.contains(name) || this.rules.allows(name);
		if (serverName != null) {
			return served.test(serverName) ? served : null;
		}
		// A client that has sent no server name connects to an address
		return isAllowed(client.get()) ? served.or(HostNames::isAddress) : null;
	}

	private boolean isAllowed(@Nullable InetAddress client) {
		return client != null && this.rules.allows(client);
	}

}
