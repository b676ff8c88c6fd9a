// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;

import io.github.tomcatopenssl.tomcat.handshake.EngineGroups;
import io.github.tomcatopenssl.tomcat.ticket.TicketKeyContext;
import org.apache.catalina.Server;
import org.apache.catalina.connector.Connector;
import org.apache.coyote.http11.AbstractHttp11Protocol;
import org.apache.tomcat.util.net.SSLContext;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.jsse.JSSEImplementation;
import org.apache.tomcat.util.net.openssl.ciphers.Group;

/**
 * The connectors of a server that serve TLS.
 */
public final class TlsConnectors {

	/**
	 * The name of the OpenSSL engine.
	 */
	public static final String OPENSSL = "OpenSSL";

	private TlsConnectors() {
	}

	public static List<Connector> of(Server server) {
		return Arrays.stream(server.findServices())
			.flatMap((service) -> Arrays.stream(service.findConnectors()))
			.filter((connector) -> connector.getProtocolHandler() instanceof AbstractHttp11Protocol<?> protocol
					&& protocol.isSSLEnabled())
			.toList();
	}

	public static AbstractHttp11Protocol<?> protocol(Connector connector) {
		return (AbstractHttp11Protocol<?>) connector.getProtocolHandler();
	}

	/**
	 * Return which engines serve TLS, read from the contexts of a connector.
	 * @param connector the connector
	 * @return the names of the engines, normally one; empty when it is not started
	 */
	public static List<String> engines(Connector connector) {
		return Arrays.stream(protocol(connector).findSslHostConfigs())
			.flatMap((config) -> config.getCertificates().stream())
			.map(SSLHostConfigCertificate::getSslContext)
			.filter(Objects::nonNull)
			.map(TlsConnectors::engine)
			.distinct()
			.sorted()
			.toList();
	}

	/**
	 * Return the groups of the key exchange.
	 * @param connector the connector
	 * @return the names of the groups of all virtual hosts; empty where they are the
	 * engine's own, as those of JSSE up to Java 19
	 */
	public static List<String> groups(Connector connector) {
		if (!EngineGroups.isJsseConfigurable() && !engines(connector).equals(List.of(OPENSSL))) {
			return List.of();
		}
		return Arrays.stream(protocol(connector).findSslHostConfigs())
			.map(SSLHostConfig::getGroupList)
			.filter(Objects::nonNull)
			.flatMap(Set::stream)
			.map(Group::name)
			.distinct()
			.toList();
	}

	private static String engine(SSLContext context) {
		if (!TicketKeyContext.openSsl(context).isEmpty()) {
			return OPENSSL;
		}
		boolean jsse = context.getClass().getPackage() == JSSEImplementation.class.getPackage();
		return jsse ? "JSSE" : context.getClass().getName();
	}

}
