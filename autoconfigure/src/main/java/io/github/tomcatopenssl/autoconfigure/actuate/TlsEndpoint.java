// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure.actuate;

import java.security.KeyStore;
import java.security.KeyStoreException;
import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECKey;
import java.security.interfaces.RSAKey;
import java.time.Instant;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.SecurityPolicy;
import io.github.tomcatopenssl.TomcatNative;
import io.github.tomcatopenssl.TomcatNativeStatus;
import io.github.tomcatopenssl.autoconfigure.TlsEngines;
import io.github.tomcatopenssl.endpoint.HandshakeCounters.FailedClient;
import io.github.tomcatopenssl.endpoint.HandshakeCounters.Negotiated;
import io.github.tomcatopenssl.endpoint.KeyExchange;
import io.github.tomcatopenssl.endpoint.TlsConnectors;
import io.github.tomcatopenssl.endpoint.TlsHttp11NioProtocol;
import io.github.tomcatopenssl.internal.engine.ServedHost;
import io.github.tomcatopenssl.internal.engine.VirtualHosts;
import io.github.tomcatopenssl.internal.host.CertificateHost;
import io.github.tomcatopenssl.internal.host.CertificateHosts;
import io.github.tomcatopenssl.internal.host.HostIdentity;
import io.github.tomcatopenssl.internal.host.HostKey;
import io.github.tomcatopenssl.internal.host.HostNames;
import io.github.tomcatopenssl.internal.host.RevocationChecks;
import io.github.tomcatopenssl.internal.host.SessionTicketKeys;
import org.apache.catalina.connector.Connector;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfig.CertificateVerification;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.ssl.SslBundles;

/**
 * {@link Endpoint @Endpoint} that lists how each connector serves TLS: the inventory of
 * certificates, protocols and cipher suites that PCI DSS 4 (12.3.3) asks for. It contains
 * no key and no file path.
 */
@Endpoint(id = "tls")
public class TlsEndpoint {

	private static final int BAD_REQUEST = 400;

	private static final int NOT_FOUND = 404;

	private static final int NOT_ACCEPTABLE = 406;

	private static final Page FIRST_PAGE = new Page(0, 100);

	/**
	 * Maximum number of hosts on a page: the certificates of all of them are in memory at
	 * once.
	 */
	private static final int MOST_ON_PAGE = 1000;

	private static final String LIBRARY = "org.cyclonedx:cyclonedx-core-java";

	private final TlsEngines tlsEngines;

	private final TomcatNative tomcatNative;

	private final SslBundles sslBundles;

	private final @Nullable CryptographyBom bom;

	/**
	 * Create a new instance.
	 * @param tlsEngines knows the connectors
	 * @param tomcatNative knows the versions of the library
	 * @param sslBundles the SSL bundles
	 * @param bom makes a bill of materials, or {@code null} if the library for it is
	 * missing
	 */
	TlsEndpoint(TlsEngines tlsEngines, TomcatNative tomcatNative, SslBundles sslBundles,
			@Nullable CryptographyBom bom) {
		this.tlsEngines = tlsEngines;
		this.tomcatNative = tomcatNative;
		this.sslBundles = sslBundles;
		this.bom = bom;
	}

