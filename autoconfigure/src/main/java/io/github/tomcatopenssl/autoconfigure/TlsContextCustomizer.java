// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.stream.Stream;

import io.github.tomcatopenssl.OpenSslUnavailableException;
import io.github.tomcatopenssl.TlsSetting;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.certificate.VirtualHostFiles;
import io.github.tomcatopenssl.host.RevocationChecks;
import io.github.tomcatopenssl.tomcat.KeyExchangeValve;
import io.github.tomcatopenssl.tomcat.TlsConnectors;
import io.github.tomcatopenssl.tomcat.TlsHttp11NioProtocol;
import io.github.tomcatopenssl.tomcat.TlsSettings;
import org.apache.catalina.Context;
import org.apache.catalina.Engine;
import org.apache.catalina.Lifecycle;
import org.apache.catalina.LifecycleEvent;
import org.apache.catalina.Server;
import org.apache.catalina.connector.Connector;
import org.apache.tomcat.util.net.openssl.OpenSSLImplementation;

import org.springframework.boot.tomcat.TomcatContextCustomizer;
import org.springframework.boot.tomcat.TomcatWebServerFactory;
import org.springframework.boot.web.server.Ssl;

/**
 * Configures all TLS connectors of a server with the selected engine and the settings.
 * This is a context customizer because only a context customizer sees all connectors,
 * however they were added, before the server is initialized.
 */
class TlsContextCustomizer implements TomcatContextCustomizer {

	private final TlsEngineSelector selector;

	private final ConnectorSettings settings;

	// Other customizers may still change its SSL settings
	private final TomcatWebServerFactory factory;

	TlsContextCustomizer(TlsEngineSelector selector, ConnectorSettings settings, TomcatWebServerFactory factory) {
		this.selector = selector;
		this.settings = settings;
		this.factory = factory;
	}

	@Override
	public void customize(Context context) {
		Engine engine = (Engine) context.getParent().getParent();
		Server server = engine.getService().getServer();
		engine.getPipeline().addValve(new KeyExchangeValve());
		for (Connector connector : TlsConnectors.of(server)) {
			boolean openSsl = this.selector.findObstacle(connector) == null;
			TlsSettings settings = this.settings.of(openSsl,
					hasCertificateFiles() ? this.settings.revocation() : RevocationChecks.NONE);
			TlsSetting dropped = TlsConnectors.dropped(connector, settings);
			if (dropped != null) {
				throw new TlsSettingException(dropped,
						"the connector has the protocol '%s', which does not enforce it"
							.formatted(connector.getProtocolHandlerClassName()),
						"Remove what sets the protocol of the connector, or create the connector with the protocol '%s'"
							.formatted(TlsHttp11NioProtocol.class.getName()),
						null);
			}
			TlsConnectors.configure(connector, openSsl, settings);
		}
		if (this.selector.isOpenSslRequired()) {
			server.addLifecycleListener(TlsContextCustomizer::requireOpenSsl);
		}
	}

	// A server that uses none of the certificate files has its own client verification
	private boolean hasCertificateFiles() {
		Ssl ssl = this.factory.getSsl();
		return ssl != null && Stream
			.concat(Stream.ofNullable(ssl.getBundle()),
					ssl.getServerNameBundles().stream().map(Ssl.ServerNameSslBundle::bundle))
			.anyMatch(VirtualHostFiles::isBundleName);
	}

	private static void requireOpenSsl(LifecycleEvent event) {
		if (!Lifecycle.AFTER_INIT_EVENT.equals(event.getType())) {
			return;
		}
		for (Connector connector : TlsConnectors.of((Server) event.getLifecycle())) {
			String engine = TlsConnectors.protocol(connector).getSslImplementationName();
			if (!OpenSSLImplementation.class.getName().equals(engine)) {
				throw new OpenSslUnavailableException(
						"the connector on port %d uses the TLS engine '%s'".formatted(connector.getPort(), engine),
						"Remove what sets 'sslImplementationName' of that connector, or see Tomcat's log messages for why it did not initialize OpenSSL",
						null);
			}
		}
	}

}
