// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.security.cert.X509CRL;
import java.util.List;
import java.util.function.Function;

import io.github.tomcatopenssl.certificate.CertificateWatcher;
import io.github.tomcatopenssl.certificate.VirtualHostFiles;
import io.github.tomcatopenssl.host.ClientMaterial;
import io.github.tomcatopenssl.host.HostNames;
import org.apache.tomcat.util.net.SSLHostConfig.CertificateVerification;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundleKey;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslManagerBundle;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.Ssl.ClientAuth;
import org.springframework.boot.web.server.Ssl.ServerNameSslBundle;

/**
 * Finds what the clients of a host are verified with, by the host's SSL bundle. Spring
 * Boot verifies the clients of all hosts in the same way, and gives Tomcat only the
 * stores of a bundle.
 */
final class HostClients implements Function<String, ClientMaterial> {

	private static final String DEFAULT_HOST = "_default_";

	private static final Class<?> DEFAULT_MANAGERS = SslManagerBundle.from(SslStoreBundle.NONE, SslBundleKey.NONE)
		.getClass();

	private final @Nullable Ssl ssl;

	private final @Nullable SslBundles sslBundles;

	private final @Nullable CertificateWatcher watcher;

	/**
	 * Create a new instance.
	 * @param ssl the TLS settings of the server
	 * @param sslBundles the SSL bundles
	 * @param watcher the certificate files, or {@code null} if there are none
	 */
	HostClients(@Nullable Ssl ssl, @Nullable SslBundles sslBundles, @Nullable CertificateWatcher watcher) {
		this.ssl = ssl;
		this.sslBundles = sslBundles;
		this.watcher = watcher;
	}

	/**
	 * Return whether a host of the server uses certificate files. A server that uses none
	 * of them has its own client verification.
	 * @return whether one does
	 */
	boolean usesCertificateFiles() {
		return this.ssl != null && (isOfFiles(this.ssl.getBundle())
				|| this.ssl.getServerNameBundles().stream().map(ServerNameSslBundle::bundle).anyMatch(this::isOfFiles));
	}

	private boolean isOfFiles(@Nullable String bundle) {
		return bundle != null && VirtualHostFiles.isBundleName(bundle);
	}

	@Override
	public ClientMaterial apply(String hostName) {
		String bundle = (this.ssl != null) ? bundle(this.ssl, hostName) : null;
		List<X509CRL> lists = revocationLists(bundle);
		if (bundle == null || this.sslBundles == null) {
			return new ClientMaterial(null, null, lists);
		}
		if (isOfFiles(bundle)) {
			ClientAuth clientAuth = (this.watcher != null) ? this.watcher.clientAuth(bundle) : null;
			return new ClientMaterial((clientAuth != null) ? verification(clientAuth) : null, null, lists);
		}
		SslManagerBundle managers = this.sslBundles.getBundle(bundle).getManagers();
		return new ClientMaterial(null, (managers.getClass() != DEFAULT_MANAGERS) ? managers.getTrustManagers() : null,
				lists);
	}

	// Those of the default host also hold for hosts without certificate files
	private List<X509CRL> revocationLists(@Nullable String bundle) {
		String files = isOfFiles(bundle) ? bundle : (this.ssl != null) ? this.ssl.getBundle() : null;
		return (files != null && this.watcher != null) ? this.watcher.revocationLists(files) : List.of();
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

	private static CertificateVerification verification(ClientAuth clientAuth) {
		return switch (clientAuth) {
			case NONE -> CertificateVerification.NONE;
			case WANT -> CertificateVerification.OPTIONAL;
			case NEED -> CertificateVerification.REQUIRED;
		};
	}

}
