// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.net.InetAddress;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.function.Supplier;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.SettingText;
import io.github.tomcatopenssl.TlsSettingException;
import org.apache.catalina.util.NetMask;
import org.jspecify.annotations.Nullable;

/**
 * Rules for clients that are accepted although unknown server names are rejected.
 */
public final class ServerNameRules {

	private final HostNames names;

	private final List<NetMask> addresses;

	private ServerNameRules(HostNames names, List<NetMask> addresses) {
		this.names = names;
		this.addresses = addresses;
	}

	/**
	 * Create rules.
	 * @param allowed the names and addresses to accept
	 * @return the rules
	 * @throws IllegalArgumentException if a value is neither a name nor an address; the
	 * message describes the valid forms
	 */
	public static ServerNameRules of(List<String> allowed) {
		Set<String> names = new HashSet<>();
		List<NetMask> addresses = new ArrayList<>();
		for (String value : allowed) {
			try {
				if (HostNames.isRange(value)) {
					addresses.add(new NetMask(value));
				}
				else {
					names.add(HostNames.configured(value));
				}
			}
			catch (IllegalArgumentException ex) {
				throw new IllegalArgumentException(
						"It is neither a host name, such as 'health.example.com' or '*.example.com', nor an address or a range of addresses, such as '10.0.0.0/8'.");
			}
		}
		return new ServerNameRules(new HostNames(names), addresses);
	}

	/**
	 * Return the hosts that a connection may ask for, after the client has sent its
	 * server name.
	 * @param names the names of the virtual host that was found for it
	 * @param serverName the canonical form of the server name, or {@code null} if the
	 * client has sent none
	 * @param client returns the address of the client, which is {@code null} if the
	 * connection is closed
	 * @return a predicate of their canonical forms, or {@code null} to end the handshake
	 * with the alert {@code unrecognized_name}
	 */
	public @Nullable Predicate<String> served(HostNames names, @Nullable String serverName,
			Supplier<@Nullable InetAddress> client) {
		Predicate<String> served = (name) -> names.contains(name) || this.names.contains(name);
		if (serverName != null) {
			return served.test(serverName) ? served : null;
		}
		// A client that has sent no server name connects to an address
		return isAllowed(client.get()) ? served.or(HostNames::isAddress) : null;
	}

	/**
	 * Require that clients can connect to one of the virtual hosts of a connector.
	 * @param hosts the virtual hosts
	 * @throws TlsSettingException if none of them has a host name, and no client is
	 * accepted for its own address
	 */
	public void requireReachable(Collection<TlsHost> hosts) {
		if (hosts.isEmpty() || this.names.hasHostName() || !this.addresses.isEmpty()
				|| hosts.stream().anyMatch((host) -> HostNames.of(host).hasHostName())) {
			return;
		}
		TlsHost host = hosts.iterator().next();
		X509Certificate leaf = host.keys().isEmpty() ? null : host.keys().get(0).leaf();
		throw new TlsSettingException(SettingName.UNKNOWN_SERVER_NAME, leaf, new SettingText(
				"no client could connect: clients without a known host name are refused, and the certificate '%s' is for no host name (clients that connect to an address send none)",
				(leaf != null) ? leaf.getSubjectX500Principal().getName() : "unknown"),
				new SettingText(
						"Use a certificate with a host name as an alternative name ('DNS:'), allow the addresses of the clients as exceptions to %s, or remove it",
						SettingName.UNKNOWN_SERVER_NAME),
				null);
	}

	private boolean isAllowed(@Nullable InetAddress client) {
		return client != null && this.addresses.stream().anyMatch((range) -> range.matches(client));
	}

}