	/**
	 * Return the inventory.
	 * @param format the format that the client accepts, or {@code null} if it is not
	 * asked for over HTTP
	 * @param page which page of the hosts that come and go it has: the first, 0, by
	 * default
	 * @param size how many of them a page has, up to 1000: 100 by default
	 * @return the connectors that are running, in this format, or the status 400
	 */
	@ReadOperation(producesFrom = TlsFormat.class)
	public Object tls(@Nullable TlsFormat format, @Nullable Integer page, @Nullable Integer size) {
		Page wanted = new Page(Objects.requireNonNullElse(page, FIRST_PAGE.number()),
				Objects.requireNonNullElse(size, FIRST_PAGE.size()));
		if (wanted.number() < 0 || wanted.size() < 1 || wanted.size() > MOST_ON_PAGE) {
			return refusal(BAD_REQUEST, "'page' has to be 0 or more, and 'size' 1 to %d".formatted(MOST_ON_PAGE));
		}
		if (format == null) {
			return tls(wanted);
		}
		if (format != TlsFormat.CYCLONEDX) {
			return new WebEndpointResponse<>(tls(wanted), format);
		}
		if (this.bom == null) {
			return refusal(NOT_ACCEPTABLE,
					"The dependency '%s' in version 11 or later is missing. Add it".formatted(LIBRARY));
		}
		try {
			return new WebEndpointResponse<>(this.bom.json(tls(wanted)), format);
		}
		catch (LinkageError ex) {
			return refusal(NOT_ACCEPTABLE,
					"The dependency '%s' has a version that does not fit (%s). Use version 11 or later"
						.formatted(LIBRARY, ex));
		}
	}

	/**
	 * Return which certificate serves a name.
	 * @param serverName the name, as a client asks for it
	 * @return the hosts by the port of their connector, or the status 404
	 */
	@ReadOperation
	public WebEndpointResponse<Map<Integer, HostDescriptor>> host(@Selector String serverName) {
		Map<Integer, HostDescriptor> hosts = new TreeMap<>();
		String name = HostNames.canonical(serverName);
		for (Connector connector : this.tlsEngines.running()) {
			VirtualHosts known = hosts(connector);
			HostIdentity found = (known != null && !name.isEmpty()) ? known.current().find(name) : null;
			if (found != null) {
				hosts.put(connector.getLocalPort(), host(found, Objects.requireNonNull(known), connector));
			}
		}
		return hosts.isEmpty() ? new WebEndpointResponse<>(NOT_FOUND) : new WebEndpointResponse<>(hosts);
	}

	private static WebEndpointResponse<Map<String, String>> refusal(int status, String reason) {
		return new WebEndpointResponse<>(Map.of("reason", reason), status, TlsFormat.JSON.getProducedMimeType());
	}

	/**
	 * Return the inventory, with the first page of the hosts that come and go.
	 * @return the connectors that are running
	 */
	public TlsDescriptor tls() {
		return tls(FIRST_PAGE);
	}

	private TlsDescriptor tls(Page page) {
		return new TlsDescriptor(
				this.tlsEngines.running().stream().map((connector) -> connector(connector, page)).toList());
	}

