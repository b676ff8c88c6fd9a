// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.certificate;

import java.net.IDN;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;

import org.jspecify.annotations.Nullable;

/**
 * The host names and addresses that a certificate is for.
 */
final class SubjectNames {

	private static final Pattern IPV4 = Pattern.compile("((25[0-5]|2[0-4]\\d|1\\d\\d|[1-9]?\\d)(\\.(?!$)|$)){4}");

	private static final Pattern IPV6 = Pattern.compile("[0-9a-f:][0-9a-f.]*:[0-9a-f:.]*");

	/**
	 * A host name as in DNS, but also with the underscore, which container networks use.
	 */
	private static final Pattern HOST = Pattern
		.compile("(\\*\\.)?([a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?(\\.(?!$)|$))+");

	private static final int MAX_HOST_LENGTH = 253;

	private SubjectNames() {
	}

	/**
	 * Return the names of this machine and the listed names.
	 * @param listed the listed names
	 * @return the names, without duplicates
	 * @throws CertificateFileException if a listed name is neither a host name nor an IP
	 * address
	 */
	static List<String> of(List<String> listed) {
		Set<String> names = new LinkedHashSet<>(List.of("localhost", "127.0.0.1", "::1"));
		String machine = machine();
		if (machine != null) {
			names.add(machine);
		}
		for (String name : listed) {
			String normalized = normalize(name);
			if (normalized == null) {
				throw new CertificateFileException(DevelopmentCertificate.PROPERTY + "-names", null,
						"'%s' is neither a host name nor an IP address".formatted(name),
						"List names such as 'app.localhost', '*.example.test' or '192.168.1.20', without a port", null);
			}
			names.add(normalized);
		}
		return List.copyOf(names);
	}

	private static @Nullable String machine() {
		try {
			return normalize(InetAddress.getLocalHost().getHostName());
		}
		catch (UnknownHostException ex) {
			return null;
		}
	}

	private static @Nullable String normalize(String name) {
		try {
			String ascii = IDN.toASCII(name.strip()).toLowerCase(Locale.ROOT);
			boolean isHost = HOST.matcher(ascii).matches() && ascii.length() <= MAX_HOST_LENGTH
					&& !ascii.matches("[\\d.]+");
			return (isHost || address(ascii) != null) ? ascii : null;
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

	/**
	 * Return the bytes of an IP address.
	 * @param name the name
	 * @return the bytes, or {@code null} if the name is not an IP address
	 */
	static byte @Nullable [] address(String name) {
		try {
			// No name server is asked, because the name has the form of an address
			return (IPV4.matcher(name).matches() || IPV6.matcher(name).matches())
					? InetAddress.getByName(name).getAddress() : null;
		}
		catch (UnknownHostException ex) {
			return null;
		}
	}

}
