// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.engine;

import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

import io.github.tomcatopenssl.internal.host.HostNames;
import org.jspecify.annotations.Nullable;

/**
 * The virtual hosts of a connector at one time.
 */
public final class TlsHosts {

	/**
	 * No virtual hosts.
	 */
	static final TlsHosts NONE = new TlsHosts(Map.of(), "");

	private final Map<String, ServedHost> hosts;

	private final String defaultName;

	private TlsHosts(Map<String, ServedHost> hosts, String defaultName) {
		this.hosts = hosts;
		this.defaultName = defaultName;
	}

	/**
	 * Find the virtual host of a name: the one with the name, else the one with its
	 * wildcard, else the default host.
	 * @param name the canonical form of the name, or {@code null} if the client names
	 * none
	 * @return the virtual host
	 * @throws IllegalStateException if there is no default host
	 */
	public ServedHost find(@Nullable String name) {
		ServedHost found = null;
		if (name != null) {
			found = this.hosts.get(name);
			if (found == null) {
				found = this.hosts.get(HostNames.wildcardOf(name));
			}
		}
		ServedHost host = (found != null) ? found : this.hosts.get(this.defaultName);
		if (host == null) {
			throw new IllegalStateException("There is no default host '%s'".formatted(this.defaultName));
		}
		return host;
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
		hosts.put(host.host().name(), host);
		return new TlsHosts(Map.copyOf(hosts), defaultName);
	}

	TlsHosts without(ServedHost host) {
		Map<String, ServedHost> hosts = new HashMap<>(this.hosts);
		hosts.remove(host.host().name(), Objects.requireNonNull(host));
		return new TlsHosts(Map.copyOf(hosts), this.defaultName);
	}

}
