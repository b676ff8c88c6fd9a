// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.net.InetAddress;
import java.util.HexFormat;
import java.util.Locale;

import io.github.tomcatopenssl.internal.host.HostNames;
import org.jspecify.annotations.Nullable;
import org.shredzone.acme4j.Identifier;

/**
 * The names that a certificate is for: host names and IP addresses (RFC 8738). No name
 * server is asked.
 */
final class AcmeNames {

	private AcmeNames() {
	}

	/**
	 * Return the form in which names are compared and sent to CAs: lower case, A-labels
	 * (RFC 5890), and addresses as in RFC 5952.
	 * @param name a host name, a wildcard or an address, from a property or a CA
	 * @return this form; a value that is not a name is only converted to lower case
	 */
	static String canonical(String name) {
		String lower = name.strip().toLowerCase(Locale.ROOT);
		String address = address(lower);
		if (address != null) {
			return address;
		}
		try {
			return HostNames.configured(lower);
		}
		catch (IllegalArgumentException ex) {
			return lower;
		}
	}

	/**
	 * Return the text form of an address that CAs expect (RFC 5952).
	 * @param name a host name or an address, in lower case
	 * @return the address, or {@code null} if it is none
	 */
	static @Nullable String address(String name) {
		InetAddress address = HostNames.address(name);
		return (address != null) ? shortened(address.getHostAddress()) : null;
	}

	// The first one of the longest runs of zeros is left out (4.2)
	private static String shortened(String address) {
		for (int zeros = 8; zeros > 1; zeros--) {
			String shorter = address.replaceFirst("(^|:)0(:0){%d}(:|$)".formatted(zeros - 1), "::");
			if (!shorter.equals(address)) {
				return shorter;
			}
		}
		return address;
	}

	static boolean isAddress(String name) {
		return address(name) != null;
	}

	static Identifier identifier(String name) {
		return isAddress(name) ? new Identifier(Identifier.TYPE_IP, name) : Identifier.dns(name);
	}

	/**
	 * Return the server name that the CA asks for to verify a name: for an address, that
	 * of the reverse lookup (RFC 8738, 6).
	 * @param name a host name or an address
	 * @return the server name
	 */
	static String serverName(String name) {
		if (!isAddress(name)) {
			return name;
		}
		byte[] address = Identifier.ip(name).getIP().getAddress();
		StringBuilder reverse = new StringBuilder();
		for (byte part : address) {
			if (address.length == 4) {
				reverse.insert(0, Byte.toUnsignedInt(part) + ".");
			}
			else {
				String hex = HexFormat.of().toHexDigits(part);
				reverse.insert(0, hex.charAt(1) + "." + hex.charAt(0) + ".");
			}
		}
		return reverse.append((address.length == 4) ? "in-addr.arpa" : "ip6.arpa").toString();
	}

}
