// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.ArrayList;
import java.util.List;

import io.github.tomcatopenssl.certificate.CertificateFileException;
import io.github.tomcatopenssl.certificate.HostFiles;
import org.jspecify.annotations.Nullable;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.web.server.ConfigurableWebServerFactory;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.Ssl.ServerNameSslBundle;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.core.Ordered;

/**
 * Has the web server use the bundles of the certificate files.
 */
class CertificateFileWebServerFactoryCustomizer
		implements WebServerFactoryCustomizer<ConfigurableWebServerFactory>, Ordered {

	private final TomcatOpenSslProperties properties;

	private final @Nullable Ssl configured;

	private final List<HostFiles> hosts;

	private final SslBundles sslBundles;

	private final ObjectProvider<TomcatOpenSslWebServerFactoryCustomizer> tomcat;

	CertificateFileWebServerFactoryCustomizer(TomcatOpenSslProperties properties, @Nullable Ssl configured,
			List<HostFiles> hosts, SslBundles sslBundles,
			ObjectProvider<TomcatOpenSslWebServerFactoryCustomizer> tomcat) {
		this.properties = properties;
		this.configured = configured;
		this.hosts = hosts;
		this.sslBundles = sslBundles;
		this.tomcat = tomcat;
	}

	@Override
	public int getOrder() {
		// After Spring Boot's own, which set what they know of 'server.ssl'
		return 1;
	}

	@Override
	public void customize(ConfigurableWebServerFactory factory) {
		if (this.hosts.isEmpty()) {
			return;
		}
		requireRevocationSupport(factory);
		Ssl ssl = Ssl.forBundle(HostFiles.BUNDLE_NAME);
		List<ServerNameSslBundle> serverNameBundles = new ArrayList<>();
		if (this.configured != null) {
			ssl.setClientAuth(this.configured.getClientAuth());
			serverNameBundles.addAll(this.configured.getServerNameBundles());
		}
		for (HostFiles host : this.hosts) {
			if (host.serverName() != null) {
				serverNameBundles.add(new ServerNameSslBundle(host.serverName(), host.bundleName()));
			}
		}
		ssl.setServerNameBundles(serverNameBundles);
		factory.setSsl(ssl);
		factory.setSslBundles(this.sslBundles);
	}

	private void requireRevocationSupport(ConfigurableWebServerFactory factory) {
		boolean isWanted = this.properties.certificateRevocationListFile() != null || this.properties.ocspEnabled();
		if (isWanted && this.tomcat.stream().noneMatch((customizer) -> customizer.supports(factory))) {
			throw new CertificateFileException(
					this.properties.ocspEnabled() ? "server.ssl.ocsp-enabled"
							: "server.ssl.certificate-revocation-list-file",
					null,
					"only Tomcat with 'TomcatOpenSslAutoConfiguration', and not in a native image, checks whether client certificates are revoked",
					"Use Tomcat as the web server and exclude no auto-configuration, or remove the property", null);
		}
	}

}
