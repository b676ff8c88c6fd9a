// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.engine;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;

import io.github.tomcatopenssl.internal.host.HostIdentity;
import io.github.tomcatopenssl.internal.host.HostNames;
import org.jspecify.annotations.Nullable;

/**
 * The virtual hosts of a connector at one time, and the hosts beside them that come and
 * go.
 */
public final class TlsHosts {

	private final Map<String, ServedHost> hosts;

	private final String defaultName;

	/**
	 * Finds a host beside these by a name or a wildcard.
	 */
	private final Function<String, @Nullable HostIdentity> others;

	private TlsHosts(Map<String, ServedHost> hosts, String defaultName,
			Function<String, @Nullable HostIdentity> others) {
		this.hosts = hosts;
		this.defaultName = defaultName;
		this.others = others;
	}

	/**
	 * Create the hosts of a connector that has no virtual hosts yet.
	 * @param others finds the hosts that come and go, by a name or a wildcard
	 * @return the hosts
	 */
	static TlsHosts none(Function<String, @Nullable HostIdentity> others) {
		return new TlsHosts(Map.of(), "", others);
	}

	/**
	 * Find the host of a name: the one with the name, else the one with its wildcard,
	 * else the default host. Between the same names, virtual hosts come before those that
	 * come and go. A wildcard of a virtual host also does if clients are verified,
	 * because it may do so in its own way.
	 * @param name the canonical form of the name, or {@code null} if the client names
	 * none
	 * @return the host, or {@code null} if there is none, and the default host has no
	 * certificate
	 * @throws IllegalStateException if there is no default host
	 */
	public @Nullable HostIdentity find(@Nullable String name) {
		ServedHost defaultHost = this.hosts.get(this.defaultName);
		HostIdentity found = (name != null) ? named(name, defaultHost) : null;
		if (found == null) {
			found = defaultHost;
		}
		if (found == null) {
			throw new IllegalStateException("There is no default host '%s'".formatted(this.defaultName));
		}
		return (found instanceof ServedHost host && !host.hasCertificate()) ? null : found;
	}

	/**
	 * Return whether the certificate of the default host is for a name.
	 * @param serverName the canonical form of the name
	 * @return whether it is
	 */
	boolean hasDefaultName(String serverName) {
		ServedHost defaultHost = this.hosts.get(this.defaultName);
		return defaultHost != null && defaultHost.names().contains(serverName);
	}

	private @Nullable HostIdentity named(String name, @Nullable ServedHost defaultHost) {
		ServedHost exact = this.hosts.get(name);
		if (exact != null) {
			return exact;
		}
		String wildcard = HostNames.wildcardOf(name);
		ServedHost wild = this.hosts.get(wildcard);
		if (wild != null && (wild.clients().isActive() || defaultHost != null && defaultHost.clients().isActive())) {
			return wild;
		}
		HostIdentity other = this.others.apply(name);
		if (other != null) {
			return other;
		}
		return (wild != null) ? wild : this.others.apply(wildcard);
	}

	/**
	 * Return a virtual host by its own name.
	 * @param hostName the name of the virtual host
	 * @return the virtual host, or {@code null} if there is none
	 */
	public @Nullable ServedHost get(String hostName) {
		return this.hosts.get(hostName);
	}

	/**
	 * Return all virtual hosts.
	 * @return the virtual hosts
	 */
	public Collection<ServedHost> all() {
		return this.hosts.values();
	}

	TlsHosts with(ServedHost host, String defaultName) {
		Map<String, ServedHost> hosts = new HashMap<>(this.hosts);
		hosts.put(host.name(), host);
		return new TlsHosts(Map.copyOf(hosts), defaultName, this.others);
	}

	TlsHosts without(ServedHost host) {
		Map<String, ServedHost> hosts = new HashMap<>(this.hosts);
		hosts.remove(host.name(), Objects.requireNonNull(host));
		return new TlsHosts(Map.copyOf(hosts), this.defaultName, this.others);
	}

}
