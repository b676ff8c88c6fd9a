// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.List;

import io.github.tomcatopenssl.certificate.CertificateFileException;
import io.github.tomcatopenssl.certificate.CertificateWatcher;
import io.github.tomcatopenssl.certificate.VirtualHostFiles;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.web.server.ConfigurableWebServerFactory;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.core.Ordered;

/**
 * Configures the web server to use the SSL bundles of the certificate files.
 */
class CertificateFileWebServerFactoryCustomizer
		implements WebServerFactoryCustomizer<ConfigurableWebServerFactory>, Ordered {

	private final @Nullable Ssl configured;

	private final CertificateWatcher watcher;

	private final SslBundles sslBundles;

	CertificateFileWebServerFactoryCustomizer(@Nullable Ssl configured, CertificateWatcher watcher,
			SslBundles sslBundles) {
		this.configured = configured;
		this.watcher = watcher;
		this.sslBundles = sslBundles;
	}

	@Override
	public int getOrder() {
		// After Spring Boot's own customizers, which apply its 'server.ssl' properties
		return 1;
	}

	@Override
	public void customize(ConfigurableWebServerFactory factory) {
		List<VirtualHostFiles> hosts = this.watcher.hosts();
		if (hosts.isEmpty()) {
			return;
		}
		if (!this.watcher.isRegistered()) {
			throw new CertificateFileException(hosts.get(0).certificates().get(0).certificateFileProperty(), null,
					"it becomes an SSL bundle, but the application's bean of the type '%s' does not ask for it"
						.formatted(this.sslBundles.getClass().getName()),
					"Have that bean call 'registerBundles' of all beans of the type 'SslBundleRegistrar', or remove it",
					null);
		}
		factory.setSsl(new CertificateFileSsl(hosts, this.configured));
		factory.setSslBundles(this.sslBundles);
	}

}
