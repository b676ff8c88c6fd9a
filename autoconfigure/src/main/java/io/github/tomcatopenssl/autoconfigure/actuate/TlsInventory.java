// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure.actuate;

import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.SecurityPolicy;
import io.github.tomcatopenssl.TomcatNative;
import io.github.tomcatopenssl.TomcatNativeStatus;
import io.github.tomcatopenssl.autoconfigure.actuate.TlsEndpoint.CertificateDescriptor;
import io.github.tomcatopenssl.autoconfigure.actuate.TlsEndpoint.CertificateHostDescriptor;
import io.github.tomcatopenssl.autoconfigure.actuate.TlsEndpoint.CertificateHostsDescriptor;
import io.github.tomcatopenssl.autoconfigure.actuate.TlsEndpoint.ClientAuthenticationDescriptor;
import io.github.tomcatopenssl.autoconfigure.actuate.TlsEndpoint.ConnectorDescriptor;
import io.github.tomcatopenssl.autoconfigure.actuate.TlsEndpoint.HostDescriptor;
import io.github.tomcatopenssl.autoconfigure.actuate.TlsEndpoint.NegotiatedDescriptor;
import io.github.tomcatopenssl.autoconfigure.actuate.TlsEndpoint.TicketKeyDescriptor;
import io.github.tomcatopenssl.endpoint.TlsConnectors;
import io.github.tomcatopenssl.endpoint.TlsHttp11NioProtocol;
import io.github.tomcatopenssl.internal.engine.ServedHost;
import io.github.tomcatopenssl.internal.engine.VirtualHosts;
import io.github.tomcatopenssl.internal.host.CertificateHost;
import io.github.tomcatopenssl.internal.host.CertificateHosts;
import io.github.tomcatopenssl.internal.host.HostIdentity;
import io.github.tomcatopenssl.internal.host.HostKey;
import io.github.tomcatopenssl.internal.host.SessionTicketKeys;
import org.apache.catalina.connector.Connector;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundles;

/**
 * Describes how connectors serve TLS. Needs no Actuator.
 */
public final class TlsInventory {

	static final Page FIRST_PAGE = new Page(0, 100);

	private final TomcatNative tomcatNative;

	private final SslBundles sslBundles;

	/**
	 * Create a new instance.
	 * @param tomcatNative knows the versions of the library
	 * @param sslBundles the SSL bundles
	 */
	public TlsInventory(TomcatNative tomcatNative, SslBundles sslBundles) {
		this.tomcatNative = tomcatNative;
		this.sslBundles = sslBundles;
	}

	/**
	 * Describe a connector, with the first page of the hosts that come and go.
	 * @param connector the connector
	 * @return the description
	 */
	public ConnectorDescriptor connector(Connector connector) {
		return connector(connector, FIRST_PAGE);
	}

	ConnectorDescriptor connector(Connector connector, Page page) {
		String engine = String.join(" and ", TlsConnectors.engines(connector));
		TomcatNativeStatus openSsl = engine.equals(TlsConnectors.OPENSSL) ? this.tomcatNative.status() : null;
		TlsHttp11NioProtocol protocol = (connector.getProtocolHandler() instanceof TlsHttp11NioProtocol ours) ? ours
				: null;
		VirtualHosts hosts = hosts(connector);
		SecurityPolicy preview = TlsConnectors.policyPreview(connector);
		return new ConnectorDescriptor(port(connector), connector.getScheme(), TlsConnectors.policy(connector),
				(preview != null) ? preview.toString() : null, engine,
				(openSsl != null) ? openSsl.openSslVersion() : Runtime.version().toString(),
				(openSsl != null) ? openSsl.version() : null, (openSsl != null) ? openSsl.library() : null,
				(openSsl != null) ? openSsl.fips() : null,
				Arrays.stream(connector.findSslHostConfigs())
					.map((host) -> host(host, hosts, openSsl != null))
					.toList(),
				(protocol != null && protocol.virtualHosts().settings().hosts().areUsed())
						? certificateHosts(protocol, page) : null,
				(protocol != null) ? negotiated(protocol) : null,
				(protocol != null) ? protocol.handshakeCounters().failedClients() : null,
				(protocol != null && preview != null) ? protocol.handshakeCounters().previewedClients() : null,
				(protocol != null) ? protocol.handshakeCounters().classicalClients() : null,
				(protocol != null) ? protocol.handshakeCounters().clientsByCa() : null);
	}

	// Before the start, the one that is set
	private static int port(Connector connector) {
		return (connector.getLocalPort() > 0) ? connector.getLocalPort() : connector.getPort();
	}

	private static @Nullable VirtualHosts hosts(Connector connector) {
		return (connector.getProtocolHandler() instanceof TlsHttp11NioProtocol ours) ? ours.virtualHosts() : null;
	}

	// Certificates are parsed for the page only
	private static CertificateHostsDescriptor certificateHosts(TlsHttp11NioProtocol protocol, Page page) {
		CertificateHosts hosts = protocol.virtualHosts().settings().hosts();
		List<CertificateHost> all = hosts.all()
			.stream()
			.sorted(Comparator.comparing(CertificateHost::notAfter).thenComparing(CertificateHost::name))
			.toList();
		return new CertificateHostsDescriptor(all.size(), hosts.names(), all.isEmpty() ? null : all.get(0).notAfter(),
				protocol.getDefaultSSLHostConfigName(), page.number(), page.size(), page.countOf(all.size()),
				all.stream().skip(page.start()).limit(page.size()).map(CertificateHostDescriptor::of).toList());
	}

