// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.tomcatopenssl.certificate.VirtualHostFiles;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.web.server.Ssl;

/**
 * The TLS settings of a server that uses the SSL bundles of the certificate files. Spring
 * Boot verifies the clients of all hosts in the same way.
 */
final class CertificateFileSsl extends Ssl {

	private final Map<String, ClientAuth> clientAuthByName = new HashMap<>();

	/**
	 * Create the settings.
	 * @param hosts the hosts
	 * @param configured what {@code server.ssl} says besides, or {@code null}
	 */
	CertificateFileSsl(List<VirtualHostFiles> hosts, @Nullable Ssl configured) {
		setBundle(hosts.get(0).bundleName());
		List<ServerNameSslBundle> serverNameBundles = new ArrayList<>();
		if (configured != null) {
			setClientAuth(configured.getClientAuth());
			serverNameBundles.addAll(configured.getServerNameBundles());
		}
		for (VirtualHostFiles host : hosts) {
			if (host.serverName() != null) {
				serverNameBundles.add(new ServerNameSslBundle(host.serverName(), host.bundleName()));
				if (host.clientAuth() != null) {
					this.clientAuthByName.put(host.serverName(), host.clientAuth());
				}
			}
		}
		setServerNameBundles(serverNameBundles);
	}

	/**
	 * Return how clients of a host are verified, if it is not as {@code client-auth}
	 * says.
	 * @return the values by host name
	 */
	Map<String, ClientAuth> clientAuthByName() {
		return this.clientAuthByName;
	}

}
