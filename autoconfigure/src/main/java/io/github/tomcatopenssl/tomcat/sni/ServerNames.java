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
import io.github.tomcatopenssl.tomcat.handshake.Handshakes;
import org.apache.tomcat.util.net.NioEndpoint.NioSocketWrapper;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.jspecify.annotations.Nullable;

/**
 * The server names that a connector serves: it accepts no handshake for others, and knows
 * for which hosts the certificate of each open connection is.
 */
public final class ServerNames implements HandshakeObserver {

	private static final HostNames NONE = new HostNames(Set.of());

	private final ServerNameRules rules;

	private final Function<@Nullable String, SSLHostConfig> hosts;

	private final HandshakeObserver observer;

	/**
	 * By the names of the virtual hosts.
	 */
	private final Map<String, HostNames> names = new ConcurrentHashMap<>();

	/**
	 * Of handshakes, which may end when the certificates are others.
	 */
	private final Map<NioSocketWrapper, Scope> handshakes = new ConcurrentHashMap<>();

	/**
	 * By the IDs of the connections.
	 */
	private final Map<String, Scope> connections = new ConcurrentHashMap<>();

	/**
	 * Create a new instance.
	 * @param rules which other clients are let through
	 * @param hosts finds the virtual host that serves a server name
	 * @param observer is told what comes of the handshakes
	 */
	public ServerNames(ServerNameRules rules, Function<@Nullable String, SSLHostConfig> hosts,
			HandshakeObserver observer) {
		this.rules = rules;
		this.hosts = hosts;
		this.observer = observer;
	}

	/**
	 * Take in the certificates of a virtual host.
	 * @param host the virtual host, with its new contexts
	 */
	public void load(SSLHostConfig host) {
		this.names.put(host.getHostName(), HostNames.of(host));
	}

	@Override
	public boolean accepts(NioSocketWrapper connection, @Nullable String serverName) {
		String host = host(serverName);
		Scope scope = new Scope(host, this.names.getOrDefault(host, NONE), serverName != null);
		boolean accepted = (serverName != null) ? isFor(scope, serverName) : isAllowed(connection);
		if (accepted) {
			this.handshakes.put(connection, scope);
		}
		return accepted;
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
			// It is closed already
			return false;
		}
	}

	private boolean isFor(Scope scope, String host) {
		String name = HostNames.canonical(host);
		return host(name).equals(scope.host)
				&& (scope.names.contains(name) || this.rules.allows(name) || !scope.named && HostNames.isAddress(name));
	}

	@Override
	public void completed(NioSocketWrapper connection, KeyExchange exchange, boolean retried) {
		Scope scope = this.handshakes.remove(connection);
		if (scope != null) {
			this.connections.put(Handshakes.id(connection), scope);
		}
		this.observer.completed(connection, exchange, retried);
	}

	@Override
	public void failed(FailedHandshake handshake) {
		this.observer.failed(handshake);
	}

	@Override
	public void closed(NioSocketWrapper connection) {
		this.handshakes.remove(connection);
		this.connections.remove(Handshakes.id(connection));
		this.observer.closed(connection);
	}

	/**
	 * Return whether a request is for another server than that of its connection.
	 * @param connectionId the ID of the connection, as the servlet API tells it
	 * @param host the host that the request is for, or {@code null} if it names none, as
	 * in HTTP/1.0
	 * @return whether the certificate of the connection is for other hosts
	 */
	boolean isMisdirected(String connectionId, @Nullable String host) {
		Scope scope = this.connections.get(connectionId);
		return scope == null || host != null && !host.isEmpty() && !isFor(scope, host);
	}

	/**
	 * What a connection is for.
	 *
	 * @param host the name of the virtual host
	 * @param names those that its certificates were for when the connection was opened
	 * @param named whether the client has asked for one; one that has not connects to an
	 * address
	 */
	private record Scope(String host, HostNames names, boolean named) {

	}

}
