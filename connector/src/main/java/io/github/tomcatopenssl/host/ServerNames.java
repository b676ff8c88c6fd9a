// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.net.InetAddress;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
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

	private final Function<@Nullable String, SSLHostConfig> hosts;

	/**
	 * Names that each virtual host serves, by the name of the virtual host.
	 */
	private final Map<String, HostNames> names = new ConcurrentHashMap<>();

	/**
	 * Create a new instance.
	 * @param rules which other clients are accepted
	 * @param hosts finds the virtual host for a server name
	 */
	public ServerNames(ServerNameRules rules, Function<@Nullable String, SSLHostConfig> hosts) {
		this.rules = rules;
		this.hosts = hosts;
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
	 * @param serverName the server name, or {@code null} if the client has sent none
	 * @param client returns the address of the client, which is {@code null} if the
	 * connection is closed
	 * @return accepts these hosts, and {@code null} for a request that names none, as in
	 * HTTP/1.0; or {@code null} to end the handshake with the alert
	 * {@code unrecognized_name}
	 */
	public @Nullable Predicate<@Nullable String> hosts(@Nullable String serverName,
			Supplier<@Nullable InetAddress> client) {
		String host = host(serverName);
		// The certificates may have been replaced by the time a request arrives
		HostNames names = this.names.getOrDefault(host, NONE);
		boolean named = serverName != null;
		boolean accepted = (serverName != null) ? isFor(serverName, host, names, true) : isAllowed(client.get());
		return accepted
				? (requested) -> requested == null || requested.isEmpty() || isFor(requested, host, names, named)
				: null;
	}

	private String host(@Nullable String serverName) {
		return this.hosts.apply(serverName).getHostName();
	}

	private boolean isAllowed(@Nullable InetAddress client) {
		return client != null && this.rules.allows(client);
	}

	// A client that has sent no server name connects to an address
	private boolean isFor(String requested, String host, HostNames names, boolean named) {
		String name = HostNames.canonical(requested);
		return host(name).equals(host)
				&& (names.contains(name) || this.rules.allows(name) || !named && HostNames.isAddress(name));
	}

}
