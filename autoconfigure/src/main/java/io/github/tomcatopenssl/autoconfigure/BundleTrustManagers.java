// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import javax.net.ssl.TrustManager;

import io.github.tomcatopenssl.host.HostNames;
import io.github.tomcatopenssl.host.OwnTrustManagers;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundleKey;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslManagerBundle;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.Ssl.ServerNameSslBundle;

/**
 * Finds the trust managers of SSL bundles that have an {@link SslManagerBundle} of their
 * own. Spring Boot gives Tomcat only the stores of a bundle.
 */
final class BundleTrustManagers implements OwnTrustManagers {

	private static final String DEFAULT_HOST = "_default_";

	private static final Class<?> DEFAULT = SslManagerBundle.from(SslStoreBundle.NONE, SslBundleKey.NONE).getClass();

	private final @Nullable Ssl ssl;

	private final @Nullable SslBundles sslBundles;

	/**
	 * Create a new instance.
	 * @param ssl the TLS settings of the server
	 * @param sslBundles the SSL bundles
	 */
	BundleTrustManagers(@Nullable Ssl ssl, @Nullable SslBundles sslBundles) {
		this.ssl = ssl;
		this.sslBundles = sslBundles;
	}

	@Override
	public TrustManager @Nullable [] find(String hostName) {
		String bundle = (this.ssl != null) ? bundle(this.ssl, hostName) : null;
		if (bundle == null || this.sslBundles == null) {
			return null;
		}
		SslManagerBundle managers = this.sslBundles.getBundle(bundle).getManagers();
		return (managers.getClass() != DEFAULT) ? managers.getTrustManagers() : null;
	}

	private static @Nullable String bundle(Ssl ssl, String hostName) {
		return hostName.equals(DEFAULT_HOST) ? ssl.getBundle()
				: ssl.getServerNameBundles()
					.stream()
					.filter((bundle) -> HostNames.configured(bundle.serverName()).equals(hostName))
					.map(ServerNameSslBundle::bundle)
					.findFirst()
					.orElse(null);
	}

}
