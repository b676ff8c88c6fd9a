// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

import io.github.tomcatopenssl.internal.certificate.CertificateWatcher;
import io.github.tomcatopenssl.internal.certificate.ServerBundles;
import io.github.tomcatopenssl.internal.certificate.VirtualHostFiles;
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

	private final CertificateWatcher watcher;

	private final SslBundles sslBundles;

	private final List<VirtualHostFiles> hosts;

	/**
	 * Create a new instance.
	 * @param configured the TLS settings of the server
	 * @param watcher the certificate files
	 * @param sslBundles the bundles of the application
	 * @param management whether the server is the management server, with a certificate
	 * of its own
	 */
	CertificateFileWebServerFactoryCustomizer(@Nullable Ssl configured, CertificateWatcher watcher,
			SslBundles sslBundles, boolean management) {
		this.configured = configured;
		this.watcher = watcher;
		this.sslBundles = sslBundles;
		this.hosts = watcher.hosts().stream().filter((host) -> host.isManagement() == management).toList();
	}

	/**
	 * Return the customizer of a management server that has its own port. It gets the
	 * certificate of the main server unless it has its own.
	 * @param own the TLS settings that it has itself, or {@code null}
	 * @param settings the same, completed with those of the main server
	 * @return the customizer
	 */
	WebServerFactoryCustomizer<ConfigurableWebServerFactory> forManagement(@Nullable Ssl own, Ssl settings) {
		CertificateFileWebServerFactoryCustomizer management = new CertificateFileWebServerFactoryCustomizer(settings,
				this.watcher, this.sslBundles, true);
		if (!management.hosts.isEmpty()) {
			return management;
		}
		if (own == null) {
			return this;
		}
		if (!own.isEnabled() || ManagementCertificate.hasCertificate(own)) {
			return (factory) -> {
			};
		}
		Ssl main = this.hosts.isEmpty() ? Objects.requireNonNullElseGet(this.configured, Ssl::new) : ssl();
		return new InheritedCertificateCustomizer(main, this.hosts.isEmpty() ? this.sslBundles : bundles(main),
				this.sslBundles, own, settings.getClientAuth());
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
		Ssl ssl = ssl();
		factory.setSsl(ssl);
		factory.setSslBundles(bundles(ssl));
	}

	private ServerBundles bundles(Ssl ssl) {
		ServerBundles bundles = this.watcher.serverBundles();
		ssl.getServerNameBundles().forEach((host) -> bundles.takeOver(host.bundle(), this.sslBundles));
		return bundles;
	}

	private Ssl ssl() {
		Ssl ssl = new Ssl();
		ssl.setBundle(this.hosts.get(0).bundleName());
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
		return ssl;
	}

}
