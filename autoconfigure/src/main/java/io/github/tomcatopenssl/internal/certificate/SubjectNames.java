// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.host.HostNames;
import org.jspecify.annotations.Nullable;

/**
 * The host names and addresses that a certificate is for.
 */
final class SubjectNames {

	private SubjectNames() {
	}

	/**
	 * Return the names of this machine and the listed names.
	 * @param listed the listed names
	 * @return the names, without duplicates
	 * @throws TlsSettingException if a listed name is neither a host name nor an IP
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
				throw new TlsSettingException(DevelopmentCertificate.PROPERTY + "-names", null,
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
		String given = name.strip().toLowerCase(Locale.ROOT);
		try {
			return (HostNames.address(given) != null) ? given : HostNames.configured(given);
		}
		catch (IllegalArgumentException ex) {
			return null;
		}
	}

}
