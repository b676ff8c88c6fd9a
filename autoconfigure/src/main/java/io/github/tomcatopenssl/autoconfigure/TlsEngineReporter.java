/*
 * Copyright 2026-present the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.github.tomcatopenssl.autoconfigure;

import java.util.List;

import io.github.tomcatopenssl.OpenSslUnavailableException;
import io.github.tomcatopenssl.TomcatNative;
import io.github.tomcatopenssl.TomcatNativeStatus;
import org.apache.catalina.connector.Connector;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;

import org.springframework.boot.tomcat.TomcatWebServer;
import org.springframework.boot.web.server.context.WebServerInitializedEvent;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ApplicationListener;

/**
 * Logs which engine serves TLS, one line for each connector of a started server, read
 * from the connector.
 */
class TlsEngineReporter implements ApplicationListener<WebServerInitializedEvent> {

	private static final Log logger = LogFactory.getLog(TlsEngineReporter.class);

	private final ApplicationContext applicationContext;

	private final TlsEngineSelector selector;

	private final TomcatNative tomcatNative;

	private final TlsServers servers;

	TlsEngineReporter(ApplicationContext applicationContext, TlsEngineSelector selector, TomcatNative tomcatNative,
			TlsServers servers) {
		this.applicationContext = applicationContext;
		this.selector = selector;
		this.tomcatNative = tomcatNative;
		this.servers = servers;
	}

	@Override
	public void onApplicationEvent(WebServerInitializedEvent event) {
		// A context with a parent publishes its events there too
		if (event.getApplicationContext() == this.applicationContext
				&& event.getWebServer() instanceof TomcatWebServer webServer) {
			List<Connector> connectors = TlsConnectors.of(webServer.getTomcat().getServer());
			connectors.forEach(this::report);
			this.servers.add(connectors);
		}
	}

	private void report(Connector connector) {
		String place = "on port %d (%s)".formatted(connector.getLocalPort(), connector.getScheme());
		List<String> engines = TlsConnectors.engines(connector);
		if (engines.isEmpty()) {
			// Not started, as with 'server.port: -1'
			return;
		}
		if (engines.equals(List.of(TlsConnectors.OPENSSL))) {
			TomcatNativeStatus status = this.tomcatNative.status();
			logger.info("OpenSSL is active %s: %s, Tomcat Native %s, APR %s, library %s".formatted(place,
					status.openSslVersion(), status.version(), status.aprVersion(), status.library()));
			return;
		}
		TlsEngineSelection selection = this.selector.select(connector);
		String message = "OpenSSL is not active %s, %s serves TLS: ".formatted(place, String.join(" and ", engines));
		if (selection.openSsl() && this.selector.isOpenSslRequired()) {
			throw new OpenSslUnavailableException(
					"'server.ssl.openssl.mode' is 'always', but %s serves TLS %s"
						.formatted(String.join(" and ", engines), place),
					"Remove what sets the 'SSLContext' of the connector", null);
		}
		if (selection.openSsl()) {
			logger.warn(message
					+ "the connector did not take the OpenSSL engine. Remove what sets its 'sslImplementationName' or its 'SSLContext', or see Tomcat's log messages for why it did not initialize OpenSSL");
		}
		else if (selection.action() != null) {
			logger.warn(message + selection.reason() + ". " + selection.action());
		}
		else {
			logger.info(message + selection.reason());
		}
	}

}
