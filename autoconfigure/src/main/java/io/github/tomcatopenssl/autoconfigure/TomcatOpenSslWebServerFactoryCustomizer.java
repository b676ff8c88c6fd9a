// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.SettingText;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.endpoint.TlsConnectors;
import io.github.tomcatopenssl.endpoint.TlsHttp11NioProtocol;
import io.github.tomcatopenssl.internal.engine.TlsEngine;
import io.github.tomcatopenssl.internal.host.TlsSettings;
import org.apache.catalina.Context;
import org.apache.catalina.Engine;
import org.apache.catalina.Server;
import org.apache.catalina.connector.Connector;

import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.tomcat.TomcatWebServerFactory;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.core.NativeDetector;
import org.springframework.core.Ordered;

/**
 * Configures Tomcat with the TLS engine and the settings. Most of it is done by a context
 * customizer, because only a context customizer sees all connectors, however they were
 * added, before the server is initialized.
 */
class TomcatOpenSslWebServerFactoryCustomizer
		implements WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory>, Ordered {

	private final TlsEngines engines;

	private final ConnectorSettings settings;

	private final boolean servesHosts;

	TomcatOpenSslWebServerFactoryCustomizer(TlsEngines engines, ConnectorSettings settings) {
		this(engines, settings, true);
	}

	private TomcatOpenSslWebServerFactoryCustomizer(TlsEngines engines, ConnectorSettings settings,
			boolean servesHosts) {
		this.engines = engines;
		this.settings = settings;
		this.servesHosts = servesHosts;
	}

	/**
	 * Return the customizer of a management server that has a certificate of its own, and
	 * serves no other host names.
	 * @return the customizer
	 */
	TomcatOpenSslWebServerFactoryCustomizer forManagement() {
		return new TomcatOpenSslWebServerFactoryCustomizer(this.engines, this.settings, false);
	}

	@Override
	public int getOrder() {
		// Other customizers decide whether the server serves TLS
		return Ordered.LOWEST_PRECEDENCE;
	}

	@Override
	public void customize(ConfigurableTomcatWebServerFactory factory) {
		if (!(factory instanceof TomcatWebServerFactory tomcatFactory) || NativeDetector.inNativeImage()) {
			return;
		}
		// Other customizers may still change the factory's SSL settings
		tomcatFactory.addContextCustomizers((context) -> {
			try {
				configure(context, new HostClients(tomcatFactory.getSsl(), tomcatFactory.getSslBundles()));
			}
			catch (TlsSettingException ex) {
				throw ex.withMessage(ServerSslProperty::nameOf);
			}
		});
		if (Ssl.isEnabled(tomcatFactory.getSsl()) && TlsHttp11NioProtocol.isSupported()
				&& TomcatWebServerFactory.DEFAULT_PROTOCOL.equals(tomcatFactory.getProtocol())) {
			tomcatFactory.setProtocol(TlsHttp11NioProtocol.class.getName());
		}
	}

	private void configure(Context context, HostClients clients) {
		Server server = ((Engine) context.getParent().getParent()).getService().getServer();
		for (Connector connector : TlsConnectors.of(server)) {
			TlsEngine engine = this.engines.of(connector);
			TlsSettings settings = this.settings.of(engine, clients, this.servesHosts);
			SettingName dropped = TlsConnectors.dropped(connector, settings);
			if (dropped != null) {
				throw new TlsSettingException(dropped, new SettingText((dropped == SettingName.CERTIFICATE)
						? "the connector has the protocol '%s', which does not serve the certificates of the beans 'ServerCertificates' and 'ServerCertificateSource'"
						: "the connector has the protocol '%s', which does not enforce it",
						connector.getProtocolHandlerClassName()),
						new SettingText(
								"Remove whatever sets the protocol of the connector, or create the connector with the protocol '%s'",
								TlsHttp11NioProtocol.class.getName()),
						null);
			}
			// As for Spring Boot's own connector, which would otherwise report that
			// the port may be in use
			connector.setThrowOnFailure(true);
			TlsConnectors.configure(connector, engine, settings);
		}
		this.engines.enforce(server);
	}

}
