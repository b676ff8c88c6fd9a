// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat;

import java.time.Duration;
import java.util.Arrays;
import java.util.stream.Stream;

import io.github.tomcatopenssl.OpenSslUnavailableException;
import io.github.tomcatopenssl.certificate.CertificateFileException;
import io.github.tomcatopenssl.certificate.HostFiles;
import io.github.tomcatopenssl.tomcat.handshake.EngineGroups;
import io.github.tomcatopenssl.tomcat.handshake.KeyExchangeGroups;
import io.github.tomcatopenssl.tomcat.handshake.KeyExchangeValve;
import io.github.tomcatopenssl.tomcat.sni.ServerNameRules;
import io.github.tomcatopenssl.tomcat.ticket.SessionTicketKeys;
import org.apache.catalina.Context;
import org.apache.catalina.Engine;
import org.apache.catalina.Lifecycle;
import org.apache.catalina.LifecycleEvent;
import org.apache.catalina.Server;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.core.AprLifecycleListener;
import org.apache.coyote.http11.AbstractHttp11Protocol;
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
public class TlsContextCustomizer implements TomcatContextCustomizer {

	// Has JSSE refuse to renegotiate when a client asks for it (JSSE Reference Guide).
	// Tomcat's OpenSSL engine never does, and OpenSSL 3 does not by default
	private static final String REJECT_RENEGOTIATION = "jdk.tls.rejectClientInitiatedRenegotiation";

	private final TlsEngineSelector selector;

	private final KeyExchangeGroups groups;

	private final SessionTicketKeys ticketKeys;

	private final RevocationChecks revocation;

	private final @Nullable ServerNameRules serverNames;

	private final @Nullable Duration handshakeTimeout;

	// Other customizers may still change it
	private final TomcatWebServerFactory factory;

	public TlsContextCustomizer(TlsEngineSelector selector, KeyExchangeGroups groups, SessionTicketKeys ticketKeys,
			RevocationChecks revocation, @Nullable ServerNameRules serverNames, @Nullable Duration handshakeTimeout,
			TomcatWebServerFactory factory) {
		this.selector = selector;
		this.groups = groups;
		this.ticketKeys = ticketKeys;
		this.revocation = revocation;
		this.serverNames = serverNames;
		this.handshakeTimeout = handshakeTimeout;
		this.factory = factory;
	}

	@Override
	public void customize(Context context) {
		Server server = ((Engine) context.getParent().getParent()).getService().getServer();
		RevocationChecks revocation = revocation();
		((Engine) context.getParent().getParent()).getPipeline().addValve(new KeyExchangeValve());
		for (Connector connector : TlsConnectors.of(server)) {
			boolean openSsl = this.selector.findObstacle(connector) == null;
			if (openSsl) {
				useOpenSsl(server);
			}
			else {
				useJsse(connector);
			}
			// Others are the application's own
			boolean ofProperties = connector == connector.getService().findConnectors()[0];
			VirtualHosts hosts = new VirtualHosts(
					openSsl ? EngineGroups.ofOpenSsl() : IntermediateTlsProfile.GROUPS_WITHOUT_HYBRID,
					this.groups.of(openSsl), ofProperties ? revocation : RevocationChecks.NONE,
					this.ticketKeys.of(openSsl), this.selector.isFipsRequired());
			if (connector.getProtocolHandler() instanceof TlsHttp11NioProtocol protocol) {
				protocol.configure(hosts, this.serverNames, this.handshakeTimeout);
			}
			else {
				if (ofProperties) {
					requireNothingDropped(connector, revocation);
				}
				Arrays.stream(connector.findSslHostConfigs()).forEach(hosts::configure);
			}
		}
		if (this.selector.isOpenSslRequired()) {
			server.addLifecycleListener(TlsContextCustomizer::requireOpenSsl);
		}
	}

	// A server with none of the certificate files has its own client verification
	private RevocationChecks revocation() {
		Ssl ssl = this.factory.getSsl();
		if (ssl == null) {
			return RevocationChecks.NONE;
		}
		boolean ofCertificateFiles = Stream
			.concat(Stream.ofNullable(ssl.getBundle()),
					ssl.getServerNameBundles().stream().map(Ssl.ServerNameSslBundle::bundle))
			.anyMatch(HostFiles::isBundleName);
		return ofCertificateFiles ? this.revocation : RevocationChecks.NONE;
	}

	private void requireNothingDropped(Connector connector, RevocationChecks revocation) {
		String property = null;
		if (!revocation.isEmpty()) {
			property = revocation.property();
		}
		else if (Arrays.stream(connector.findSslHostConfigs()).anyMatch(MultiKeyHost::isNeededFor)) {
			property = "server.ssl.certificates";
		}
		else if (this.handshakeTimeout != null) {
			property = "server.ssl.handshake-timeout";
		}
		else if (this.groups.isRequired()) {
			property = KeyExchangeGroups.PROPERTY;
		}
		else if (this.serverNames != null) {
			property = ServerNameRules.PROPERTY;
		}
		if (property != null) {
			throw new CertificateFileException(property, null,
					"the connector has the protocol '%s', which does not enforce it"
						.formatted(connector.getProtocolHandlerClassName()),
					"Remove what sets the protocol of the connector, so that it has the default one", null);
		}
	}

	// Tomcat takes the OpenSSL engine by itself once this listener has initialized APR.
	// It
	// counts the servers of the JVM that need it. Naming the engine here would crash the
	// JVM where the listener fails
	private static void useOpenSsl(Server server) {
		if (Arrays.stream(server.findLifecycleListeners()).noneMatch(AprLifecycleListener.class::isInstance)) {
			server.addLifecycleListener(new AprLifecycleListener());
		}
	}

	// Without a name, Tomcat would take the OpenSSL engine once another application of
	// the
	// JVM has loaded it, although this one must not use it
	private static void useJsse(Connector connector) {
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
