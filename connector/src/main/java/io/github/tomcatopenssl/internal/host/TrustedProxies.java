// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.net.InetAddress;
import java.util.List;

import org.apache.catalina.util.NetMask;
import org.jspecify.annotations.Nullable;

/**
 * The addresses of the proxies that begin their connections with a header of the PROXY
 * protocol. A Unix domain socket counts as 127.0.0.1, which Tomcat takes for its address.
 */
public final class TrustedProxies {

	private final List<NetMask> ranges;

	private TrustedProxies(List<NetMask> ranges) {
		this.ranges = ranges;
	}

	/**
	 * Create the addresses.
	 * @param ranges addresses, and ranges of addresses such as {@code 10.0.0.0/8}
	 * @return the addresses
	 * @throws IllegalArgumentException if a value is neither; the message describes the
	 * valid forms
	 */
	public static TrustedProxies of(List<String> ranges) {
		return new TrustedProxies(ranges.stream().map(TrustedProxies::range).toList());
	}

	private static NetMask range(String value) {
		try {
			if (HostNames.isRange(value)) {
				return new NetMask(value);
			}
		}
		catch (IllegalArgumentException ex) {
			// The prefix is too long
		}
		throw new IllegalArgumentException(
				"It is neither an address nor a range of addresses, such as '10.0.0.0/8' or 'fd00::/8'.");
	}

	/**
	 * Return whether a connection comes from one of the proxies.
	 * @param address the address of the connection, or {@code null} if it is closed
	 * @return whether it does
	 */
	public boolean contains(@Nullable InetAddress address) {
		return address != null && this.ranges.stream().anyMatch((range) -> range.matches(address));
	}

}