	@Nullable HostDescriptor host(Connector connector, String name) {
		VirtualHosts known = hosts(connector);
		HostIdentity found = (known != null) ? known.current().find(name) : null;
		return (found != null) ? host(found, Objects.requireNonNull(known), connector) : null;
	}

	private HostDescriptor host(HostIdentity found, VirtualHosts hosts, Connector connector) {
		CertificateHost certificate = hosts.settings().hosts().get(found.name());
		String configured = (certificate != null)
				? ((TlsHttp11NioProtocol) connector.getProtocolHandler()).getDefaultSSLHostConfigName() : found.name();
		HostDescriptor host = Arrays.stream(connector.findSslHostConfigs())
			.filter((config) -> config.getHostName().equals(configured))
			.map((config) -> host(config, hosts, isOpenSsl(connector)))
			.findFirst()
			.orElseThrow();
		if (certificate == null) {
			return host;
		}
		// Served by the rules of the default host
		ServedHost served = (found instanceof ServedHost made) ? made : null;
		return new HostDescriptor(found.name(), (served != null) ? served.since() : null, host.protocols(),
				host.cipherSuites(), host.groups(), CertificateDescriptor.of(certificate), host.clientAuthentication(),
				(served != null) ? host.sessionTicketKey() : null);
	}

	private static boolean isOpenSsl(Connector connector) {
		return TlsConnectors.engines(connector).equals(List.of(TlsConnectors.OPENSSL));
	}

	private HostDescriptor host(SSLHostConfig config, @Nullable VirtualHosts hosts, boolean openSsl) {
		ServedHost served = (hosts != null) ? hosts.current().get(config.getHostName()) : null;
		List<CertificateDescriptor> certificates = leaves(config, served).stream()
			.map((leaf) -> CertificateDescriptor.of(leaf, bundle(leaf)))
			.toList();
		return new HostDescriptor(config.getHostName(), (served != null) ? served.since() : null,
				list(config.getEnabledProtocols()), list(config.getEnabledCiphers()), groups(config, served),
				certificates,
				ClientAuthenticationDescriptor.of(
						(served != null) ? served.host().clients().mode() : config.getCertificateVerification(),
						(hosts != null) ? hosts.settings().revocation() : null),
				(hosts != null && served != null && openSsl && !served.host().clients().isActive())
						? ticketKey(served, hosts) : null);
	}

	// Includes the bundles that are created from certificate files
	private @Nullable String bundle(X509Certificate leaf) {
		return this.sslBundles.getBundleNames()
			.stream()
			.filter((name) -> contains(this.sslBundles.getBundle(name).getStores().getKeyStore(), leaf))
			.findFirst()
			.orElse(null);
	}

	private static boolean contains(@Nullable KeyStore keyStore, X509Certificate leaf) {
		try {
			return keyStore != null && keyStore.getCertificateAlias(leaf) != null;
		}
		catch (KeyStoreException ex) {
			return false;
		}
	}

	private static List<String> list(String @Nullable [] values) {
		return (values != null) ? List.of(values) : List.of();
	}

	private static @Nullable List<String> groups(SSLHostConfig config, @Nullable ServedHost served) {
		if (served != null) {
			List<KeyExchangeGroup> groups = served.host().policy().groups();
			return (groups != null) ? groups.stream().map(KeyExchangeGroup::toString).toList() : null;
		}
		return (config.getGroupList() != null) ? config.getGroupList().stream().map(Enum::name).toList() : null;
	}

	private static List<X509Certificate> leaves(SSLHostConfig config, @Nullable ServedHost served) {
		return (served != null) ? served.host().keys().stream().map(HostKey::leaf).toList()
				: config.getCertificates().stream().map(TlsInventory::leaf).filter(Objects::nonNull).toList();
	}

	private static @Nullable X509Certificate leaf(SSLHostConfigCertificate certificate) {
		if (certificate.getSslContext() == null) {
			return null;
		}
		X509Certificate[] chain = certificate.getSslContext().getCertificateChain(certificate.getCertificateKeyAlias());
		return (chain != null && chain.length > 0) ? chain[0] : null;
	}

	private static TicketKeyDescriptor ticketKey(ServedHost served, VirtualHosts hosts) {
		SessionTicketKeys shared = hosts.sharedTicketKeys(served.host());
		return new TicketKeyDescriptor(shared != null, (shared != null) ? shared.current().since() : served.since());
	}

	private static List<NegotiatedDescriptor> negotiated(TlsHttp11NioProtocol protocol) {
		return protocol.handshakeCounters()
			.negotiated()
			.entrySet()
			.stream()
			.map((entry) -> NegotiatedDescriptor.of(entry.getKey(), entry.getValue()))
			.sorted(Comparator.comparingLong(NegotiatedDescriptor::handshakes).reversed())
			.toList();
	}

	/**
	 * A part of the hosts that come and go.
	 *
	 * @param number the number, from 0
	 * @param size how many hosts it has
	 */
	record Page(int number, int size) {

		long start() {
			return (long) this.number * this.size;
		}

		int countOf(int hosts) {
			return (hosts + this.size - 1) / this.size;
		}

	}

}
