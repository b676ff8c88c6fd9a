// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.List;
import java.util.function.Function;

import io.github.tomcatopenssl.internal.host.ClientMaterial;
import io.github.tomcatopenssl.internal.host.HostKeyStore;
import io.github.tomcatopenssl.internal.host.HostMaterial;
import io.github.tomcatopenssl.internal.host.HostNames;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleKey;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslManagerBundle;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.Ssl.ServerNameSslBundle;

/**
 * Finds what the clients of a host are verified with, by the host's SSL bundle. Spring
 * Boot gives Tomcat only the stores of a bundle.
 */
final class HostClients implements Function<String, ClientMaterial> {

	private static final String DEFAULT_HOST = "_default_";

	private static final Class<?> DEFAULT_MANAGERS = SslManagerBundle.from(SslStoreBundle.NONE, SslBundleKey.NONE)
		.getClass();

	private final @Nullable Ssl ssl;

	private final @Nullable SslBundles sslBundles;

	HostClients(@Nullable Ssl ssl, @Nullable SslBundles sslBundles) {
		this.ssl = ssl;
		this.sslBundles = sslBundles;
	}

	/**
	 * Return whether a host of the server uses certificate files. A server that uses none
	 * of them has its own client verification.
	 * @return whether one does
	 */
	boolean usesCertificateFiles() {
		return this.ssl != null && (material(this.ssl.getBundle()) != null
				|| this.ssl.getServerNameBundles().stream().anyMatch((host) -> material(host.bundle()) != null));
	}

	@Override
	public ClientMaterial apply(String hostName) {
		if (this.ssl == null) {
			return ClientMaterial.NONE;
		}
		SslBundle bundle = bundle(bundleName(this.ssl, hostName));
		SslManagerBundle managers = (bundle != null) ? bundle.getManagers() : null;
		// Those of the default host also hold for hosts without certificate files
		HostMaterial files = material(this.ssl.getBundle());
		return new ClientMaterial(
				(managers != null && managers.getClass() != DEFAULT_MANAGERS) ? managers.getTrustManagers() : null,
				(files != null) ? files.revocationLists() : List.of(),
				(files != null) ? files.proxyCertificates() : List.of());
	}

	private @Nullable HostMaterial material(@Nullable String bundleName) {
		SslBundle bundle = bundle(bundleName);
		return (bundle != null) ? HostKeyStore.materialOf(bundle.getStores().getKeyStore()) : null;
	}

	private @Nullable SslBundle bundle(@Nullable String name) {
		return (name != null && this.sslBundles != null) ? this.sslBundles.getBundle(name) : null;
	}

	private static @Nullable String bundleName(Ssl ssl, String hostName) {
		return hostName.equals(DEFAULT_HOST) ? ssl.getBundle()
				: ssl.getServerNameBundles()
					.stream()
					.filter((bundle) -> HostNames.configured(bundle.serverName()).equals(hostName))
					.map(ServerNameSslBundle::bundle)
					.findFirst()
					.orElse(null);
	}

}
