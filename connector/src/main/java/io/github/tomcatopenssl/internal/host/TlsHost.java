// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.util.Arrays;
import java.util.List;

import org.apache.tomcat.util.net.openssl.ciphers.KeyExchange;

/**
 * A virtual host, with everything that its connections are served with.
 *
 * @param name the canonical form of its name, which may start with a wildcard, or
 * Tomcat's name of the default host
 * @param keys its keys, one for each type
 * @param clients how it verifies clients
 * @param policy what it negotiates
 */
public record TlsHost(String name, List<HostKey> keys, ClientVerification clients,
		TlsPolicy policy) implements HostIdentity {

	/**
	 * Create the host with an unmodifiable copy of its keys.
	 */
	public TlsHost {
		keys = List.copyOf(keys);
	}

	/**
	 * Return whether a client that offers no TLS 1.3 shares a cipher suite whose key
	 * exchange takes a group.
	 * @param suites the numbers of the cipher suites that the client offers
	 * @return whether one of them is a suite with ECDHE that fits a key of the host
	 */
	public boolean sharesSuiteWithGroup(int[] suites) {
		return this.policy.ciphers()
			.stream()
			.filter((cipher) -> cipher.getKx() == KeyExchange.EECDH)
			.filter((cipher) -> this.keys.isEmpty()
					|| this.keys.stream().anyMatch((key) -> PolicyPreview.fits(cipher, key)))
			.anyMatch((cipher) -> Arrays.stream(suites).anyMatch((suite) -> suite == cipher.getId()));
	}

}
