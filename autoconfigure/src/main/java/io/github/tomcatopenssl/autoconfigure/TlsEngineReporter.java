// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import io.github.tomcatopenssl.OpenSslUnavailableException;
import io.github.tomcatopenssl.TomcatNative;
import io.github.tomcatopenssl.TomcatNativeStatus;
import io.github.tomcatopenssl.tomcat.TlsConnectors;
import org.apache.catalina.connector.Connector;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.boot.web.server.context.WebServerApplicationContext;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;

/**
 * Keeps the connectors of the main server and of the management server that serve TLS.
 * Logs which engine serves each connector once it has started, as read from the
 * connector.
 */
public class TlsEngineReporter implements ApplicationListener<WebServerInitializedEvent> {

	private static final Log logger = LogFactory.getLog(TlsEngineReporter.class);

	private final ApplicationContext applicationContext;

	private final TlsEngineSelector selector;

	private final TomcatNative tomcatNative;

	private final CopyOnWriteArrayList<Connector> connectors = new CopyOnWriteArrayList<>();

	TlsEngineReporter(ApplicationContext applicationContext, TlsEngineSelector selector, TomcatNative tomcatNative) {
		this.applicationContext = applicationContext;
		this.selector = selector;
		this.tomcatNative = tomcatNative;
	}

	/**
	 * Return the connectors that are running.
	 * @return the connectors
	 */
	public List<Connector> running() {
		return this.connectors.stream().filter((connector) -> connector.getState().isAvailable()).toList();
	}

	@Override
	public void onApplicationEvent(WebServerInitializedEvent event) {
		WebServerApplicationContext context = event.getApplicationContext();
		// A child context that is an application has its own reporter. Its events also
		// arrive here
		boolean management = WebServerApplicationContext.hasServerNamespace(context, "management");
		if ((context == this.applicationContext || management && context.getParent() == this.applicationContext)
				&& event.getWebServer() instanceof TomcatWebServer webServer) {
			for (Connector connector : TlsConnectors.of(webServer.getTomcat().getServer())) {
				report(connector);
				this.connectors.addIfAbsent(connector);
			}
		}
	}

	private void report(Connector connector) {
		List<String> engines = TlsConnectors.engines(connector);
		if (engines.isEmpty()) {
			// The connector was not started, as with 'server.port: -1'
			return;
		}
		String place = "on port %d (%s)".formatted(connector.getLocalPort(), connector.getScheme());
		logger.debug("Key exchange groups %s: %s".formatted(place, TlsConnectors.groups(connector)));
		if (engines.equals(List.of(TlsConnectors.OPENSSL))) {
			TomcatNativeStatus status = this.tomcatNative.status();
			logger.info("OpenSSL is active %s: %s, Tomcat Native %s, APR %s, library %s%s".formatted(place,
					status.openSslVersion(), status.version(), status.aprVersion(), status.library(),
					status.fips() ? ", FIPS" : ""));
			return;
		}
		String engine = String.join(" and ", engines);
		OpenSslUnavailableException obstacle = this.selector.findObstacle(connector);
		if (obstacle == null) {
			obstacle = new OpenSslUnavailableException("the connector does not use the OpenSSL engine",
					"Remove what sets its 'sslImplementationName' or its 'SSLContext', or see Tomcat's log messages for why it did not initialize OpenSSL",
					null);
			if (this.selector.isOpenSslRequired()) {
				throw new OpenSslUnavailableException(
						"%s, but %s serves TLS %s".formatted(this.selector.requirement(), engine, place),
						obstacle.getAction(PropertyNames::of), null);
			}
		}
		String message = "OpenSSL is not active %s, %s serves TLS: %s".formatted(place, engine, obstacle.getReason());
		if (this.selector.isOpenSslWanted()) {
			logger.warn(message + ". " + obstacle.getAction(PropertyNames::of));
		}
		else {
			logger.info(message);
		}
	}

}
