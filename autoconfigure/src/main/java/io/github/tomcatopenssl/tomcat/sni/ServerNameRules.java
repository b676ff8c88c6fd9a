// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat.sni;

import java.net.IDN;
import java.net.InetAddress;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

import io.github.tomcatopenssl.UnknownServerName;
import org.apache.catalina.util.NetMask;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;

/**
 * Which clients are let through where unknown server names are rejected.
 */
public final class ServerNameRules {

	/**
	 * The property that rejects unknown server names.
	 */
	public static final String PROPERTY = "server.ssl.unknown-server-name";

	private static final String ALLOWED = PROPERTY + "-allowed";

	// The last label of a name is no number
	private static final Pattern NAME = Pattern
		.compile("(\\*\\.)?([a-z0-9_]([a-z0-9_-]*[a-z0-9_])?\\.)*(?!\\d+$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?");

	private final HostNames names;

	private final List<NetMask> addresses;

	private ServerNameRules(HostNames names, List<NetMask> addresses) {
		this.names = names;
		this.addresses = addresses;
	}

	/**
	 * Create the rules of the properties.
	 * @param unknown what becomes of clients that ask for unknown names
	 * @param allowed the names and addresses that are let through
	 * @return the rules, or {@code null} where nothing is rejected
	 * @throws InvalidConfigurationPropertyValueException if one of them is neither a name
	 * nor an address
	 */
	public static @Nullable ServerNameRules of(UnknownServerName unknown, List<String> allowed) {
		Set<String> names = new HashSet<>();
		List<NetMask> addresses = new ArrayList<>();
		for (String value : allowed) {
			String address = value.contains("/") ? value.substring(0, value.indexOf('/')) : value;
			if (HostNames.isAddress(HostNames.canonical(address)) && !value.contains(";")) {
				addresses.add(netMask(value));
			}
			else {
				names.add(name(value));
			}
		}
		return (unknown == UnknownServerName.REJECT) ? new ServerNameRules(new HostNames(names), addresses) : null;
	}

	private static NetMask netMask(String value) {
		try {
			return new NetMask(value);
		}
		catch (IllegalArgumentException ex) {
			throw invalid(value);
		}
	}

	private static String name(String value) {
		try {
			String name = IDN.toASCII(value).toLowerCase(Locale.ROOT);
			if (NAME.matcher(name).matches()) {
				return name;
			}
		}
		catch (IllegalArgumentException ex) {
			// As below
		}
		throw invalid(value);
	}

	private static InvalidConfigurationPropertyValueException invalid(String value) {
		return new InvalidConfigurationPropertyValueException(ALLOWED, value,
				"It is neither a host name, such as 'health.example.com' or '*.example.com', nor an address or a range of addresses, such as '10.0.0.0/8'.");
	}

	boolean allows(String canonicalName) {
		return this.names.contains(canonicalName);
	}

	boolean allows(InetAddress client) {
		return this.addresses.stream().anyMatch((range) -> range.matches(client));
	}

}