	private ConnectorDescriptor connector(Connector connector, Page page) {
		String engine = String.join(" and ", TlsConnectors.engines(connector));
		TomcatNativeStatus openSsl = engine.equals(TlsConnectors.OPENSSL) ? this.tomcatNative.status() : null;
		TlsHttp11NioProtocol protocol = (connector.getProtocolHandler() instanceof TlsHttp11NioProtocol ours) ? ours
				: null;
		VirtualHosts hosts = hosts(connector);
		SecurityPolicy preview = TlsConnectors.policyPreview(connector);
		return new ConnectorDescriptor(connector.getLocalPort(), connector.getScheme(), TlsConnectors.policy(connector),
				(preview != null) ? preview.toString() : null, engine,
				(openSsl != null) ? openSsl.openSslVersion() : Runtime.version().toString(),
				(openSsl != null) ? openSsl.version() : null, (openSsl != null) ? openSsl.fips() : null,
				Arrays.stream(connector.findSslHostConfigs())
					.map((host) -> host(host, hosts, openSsl != null))
					.toList(),
				(protocol != null && protocol.virtualHosts().settings().hosts().areUsed())
						? certificateHosts(protocol, page) : null,
				(protocol != null) ? negotiated(protocol) : null,
				(protocol != null && protocol.virtualHosts().settings().clientFingerprint() != null)
						? protocol.handshakeCounters().failedClients() : null);
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
				: config.getCertificates().stream().map(TlsEndpoint::leaf).filter(Objects::nonNull).toList();
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
	 * How TLS is served.
	 *
	 * @param connectors the connectors that serve TLS
	 */
	public record TlsDescriptor(List<ConnectorDescriptor> connectors) implements OperationResponseBody {

	}

	/**
	 * A connector.
	 *
	 * @param port the port
	 * @param scheme the scheme, such as {@code https}
	 * @param policy the policy: its name if {@code server.ssl.policy} is set, otherwise
	 * {@code intermediate}, or {@code custom} if other settings go beyond it
	 * @param policyPreview the policy whose refusals are counted
	 * @param engine the engine, {@code OpenSSL} or {@code JSSE}
	 * @param version the version of OpenSSL, or of Java
	 * @param tomcatNative the version of Tomcat Native
	 * @param fips whether OpenSSL works with the FIPS provider
	 * @param hosts the virtual hosts
	 * @param certificateHosts the hosts that come and go, or {@code null} if there are
	 * none
	 * @param negotiated what clients have negotiated since the start, the most frequent
	 * first
	 * @param failedClients the clients whose handshakes have failed in the last day, the
	 * most frequent first, or {@code null} if no fingerprints are computed
	 */
	public record ConnectorDescriptor(int port, String scheme, @Nullable String policy, @Nullable String policyPreview,
			String engine, @Nullable String version, @Nullable String tomcatNative, @Nullable Boolean fips,
			List<HostDescriptor> hosts, @Nullable CertificateHostsDescriptor certificateHosts,
			@Nullable List<NegotiatedDescriptor> negotiated, @Nullable List<FailedClient> failedClients) {

	}

	/**
	 * The hosts that come and go: those of {@code server.ssl.certificate-directory}, and
	 * those that the application has added. They are served by the rules of the default
	 * host.
	 *
	 * @param certificates how many there are
	 * @param names how many names and addresses they serve
	 * @param firstExpiry when the first of their certificates expires, or {@code null} if
	 * there is none
	 * @param defaultHost the virtual host by whose rules they are served
	 * @param page the number of the page, from 0
	 * @param size how many of them a page has
	 * @param pages how many pages there are
	 * @param hosts those of the page. Those that expire first are on the first page
	 */
	public record CertificateHostsDescriptor(int certificates, int names, @Nullable Instant firstExpiry,
			String defaultHost, int page, int size, int pages, List<CertificateHostDescriptor> hosts) {

	}

	/**
	 * A host that comes and goes.
	 *
	 * @param name its own name
	 * @param serverName the first name or address that it serves
	 * @param names how many names and addresses its certificate is for
	 * @param notAfter the end of the validity of its certificate
	 * @param certificates the certificates, one for each key type
	 */
	public record CertificateHostDescriptor(String name, String serverName, int names, Instant notAfter,
			List<CertificateDescriptor> certificates) {

		private static CertificateHostDescriptor of(CertificateHost host) {
			return new CertificateHostDescriptor(host.name(), host.serverNames().get(0), host.serverNames().size(),
					host.notAfter(), CertificateDescriptor.of(host));
		}

	}

	/**
	 * A virtual host.
	 *
	 * @param name the server name, or {@code _default_}
	 * @param since when the certificates and settings came into use: at the start, or at
	 * the last reload
	 * @param protocols the protocol versions
	 * @param cipherSuites the cipher suites
	 * @param groups the groups for the key exchange
	 * @param certificates the certificates, one for each key type
	 * @param clientAuthentication how clients are verified
	 * @param sessionTicketKey the age of the key of session tickets, or {@code null} if
	 * the host has none
	 */
	public record HostDescriptor(String name, @Nullable Instant since, List<String> protocols,
			List<String> cipherSuites, @Nullable List<String> groups, List<CertificateDescriptor> certificates,
			ClientAuthenticationDescriptor clientAuthentication, @Nullable TicketKeyDescriptor sessionTicketKey) {

	}

	/**
	 * A certificate.
	 *
	 * @param subject the subject
	 * @param issuer the issuer
	 * @param serialNumber the serial number, in hexadecimal
	 * @param keyAlgorithm the algorithm of the key
	 * @param keySize the size of the key in bits, or {@code null} if its algorithm has
	 * only one
	 * @param signatureAlgorithm the algorithm of the issuer's signature
	 * @param notBefore the start of the validity
	 * @param notAfter the end of the validity
	 * @param bundle the SSL bundle that has the certificate
	 */
	public record CertificateDescriptor(String subject, String issuer, String serialNumber, String keyAlgorithm,
			@Nullable Integer keySize, String signatureAlgorithm, Instant notBefore, Instant notAfter,
			@Nullable String bundle) {

		private static List<CertificateDescriptor> of(CertificateHost host) {
			return host.keys().stream().map((key) -> of(key.leaf(), null)).toList();
		}

		private static CertificateDescriptor of(X509Certificate certificate, @Nullable String bundle) {
			return new CertificateDescriptor(certificate.getSubjectX500Principal().getName(),
					certificate.getIssuerX500Principal().getName(), certificate.getSerialNumber().toString(16),
					certificate.getPublicKey().getAlgorithm(), keySize(certificate.getPublicKey()),
					certificate.getSigAlgName(), certificate.getNotBefore().toInstant(),
					certificate.getNotAfter().toInstant(), bundle);
		}

		private static @Nullable Integer keySize(PublicKey key) {
			if (key instanceof RSAKey rsa) {
				return rsa.getModulus().bitLength();
			}
			return (key instanceof ECKey ec) ? ec.getParams().getOrder().bitLength() : null;
		}

	}

	/**
	 * How clients are verified.
	 *
	 * @param mode {@code none}, {@code want} or {@code need}
	 * @param revocationLists whether certificate revocation lists are checked
	 * @param ocsp whether OCSP responders are asked
	 * @param ocspSoftFail whether a client is accepted if its OCSP responder does not
	 * answer
	 */
	public record ClientAuthenticationDescriptor(String mode, @Nullable Boolean revocationLists, @Nullable Boolean ocsp,
			@Nullable Boolean ocspSoftFail) {

		private static ClientAuthenticationDescriptor of(CertificateVerification verification,
				@Nullable RevocationChecks revocation) {
			if (verification == CertificateVerification.NONE || revocation == null) {
				return new ClientAuthenticationDescriptor(mode(verification), null, null, null);
			}
			return new ClientAuthenticationDescriptor(mode(verification), revocation.lists(), revocation.ocspEnabled(),
					revocation.ocspEnabled() ? revocation.ocspSoftFail() : null);
		}

		// The words of 'server.ssl.client-auth'
		private static String mode(CertificateVerification verification) {
			return switch (verification) {
				case NONE -> "none";
				case REQUIRED -> "need";
				default -> "want";
			};
		}

	}

	/**
	 * The key of session tickets.
	 *
	 * @param shared whether replicas share it
	 * @param since since when it is in use
	 */
	public record TicketKeyDescriptor(boolean shared, @Nullable Instant since) {

	}

	/**
	 * Parameters that clients have negotiated, and how often.
	 *
	 * @param protocol the protocol version
	 * @param cipherSuite the cipher suite
	 * @param group the group of the key exchange, or {@code none}
	 * @param resumed whether a session was resumed
	 * @param handshakes how many handshakes have negotiated it
	 */
	public record NegotiatedDescriptor(String protocol, String cipherSuite, String group, boolean resumed,
			long handshakes) {

		private static NegotiatedDescriptor of(Negotiated negotiated, long handshakes) {
			KeyExchange exchange = negotiated.exchange();
			return new NegotiatedDescriptor(exchange.protocol(), negotiated.cipherSuite(), exchange.group(),
					exchange.resumed(), handshakes);
		}

	}

	/**
	 * A part of the hosts that come and go.
	 *
	 * @param number the number, from 0
	 * @param size how many hosts it has
	 */
	private record Page(int number, int size) {

		long start() {
			return (long) this.number * this.size;
		}

		int countOf(int hosts) {
			return (hosts + this.size - 1) / this.size;
		}

	}

}
