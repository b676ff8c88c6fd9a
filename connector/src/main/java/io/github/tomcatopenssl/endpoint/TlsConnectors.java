// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.SecurityPolicy;
import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.SettingText;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.engine.TlsEngine;
import io.github.tomcatopenssl.internal.engine.VirtualHosts;
import io.github.tomcatopenssl.internal.host.HostReader;
import io.github.tomcatopenssl.internal.host.TlsAlpnChallenges;
import io.github.tomcatopenssl.internal.host.TlsSettings;
import org.apache.catalina.Server;
import org.apache.catalina.connector.Connector;
import org.apache.coyote.http11.AbstractHttp11Protocol;
import org.apache.tomcat.util.net.SSLContext;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.jsse.JSSEImplementation;
import org.jspecify.annotations.Nullable;

/**
 * Finds, inspects and configures the connectors of a server that serve TLS.
 */
public final class TlsConnectors {

	/**
	 * Name of the OpenSSL engine.
	 */
	public static final String OPENSSL = TlsEngine.OPENSSL;

	private TlsConnectors() {
	}

	/**
	 * Return the connectors of a server that serve TLS.
	 * @param server the server
	 * @return the connectors
	 */
	public static List<Connector> of(Server server) {
		return Arrays.stream(server.findServices())
			.flatMap((service) -> Arrays.stream(service.findConnectors()))
			.filter((connector) -> connector.getProtocolHandler() instanceof AbstractHttp11Protocol<?> protocol
					&& protocol.isSSLEnabled())
			.toList();
	}

	/**
	 * Add a connector that redirects HTTP to the first one that serves TLS, whose address
	 * and limits apply to it.
	 * @param server the server
	 * @param port the port
	 * @return whether it is added, which needs a connector that serves TLS
	 */
	public static boolean addRedirect(Server server, int port) {
		List<Connector> targets = of(server);
		if (targets.isEmpty()) {
			return false;
		}
		Connector redirect = new Connector(new HttpRedirectProtocol(targets.get(0)));
		redirect.setPort(port);
		redirect.setThrowOnFailure(true);
		targets.get(0).getService().addConnector(redirect);
		return true;
	}

	/**
	 * Return the protocol of a connector that serves TLS.
	 * @param connector the connector
	 * @return the protocol
	 */
	public static AbstractHttp11Protocol<?> protocol(Connector connector) {
		return (AbstractHttp11Protocol<?>) connector.getProtocolHandler();
	}

