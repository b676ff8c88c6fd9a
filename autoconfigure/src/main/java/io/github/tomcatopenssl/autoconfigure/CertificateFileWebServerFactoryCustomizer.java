// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.ArrayList;
import java.util.List;

import io.github.tomcatopenssl.certificate.VirtualHostFiles;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.web.server.ConfigurableWebServerFactory;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.Ssl.ServerNameSslBundle;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.core.Ordered;

/**
 * Configures the web server to use the SSL bundles of the certificate files.
 */
class CertificateFileWebServerFactoryCustomizer
		implements WebServerFactoryCustomizer<ConfigurableWebServerFactory>, Ordered {

	private final @Nullable Ssl configured;

	private final List<VirtualHostFiles> hosts;

	private final SslBundles sslBundles;

	CertificateFileWebServerFactoryCustomizer(@Nullable Ssl configured, List<VirtualHostFiles> hosts,
			SslBundles sslBundles) {
		this.configured = configured;
		this.hosts = hosts;
		this.sslBundles = sslBundles;
	}

	@Override
	public int getOrder() {
		// After Spring Boot's own customizers, which apply its 'server.ssl' properties
		return 1;
	}

	@Override
	public void customize(ConfigurableWebServerFactory factory) {
		if (this.hosts.isEmpty()) {
			return;
		}
		Ssl ssl = Ssl.forBundle(VirtualHostFiles.BUNDLE_NAME);
		List<ServerNameSslBundle> serverNameBundles = new ArrayList<>();
		if (this.configured != null) {
			ssl.setClientAuth(this.configured.getClientAuth());
			serverNameBundles.addAll(this.configured.getServerNameBundles());
		}
		for (VirtualHostFiles host : this.hosts) {
			if (host.serverName() != null) {
				serverNameBundles.add(new ServerNameSslBundle(host.serverName(), host.bundleName()));
			}
		}
		ssl.setServerNameBundles(serverNameBundles);
		factory.setSsl(ssl);
		factory.setSslBundles(this.sslBundles);
	}

}
