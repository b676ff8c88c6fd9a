// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure.check;

import java.io.File;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import io.github.tomcatopenssl.TomcatNative;
import io.github.tomcatopenssl.autoconfigure.TlsEngines;
import io.github.tomcatopenssl.autoconfigure.actuate.TlsEndpoint.ConnectorDescriptor;
import io.github.tomcatopenssl.autoconfigure.actuate.TlsInventory;
import io.github.tomcatopenssl.endpoint.TlsConnectors;
import io.github.tomcatopenssl.endpoint.TlsHttp11NioProtocol;
import io.github.tomcatopenssl.internal.store.DryRun;
import org.apache.catalina.AccessLog;
import org.apache.catalina.Context;
import org.apache.catalina.Engine;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.session.StandardManager;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.server.servlet.ConfigurableServletWebServerFactory;
import org.springframework.context.ApplicationContext;

/**
 * The connectors of Tomcat that serve TLS. Their contexts are created without a start,
 * which is when a host that no client could connect to is refused.
 */
class CheckedConnectors implements WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory> {

	private final File folder;

	private final List<Connector> connectors = new ArrayList<>();

	private boolean areKnown;

	/**
	 * Create a new instance.
	 * @param folder a folder for what a start of Tomcat writes
	 */
	CheckedConnectors(File folder) {
		this.folder = folder;
	}

	@Override
	public void customize(ConfigurableTomcatWebServerFactory factory) {
		factory.setBaseDirectory(this.folder);
		if (factory instanceof ConfigurableServletWebServerFactory servlets) {
			servlets.setDocumentRoot(this.folder);
		}
		factory.addContextCustomizers(this::find);
	}

	private void find(Context context) {
		Engine engine = (Engine) context.getParent().getParent();
		// These write into the folders of the application
		Stream.of(engine.getPipeline().getValves())
			.filter(AccessLog.class::isInstance)
			.forEach(engine.getPipeline()::removeValve);
		if (context.getManager() instanceof StandardManager sessions) {
			sessions.setPathname(null);
		}
		this.connectors.addAll(TlsConnectors.of(engine.getService().getServer()));
		this.areKnown = true;
	}

	/**
	 * Create the contexts of the connectors, and free them again.
	 * @param context the application context
	 * @param dryRun gets the warnings
	 * @return what would be served, or {@code null} if the web server is not Tomcat
	 * @throws Exception what would end the start
	 */
	@Nullable List<ConnectorDescriptor> check(ApplicationContext context, DryRun dryRun) throws Exception {
		if (!this.areKnown) {
			return null;
		}
		TlsEngines engines = context.getBean(TlsEngines.class);
		TlsInventory inventory = new TlsInventory(context.getBean(TomcatNative.class),
				context.getBean(SslBundles.class));
		List<ConnectorDescriptor> served = new ArrayList<>();
		for (Connector connector : this.connectors) {
			String fallback = engines.fallback(connector);
			if (fallback != null) {
				dryRun.warn(fallback);
			}
			served.add(check(connector, inventory, dryRun));
		}
		return served;
	}

	private static ConnectorDescriptor check(Connector connector, TlsInventory inventory, DryRun dryRun)
			throws Exception {
		if (!(connector.getProtocolHandler() instanceof TlsHttp11NioProtocol protocol)) {
			dryRun.warn("The connector has the protocol '%s', and no handshake with it was tried"
				.formatted(connector.getProtocolHandlerClassName()));
			return inventory.connector(connector);
		}
		try {
			protocol.createContexts();
			return inventory.connector(connector);
		}
		finally {
			protocol.virtualHosts().removeAll();
			connector.destroy();
		}
	}

}
