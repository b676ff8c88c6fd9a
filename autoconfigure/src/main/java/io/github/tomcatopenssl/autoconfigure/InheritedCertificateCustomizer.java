// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.security.KeyStore;

import io.github.tomcatopenssl.internal.certificate.ServerBundles;
import io.github.tomcatopenssl.internal.certificate.VirtualHostFiles;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.ssl.SslOptions;
import org.springframework.boot.ssl.SslStoreBundle;
import org.springframework.boot.web.server.ConfigurableWebServerFactory;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.Ssl.ClientAuth;
import org.springframework.boot.web.server.Ssl.ServerNameSslBundle;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.server.WebServerSslBundle;
import org.springframework.core.Ordered;
import org.springframework.util.StringUtils;

/**
 * Configures a management server that has TLS settings but no certificate with the
 * certificates of the main server. Spring Boot would replace all settings of the main
 * server, with its certificate, by those of the management server.
 */
class InheritedCertificateCustomizer implements WebServerFactoryCustomizer<ConfigurableWebServerFactory>, Ordered {

	private final Ssl main;

	private final SslBundles mainBundles;

	private final SslBundles applicationBundles;

	private final Ssl own;

	private final @Nullable ClientAuth clientAuth;

	/**
	 * Create a new instance.
	 * @param main the TLS settings of the main server
	 * @param mainBundles the SSL bundles that the main server uses
	 * @param applicationBundles the SSL bundles of the application
	 * @param own the TLS settings of the management server
	 * @param clientAuth how the management server verifies clients
	 */
	InheritedCertificateCustomizer(Ssl main, SslBundles mainBundles, SslBundles applicationBundles, Ssl own,
			@Nullable ClientAuth clientAuth) {
		this.main = main;
		this.mainBundles = mainBundles;
		this.applicationBundles = applicationBundles;
		this.own = own;
		this.clientAuth = clientAuth;
	}

	@Override
	public int getOrder() {
		// After Spring Boot's own customizers, which apply 'management.server.ssl'
		return 1;
	}

	@Override
	public void customize(ConfigurableWebServerFactory factory) {
		ServerBundles bundles = new ServerBundles();
		Ssl ssl = new Ssl();
		ssl.setClientAuth(this.clientAuth);
		ssl.setServerNameBundles(!this.own.getServerNameBundles().isEmpty() ? this.own.getServerNameBundles()
				: this.main.getServerNameBundles());
		if (StringUtils.hasText(this.main.getBundle())) {
			ssl.setBundle(this.main.getBundle());
			bundles.takeOver(this.main.getBundle(), this.mainBundles, this::adapt);
		}
		else {
			ssl.setBundle(VirtualHostFiles.MANAGEMENT_BUNDLE_NAME);
			bundles.registerBundle(VirtualHostFiles.MANAGEMENT_BUNDLE_NAME,
					adapt(WebServerSslBundle.get(this.main, this.mainBundles)));
		}
		for (ServerNameSslBundle host : ssl.getServerNameBundles()) {
			boolean ofMain = this.mainBundles.getBundleNames().contains(host.bundle());
			bundles.takeOver(host.bundle(), ofMain ? this.mainBundles : this.applicationBundles, this::adapt);
		}
		factory.setSsl(ssl);
		factory.setSslBundles(bundles);
	}

	// What the management server sets itself takes precedence
	private SslBundle adapt(SslBundle bundle) {
		String[] ciphers = this.own.getCiphers();
		String[] protocols = this.own.getEnabledProtocols();
		SslOptions options = SslOptions.of((ciphers != null) ? ciphers : bundle.getOptions().getCiphers(),
				(protocols != null) ? protocols : bundle.getOptions().getEnabledProtocols());
		String protocol = !SslBundle.DEFAULT_PROTOCOL.equals(this.own.getProtocol()) ? this.own.getProtocol()
				: bundle.getProtocol();
		if (!ManagementCertificate.hasTrustMaterial(this.own)) {
			return SslBundle.of(bundle.getStores(), bundle.getKey(), options, protocol, bundle.getManagers());
		}
		KeyStore trustStore = WebServerSslBundle.get(this.own).getStores().getTrustStore();
		SslStoreBundle stores = SslStoreBundle.of(bundle.getStores().getKeyStore(),
				bundle.getStores().getKeyStorePassword(), trustStore);
		return SslBundle.of(stores, bundle.getKey(), options, protocol);
	}

}
