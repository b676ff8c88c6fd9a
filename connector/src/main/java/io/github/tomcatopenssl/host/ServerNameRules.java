// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import org.apache.catalina.util.NetMask;

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

	boolean allows(String canonicalName) {
		return this.names.contains(canonicalName);
	}

	boolean allows(InetAddress client) {
		return this.addresses.stream().anyMatch((range) -> range.matches(client));
	}

}
