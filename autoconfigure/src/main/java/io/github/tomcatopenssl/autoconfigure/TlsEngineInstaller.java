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

import java.util.Arrays;
import java.util.List;

import io.github.tomcatopenssl.OpenSslUnavailableException;
import org.apache.catalina.Context;
import org.apache.catalina.Engine;
import org.apache.catalina.Lifecycle;
import org.apache.catalina.LifecycleEvent;
import org.apache.catalina.Server;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.AprLifecycleListener;
import org.apache.coyote.http11.AbstractHttp11Protocol;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.jsse.JSSEImplementation;
import org.apache.tomcat.util.net.openssl.OpenSSLImplementation;

import org.springframework.boot.tomcat.TomcatContextCustomizer;

/**
 * Gives all TLS connectors of a server the selected engine. A context customizer, because
 * that is the one that sees all connectors, however they were added, before the server is
 * initialized.
 */
class TlsEngineInstaller implements TomcatContextCustomizer {

	/**
	 * Has JSSE refuse to renegotiate when a client asks for it (JSSE Reference Guide).
	 * Tomcat's OpenSSL engine never does, and OpenSSL 3 does not by default.
	 */
	private static final String REJECT_RENEGOTIATION = "jdk.tls.rejectClientInitiatedRenegotiation";

	private final TlsEngineSelector selector;

	private final TlsHostPreparation preparation;

	TlsEngineInstaller(TlsEngineSelector selector, TlsHostPreparation preparation) {
		this.selector = selector;
		this.preparation = preparation;
	}

	@Override
	public void customize(Context context) {
		Server server = ((Engine) context.getParent().getParent()).getService().getServer();
		List<Connector> connectors = TlsConnectors.of(server);
		if (connectors.isEmpty()) {
			return;
		}
		if (this.selector.select().openSsl()) {
			useOpenSsl(server);
			connectors.forEach(TlsEngineInstaller::useOpenSslDefaults);
		}
		else {
			connectors.forEach(this::useJsse);
		}
		for (Connector connector : connectors) {
			if (!(connector.getProtocolHandler() instanceof SecureDefaultsHttp11NioProtocol)) {
				for (SSLHostConfig config : TlsConnectors.protocol(connector).findSslHostConfigs()) {
					this.preparation.requireLasting(config, connector);
					this.preparation.prepare(config, false);
				}
			}
		}
	}

	/**
	 * Tomcat takes the OpenSSL engine by itself once this listener has initialized APR.
	 * The listener counts the servers of the JVM that need it. Naming the engine here
	 * would crash the JVM where the listener fails.
	 * @param server the server of the connectors
	 */
	private void useOpenSsl(Server server) {
		if (Arrays.stream(server.findLifecycleListeners()).noneMatch(AprLifecycleListener.class::isInstance)) {
			server.addLifecycleListener(new AprLifecycleListener());
		}
		if (this.selector.isOpenSslRequired()) {
			server.addLifecycleListener(TlsEngineInstaller::requireOpenSsl);
		}
	}

	private static void useOpenSslDefaults(Connector connector) {
		if (connector.getProtocolHandler() instanceof SecureDefaultsHttp11NioProtocol protocol) {
			protocol.useOpenSslDefaults();
		}
	}

	/**
	 * Without a name, Tomcat would take the OpenSSL engine once another application of
	 * the JVM has loaded it, although this one must not use it.
	 * @param connector a connector that serves TLS
	 */
	private void useJsse(Connector connector) {
		AbstractHttp11Protocol<?> protocol = TlsConnectors.protocol(connector);
		if (protocol.getSslImplementationName() == null) {
			protocol.setSslImplementationName(JSSEImplementation.class.getName());
		}
		if (System.getProperty(REJECT_RENEGOTIATION) == null) {
			System.setProperty(REJECT_RENEGOTIATION, "true");
		}
	}

	private static void requireOpenSsl(LifecycleEvent event) {
		if (!Lifecycle.AFTER_INIT_EVENT.equals(event.getType())) {
			return;
		}
		for (Connector connector : TlsConnectors.of((Server) event.getLifecycle())) {
			String engine = TlsConnectors.protocol(connector).getSslImplementationName();
			if (!OpenSSLImplementation.class.getName().equals(engine)) {
				throw new OpenSslUnavailableException(
						"the connector of port %d uses the TLS engine '%s'".formatted(connector.getPort(), engine),
						"Remove what sets 'sslImplementationName' of that connector, or see Tomcat's log messages for why it did not initialize OpenSSL",
						null);
			}
		}
	}

}