	/**
	 * Return the engines that serve TLS, read from the contexts of a connector.
	 * @param connector the connector
	 * @return the names of the engines, normally one; empty if the connector is not
	 * started
	 */
	public static List<String> engines(Connector connector) {
		if (connector.getProtocolHandler() instanceof TlsHttp11NioProtocol ours) {
			return ours.engines();
		}
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
	 * Return the threads of a connector that serve all of its connections, but have
	 * failed, so that clients get no answer. Errors end them only if they occur again and
	 * again.
	 * @param connector the connector
	 * @return the names of the threads, normally none
	 */
	public static List<String> failedThreads(Connector connector) {
		return (connector.getProtocolHandler() instanceof TlsHttp11NioProtocol ours) ? ours.failedThreads() : List.of();
	}

	/**
	 * Return the groups that a connector uses for the key exchange.
	 * @param connector the connector
	 * @return the names of the groups of all virtual hosts; empty if the engine's own
	 * groups apply, as with JSSE up to Java 19, or if the connector is not one of this
	 * project
	 */
	public static List<String> groups(Connector connector) {
		if (!(connector.getProtocolHandler() instanceof TlsHttp11NioProtocol ours)) {
			return List.of();
		}
		return ours.virtualHosts()
			.current()
			.all()
			.stream()
			.map((served) -> served.host().policy().groups())
			.filter(Objects::nonNull)
			.flatMap(List::stream)
			.map(KeyExchangeGroup::toString)
			.distinct()
			.toList();
	}

	/**
	 * Return the name of the policy that a connector follows.
	 * @param connector the connector
	 * @return the policy that is set; {@code intermediate} if none is set, and no setting
	 * goes beyond its versions, suites and groups; {@code custom} if one does; or
	 * {@code null} if the connector is not one of this project
	 */
	public static @Nullable String policy(Connector connector) {
		if (!(connector.getProtocolHandler() instanceof TlsHttp11NioProtocol ours)) {
			return null;
		}
		SecurityPolicy policy = ours.virtualHosts().settings().policy().policy();
		if (policy != null) {
			return policy.toString();
		}
		boolean covered = ours.virtualHosts()
			.current()
			.all()
			.stream()
			.allMatch((served) -> served.host().policy().isWithin(SecurityPolicy.INTERMEDIATE));
		return covered ? SecurityPolicy.INTERMEDIATE.toString() : "custom";
	}

	/**
	 * Return the policy whose refusals a connector counts.
	 * @param connector the connector
	 * @return the policy, or {@code null} if none is set
	 */
	public static @Nullable SecurityPolicy policyPreview(Connector connector) {
		return (connector.getProtocolHandler() instanceof TlsHttp11NioProtocol ours)
				? ours.virtualHosts().settings().policy().preview() : null;
	}

	/**
	 * Return the reason why OpenSSL cannot serve a connector, regardless of the library.
	 * @param connector a connector that serves TLS
	 * @return the reason and its remedy, or {@code null} if OpenSSL can serve the
	 * connector
	 */
	public static @Nullable TlsSettingException unavailabilityCause(Connector connector) {
		String missing = TomcatMembers.missing();
		if (missing != null) {
			return unavailable(
					new SettingText("%s, which the channel between the socket and OpenSSL depends on", missing),
					new SettingText(
							"Use a version of Tomcat that has it, or a version of tomcat-openssl-connector that supports this Tomcat"));
		}
		String protocol = TlsHttp11NioProtocol.class.getName();
		if (!(connector.getProtocolHandler() instanceof TlsHttp11NioProtocol)) {
			if (connector.getProtocolHandlerClassName().equals(protocol)) {
				return unavailable(new SettingText(
						"the protocol of the connector is in another class loader than the application, as happens with DevTools if tomcat-openssl-connector is not a jar"),
						new SettingText("Use the jar of tomcat-openssl-connector, or turn off DevTools restarts"));
			}
			return unavailable(new SettingText(
					"the protocol of the connector is '%s', which does not withstand hostile clients if OpenSSL serves TLS",
					connector.getProtocolHandlerClassName()),
					new SettingText("Create the connector with the protocol '%s', or remove whatever sets its protocol",
							protocol));
		}
		for (SSLHostConfig host : connector.findSslHostConfigs()) {
			if (VirtualHosts.provided(host) != null) {
				return unavailable(
						new SettingText("the virtual host '%s' has its own 'SSLContext', which OpenSSL cannot use",
								host.getHostName()),
						new SettingText("Remove whatever sets 'sslContext', or set %s to 'never'", SettingName.MODE));
			}
			if (!HostReader.hasExportableKeys(host)) {
				return unavailable(new SettingText(
						"the private key of the virtual host '%s' cannot be exported from its key store, and OpenSSL needs it",
						host.getHostName()),
						new SettingText("Set %s to 'never' if the key has to stay where it is", SettingName.MODE));
			}
		}
		String implementation = protocol(connector).getSslImplementationName();
		if (implementation != null && !implementation.equals(TlsEngine.OPENSSL_IMPLEMENTATION)) {
			return unavailable(new SettingText("the connector has the TLS engine '%s'", implementation),
					new SettingText("Remove whatever sets its 'sslImplementationName'"));
		}
		return null;
	}

	private static TlsSettingException unavailable(SettingText reason, SettingText action) {
		return new TlsSettingException(SettingName.MODE, reason, action, null);
	}

	/**
	 * Configure the engine and the settings of a connector before it is initialized.
	 * @param connector a connector that serves TLS
	 * @param engine the engine that serves the connector
	 * @param settings the settings
	 * @throws TlsSettingException if a setting cannot be enforced
	 */
	public static void configure(Connector connector, TlsEngine engine, TlsSettings settings) {
		engine.prepare(connector);
		VirtualHosts hosts = new VirtualHosts(engine, settings);
		if (connector.getProtocolHandler() instanceof TlsHttp11NioProtocol protocol) {
			protocol.configure(hosts);
		}
		else {
			Arrays.stream(connector.findSslHostConfigs()).forEach(hosts::adapt);
		}
	}

	/**
	 * Return a setting that a connector would drop, because only the protocol of this
	 * project enforces it and the connector has another one.
	 * @param connector a connector that serves TLS
	 * @param settings the settings
	 * @return a setting that would be dropped, which is {@link SettingName#CERTIFICATE}
	 * for the certificates that the application adds, or {@code null} if all of them are
	 * enforced
	 */
	public static @Nullable SettingName dropped(Connector connector, TlsSettings settings) {
		if (connector.getProtocolHandler() instanceof TlsHttp11NioProtocol) {
			return null;
		}
		for (SSLHostConfig host : connector.findSslHostConfigs()) {
			SettingName dropped = HostReader.dropped(host, settings);
			if (dropped != null) {
				return dropped;
			}
		}
		if (settings.hosts().areUsed()) {
			return settings.hosts().setting();
		}
		if (settings.handshakeTimeout() != null) {
			return SettingName.HANDSHAKE_TIMEOUT;
		}
		if (!settings.groups().isEmpty()) {
			return SettingName.GROUPS;
		}
		if (settings.policy().policy() != null) {
			return SettingName.POLICY;
		}
		if (!settings.policy().signatures().isEmpty()) {
			return SettingName.SIGNATURE_ALGORITHMS;
		}
		if (settings.policy().preview() != null) {
			return SettingName.POLICY_PREVIEW;
		}
		if (settings.serverNames() != null) {
			return SettingName.UNKNOWN_SERVER_NAME;
		}
		if (settings.trustedProxies() != null) {
			return SettingName.PROXY_PROTOCOL;
		}
		if (settings.forwardedCertificates() != null) {
			return SettingName.FORWARDED_CERTIFICATES;
		}
		if (settings.clientFingerprint() != null) {
			return SettingName.CLIENT_FINGERPRINT;
		}
		return (settings.challenges() != TlsAlpnChallenges.NONE) ? SettingName.ACME : null;
	}

	private static String engine(SSLContext context) {
		boolean jsse = context.getClass().getPackage() == JSSEImplementation.class.getPackage();
		return jsse ? "JSSE" : context.getClass().getName();
	}

}
