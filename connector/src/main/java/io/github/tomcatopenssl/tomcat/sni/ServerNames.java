// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat.sni;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

import io.github.tomcatopenssl.tomcat.channel.FailedHandshake;
import io.github.tomcatopenssl.tomcat.channel.HandshakeObserver;
import io.github.tomcatopenssl.tomcat.channel.KeyExchange;
import io.github.tomcatopenssl.tomcat.channel.ServedHosts;
import org.apache.tomcat.util.net.NioEndpoint.NioSocketWrapper;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.jspecify.annotations.Nullable;

/**
 * The server names that a connector serves. It accepts no handshakes for other names, and
 * knows which hosts the certificate of each open connection covers.
 */
public final class ServerNames implements HandshakeObserver {

	private static final HostNames NONE = new HostNames(Set.of());

	private final ServerNameRules rules;

	private final Function<@Nullable String, SSLHostConfig> hosts;

	private final HandshakeObserver observer;

	/**
	 * Names that each virtual host serves, by the name of the virtual host.
	 */
	private final Map<String, HostNames> names = new ConcurrentHashMap<>();

	/**
	 * Create a new instance.
	 * @param rules which other clients are accepted
	 * @param hosts finds the virtual host for a server name
	 * @param observer is told the outcome of the handshakes
	 */
	public ServerNames(ServerNameRules rules, Function<@Nullable String, SSLHostConfig> hosts,
			HandshakeObserver observer) {
		this.rules = rules;
		this.hosts = hosts;
		this.observer = observer;
	}

	/**
	 * Load the names from the certificates of a virtual host.
	 * @param host the virtual host, with its new contexts
	 */
	public void load(SSLHostConfig host) {
		this.names.put(host.getHostName(), HostNames.of(host));
	}

	@Override
	public @Nullable ServedHosts hosts(NioSocketWrapper connection, @Nullable String serverName) {
		String host = host(serverName);
		// The certificates may have been replaced by the time a request arrives
		HostNames names = this.names.getOrDefault(host, NONE);
		boolean named = serverName != null;
		boolean accepted = (serverName != null) ? isFor(serverName, host, names, true) : isAllowed(connection);
		return accepted
				? (requested) -> requested == null || requested.isEmpty() || isFor(requested, host, names, named)
				: null;
	}

	private String host(@Nullable String serverName) {
		return this.hosts.apply(serverName).getHostName();
	}

	private boolean isAllowed(NioSocketWrapper connection) {
		try {
			return connection.getSocket().getIOChannel().getRemoteAddress() instanceof InetSocketAddress client
					&& this.rules.allows(client.getAddress());
		}
		catch (IOException ex) {
			// The connection is already closed
			return false;
		}
	}

	// A client that has sent no server name connects to an address
	private boolean isFor(String requested, String host, HostNames names, boolean named) {
		String name = HostNames.canonical(requested);
		return host(name).equals(host)
				&& (names.contains(name) || this.rules.allows(name) || !named && HostNames.isAddress(name));
	}

	@Override
	public void completed(KeyExchange exchange, boolean retried) {
		this.observer.completed(exchange, retried);
	}

	@Override
	public void failed(FailedHandshake handshake) {
		this.observer.failed(handshake);
	}

}
