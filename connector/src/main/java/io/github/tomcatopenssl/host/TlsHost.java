// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.util.List;

/**
 * A virtual host, with everything that its connections are served with.
 *
 * @param name the canonical form of its name, which may start with a wildcard, or
 * Tomcat's name of the default host
 * @param keys its keys, one for each type
 * @param clients how it verifies clients
 * @param policy what it negotiates
 */
public record TlsHost(String name, List<HostKey> keys, ClientVerification clients, TlsPolicy policy) {

	/**
	 * Create the host with an unmodifiable copy of its keys.
	 */
	public TlsHost {
		keys = List.copyOf(keys);
	}

}
