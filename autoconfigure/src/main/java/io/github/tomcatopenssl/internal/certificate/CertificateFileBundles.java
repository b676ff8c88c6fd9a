// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.List;

import io.github.tomcatopenssl.internal.host.HostKey;
import io.github.tomcatopenssl.internal.host.HostKeyStore;
import io.github.tomcatopenssl.internal.host.HostMaterial;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleKey;
import org.springframework.boot.ssl.SslOptions;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStore;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.Ssl.ClientAuth;
import org.springframework.boot.web.server.WebServerSslBundle;
import org.springframework.util.StringUtils;

/**
 * Creates SSL bundles from certificate files.
 */
final class CertificateFileBundles {

	private static final String NO_PASSWORD = "";

	private final Ssl ssl;

	// Properties may be bound again while the server runs. These copies keep the server
	// from changing in part
	private final SslOptions options;

	private final String protocol;

	CertificateFileBundles(Ssl ssl) {
		this.ssl = ssl;
		this.options = SslOptions.of(ssl.getCiphers(), ssl.getEnabledProtocols());
		this.protocol = ssl.getProtocol();
	}

	SslBundle create(List<KeyMaterial> keys, TrustMaterial trust, @Nullable ClientAuth clientAuth) {
		KeyStore keyStore = HostKeyStore
			.of(new HostMaterial(keys.stream().map((key) -> new HostKey(key.privateKey(), key.certificates())).toList(),
					(clientAuth != null) ? HostMaterial.ClientAuth.valueOf(clientAuth.name()) : null,
					trust.revocationLists(), trust.proxyCaCertificates()));
		return SslBundle.of(SslStoreBundle.of(keyStore, NO_PASSWORD, trustStore(keys, trust)),
				(keys.size() == 1) ? SslBundleKey.of(null, HostKeyStore.ALIAS) : SslBundleKey.NONE, this.options,
				this.protocol);
	}

	// Clients that use the bundle of a development certificate trust the server
	private @Nullable KeyStore trustStore(List<KeyMaterial> keys, TrustMaterial trust) {
		List<X509Certificate> trusted = trust.caCertificates();
		if (trusted.isEmpty() && (StringUtils.hasText(this.ssl.getTrustStore())
				|| StringUtils.hasText(this.ssl.getTrustCertificate()))) {
			return WebServerSslBundle.get(this.ssl).getStores().getTrustStore();
		}
		if (trusted.isEmpty() && !keys.isEmpty()
				&& keys.get(0).files().prefix().equals(DevelopmentCertificate.PROPERTY)) {
			trusted = keys.get(0).certificates().subList(0, 1);
		}
		return trusted.isEmpty() ? null
				: new PemSslStoreBundle(null, PemSslStore.of(null, trusted, null)).getTrustStore();
	}

}
