// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure.actuate;

import java.security.PublicKey;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECKey;
import java.security.interfaces.RSAKey;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;

import io.github.tomcatopenssl.autoconfigure.TlsEngines;
import io.github.tomcatopenssl.endpoint.HandshakeCounters.CaClient;
import io.github.tomcatopenssl.endpoint.HandshakeCounters.FailedClients;
import io.github.tomcatopenssl.endpoint.HandshakeCounters.Negotiated;
import io.github.tomcatopenssl.endpoint.HandshakeCounters.ServedClients;
import io.github.tomcatopenssl.endpoint.KeyExchange;
import io.github.tomcatopenssl.internal.host.CertificateHost;
import io.github.tomcatopenssl.internal.host.HostNames;
import io.github.tomcatopenssl.internal.host.RevocationChecks;
import org.apache.catalina.connector.Connector;
import org.apache.tomcat.util.net.SSLHostConfig.CertificateVerification;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.actuate.endpoint.OperationResponseBody;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;

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

	/**
	 * Maximum number of hosts on a page: the certificates of all of them are in memory at
	 * once.
	 */
	private static final int MOST_ON_PAGE = 1000;

	private static final String LIBRARY = "org.cyclonedx:cyclonedx-core-java";

	private final TlsEngines tlsEngines;

	private final TlsInventory inventory;

	private final @Nullable CryptographyBom bom;

	/**
	 * Create a new instance.
	 * @param tlsEngines knows the connectors
	 * @param inventory describes the connectors
	 * @param bom makes a bill of materials, or {@code null} if the library for it is
	 * missing
	 */
	TlsEndpoint(TlsEngines tlsEngines, TlsInventory inventory, @Nullable CryptographyBom bom) {
		this.tlsEngines = tlsEngines;
		this.inventory = inventory;
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
		TlsInventory.Page wanted = new TlsInventory.Page(
				Objects.requireNonNullElse(page, TlsInventory.FIRST_PAGE.number()),
				Objects.requireNonNullElse(size, TlsInventory.FIRST_PAGE.size()));
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
			HostDescriptor host = !name.isEmpty() ? this.inventory.host(connector, name) : null;
			if (host != null) {
				hosts.put(connector.getLocalPort(), host);
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
		return tls(TlsInventory.FIRST_PAGE);
	}

	private TlsDescriptor tls(TlsInventory.Page page) {
		return new TlsDescriptor(this.tlsEngines.running()
			.stream()
			.map((connector) -> this.inventory.connector(connector, page))
			.toList());
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
	 * @param library the library, with the version of its jar if it is the bundled one
	 * @param fips whether OpenSSL works with the FIPS provider
	 * @param hosts the virtual hosts
	 * @param certificateHosts the hosts that come and go, or {@code null} if there are
	 * none
	 * @param negotiated what clients have negotiated since the start, the most frequent
	 * first
	 * @param failedClients the clients whose handshakes have failed in the last day
	 * @param previewedClients the clients that the previewed policy would have refused in
	 * the last day, or {@code null} if none is set
	 * @param classicalClients the clients of the last day that do not offer TLS 1.3 with
	 * X25519MLKEM768
	 * @param clientsByCa the verified clients of the last day, by the CA that was trusted
	 * for them
	 */
	public record ConnectorDescriptor(int port, String scheme, @Nullable String policy, @Nullable String policyPreview,
			String engine, @Nullable String version, @Nullable String tomcatNative, @Nullable String library,
			@Nullable Boolean fips, List<HostDescriptor> hosts, @Nullable CertificateHostsDescriptor certificateHosts,
			@Nullable List<NegotiatedDescriptor> negotiated, @Nullable FailedClients failedClients,
			@Nullable ServedClients previewedClients, @Nullable ServedClients classicalClients,
			@Nullable List<CaClient> clientsByCa) {

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

		static CertificateHostDescriptor of(CertificateHost host) {
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
	 * @param names the host names and addresses that it is for
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
	public record CertificateDescriptor(String subject, List<String> names, String issuer, String serialNumber,
			String keyAlgorithm, @Nullable Integer keySize, String signatureAlgorithm, Instant notBefore,
			Instant notAfter, @Nullable String bundle) {

		static List<CertificateDescriptor> of(CertificateHost host) {
			return host.keys().stream().map((key) -> of(key.leaf(), null)).toList();
		}

		static CertificateDescriptor of(X509Certificate certificate, @Nullable String bundle) {
			return new CertificateDescriptor(certificate.getSubjectX500Principal().getName(),
					HostNames.alternativeNames(certificate, HostNames.DNS_NAME, HostNames.IP_ADDRESS).toList(),
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

		static ClientAuthenticationDescriptor of(CertificateVerification verification,
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

		static NegotiatedDescriptor of(Negotiated negotiated, long handshakes) {
			KeyExchange exchange = negotiated.exchange();
			return new NegotiatedDescriptor(exchange.protocol(), negotiated.cipherSuite(), exchange.group(),
					exchange.resumed(), handshakes);
		}

	}

}
