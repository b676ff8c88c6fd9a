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

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;

import io.github.tomcatopenssl.OpenSslUnavailableException;
import io.github.tomcatopenssl.certificate.CertificateFileException;
import org.apache.catalina.Context;
import org.apache.catalina.Engine;
import org.apache.catalina.Lifecycle;
import org.apache.catalina.LifecycleEvent;
import org.apache.catalina.Server;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.AprLifecycleListener;
import org.apache.coyote.http11.AbstractHttp11Protocol;
import org.apache.tomcat.jni.SSL;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.jsse.JSSEImplementation;
import org.apache.tomcat.util.net.openssl.OpenSSLImplementation;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.tomcat.TomcatContextCustomizer;
import org.springframework.boot.tomcat.TomcatWebServerFactory;
import org.springframework.boot.web.server.Ssl;

/**
 * Gives all TLS connectors of a server the selected engine and the settings. A context
 * customizer, because that is the one that sees all connectors, however they were added,
 * before the server is initialized.
 */
class TlsContextCustomizer implements TomcatContextCustomizer {

	/**
	 * Has JSSE refuse to renegotiate when a client asks for it (JSSE Reference Guide).
	 * Tomcat's OpenSSL engine never does, and OpenSSL 3 does not by default.
	 */
	private static final String REJECT_RENEGOTIATION = "jdk.tls.rejectClientInitiatedRenegotiation";

	/**
	 * OpenSSL 3.5.0, the first with X25519MLKEM768, as {@code OpenSSL_version_num()}
	 * returns it.
	 */
	private static final long FIRST_WITH_HYBRID_GROUP = 0x30500000L;

	private final TlsEngineSelector selector;

	private final @Nullable ServerCertificateBundles bundles;

	private final Duration handshakeTimeout;

	private final TomcatWebServerFactory factory;

	/**
	 * Create a new customizer.
	 * @param selector selects the engine
	 * @param bundles the bundles of the certificate files, or {@code null}
	 * @param handshakeTimeout how long a client may take for its handshake
	 * @param factory the factory of the server, which other customizers may still change
	 */
	TlsContextCustomizer(TlsEngineSelector selector, @Nullable ServerCertificateBundles bundles,
			Duration handshakeTimeout, TomcatWebServerFactory factory) {
		this.selector = selector;
		this.bundles = bundles;
		this.handshakeTimeout = handshakeTimeout;
		this.factory = factory;
	}

	@Override
	public void customize(Context context) {
		Server server = ((Engine) context.getParent().getParent()).getService().getServer();
		RevocationChecks revocation = revocation();
		boolean prepared = false;
		for (Connector connector : TlsConnectors.of(server)) {
			boolean openSsl = this.selector.select(connector).openSsl();
			if (!openSsl) {
				useJsse(connector);
			}
			else if (!prepared) {
				useOpenSsl(server);
				prepared = true;
			}
			// Others are the application's own
			boolean ofProperties = connector == connector.getService().findConnectors()[0];
			VirtualHosts hosts = new VirtualHosts(openSsl && SSL.version() >= FIRST_WITH_HYBRID_GROUP,
					ofProperties ? revocation : null);
			if (connector.getProtocolHandler() instanceof TlsHttp11NioProtocol protocol) {
				protocol.configure(hosts, this.handshakeTimeout);
				if (openSsl) {
					protocol.useOpenSslDefaults();
				}
			}
			else {
				if (ofProperties) {
					requireNothingDropped(connector, revocation);
				}
				Arrays.stream(connector.findSslHostConfigs()).forEach(hosts::configure);
			}
		}
	}

	// A server with none of the certificate files has its own client verification
	private @Nullable RevocationChecks revocation() {
		Ssl ssl = this.factory.getSsl();
		if (this.bundles == null || ssl == null) {
			return null;
		}
		boolean ofCertificateFiles = Stream
			.concat(Stream.ofNullable(ssl.getBundle()),
					ssl.getServerNameBundles().stream().map(Ssl.ServerNameSslBundle::bundle))
			.anyMatch((name) -> name.equals(ConfiguredHosts.BUNDLE_NAME)
					|| name.startsWith(ConfiguredHosts.BUNDLE_NAME + "-"));
		return ofCertificateFiles ? this.bundles.revocation() : null;
	}

	/**
	 * Require that nothing is dropped by a protocol that is not ours.
	 * @param connector the connector
	 * @param revocation the revocation checks
	 * @throws CertificateFileException if something would be dropped
	 */
	private void requireNothingDropped(Connector connector, @Nullable RevocationChecks revocation) {
		String property = null;
		if (revocation != null && !revocation.isEmpty()) {
			property = revocation.property();
		}
		else if (Arrays.stream(connector.findSslHostConfigs()).anyMatch(TlsContextCustomizer::hasSeveralKeys)) {
			property = "server.ssl.certificates";
		}
		else if (!this.handshakeTimeout.equals(TomcatOpenSslProperties.DEFAULT_HANDSHAKE_TIMEOUT)) {
			property = "server.ssl.handshake-timeout";
		}
		if (property != null) {
			throw new CertificateFileException(property, null,
					"the connector has the protocol '%s', which does not enforce it"
						.formatted(connector.getProtocolHandlerClassName()),
					"Remove what sets the protocol of the connector, so that it has the default one", null);
		}
	}

	private static boolean hasSeveralKeys(SSLHostConfig host) {
		SSLHostConfigCertificate certificate = HostReplacement.ofBundle(host);
		try {
			return certificate != null && !SeveralKeysHost.aliases(certificate.getCertificateKeystore()).isEmpty();
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
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
			server.addLifecycleListener(TlsContextCustomizer::requireOpenSsl);
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
