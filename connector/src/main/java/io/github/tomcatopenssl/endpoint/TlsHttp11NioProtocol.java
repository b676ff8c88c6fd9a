// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.engine.VirtualHosts;
import org.apache.coyote.Adapter;
import org.apache.coyote.Processor;
import org.apache.coyote.UpgradeProtocol;
import org.apache.coyote.UpgradeToken;
import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.coyote.http2.Http2Protocol;
import org.apache.tomcat.util.net.SocketWrapperBase;

/**
 * Tomcat's default protocol with this project's endpoint, which withstands hostile
 * clients and applies secure defaults. The connector of {@code server.port} uses it. A
 * connector that an application adds gets OpenSSL only with this protocol.
 */
public class TlsHttp11NioProtocol extends Http11NioProtocol {

	/**
	 * Name of the request attribute with the group of the connection's key exchange, as
	 * in {@link KeyExchange#group()}.
	 */
	public static final String GROUP_ATTRIBUTE = "io.github.tomcatopenssl.tls.group";

	/**
	 * Name of the request attribute that shows whether the handshake of the connection
	 * has resumed a session, a {@link Boolean}.
	 */
	public static final String RESUMED_ATTRIBUTE = "io.github.tomcatopenssl.tls.resumed";

	/**
	 * Name of the request attribute with the server name that the client has asked for in
	 * its handshake (SNI), in lower case and in ASCII, if it has asked for one.
	 */
	public static final String SERVER_NAME_ATTRIBUTE = "io.github.tomcatopenssl.tls.server-name";

	/**
	 * Name of the request attribute with the identifier that a trusted proxy has given
	 * the connection ({@code PP2_TYPE_UNIQUE_ID}), each byte as a character.
	 */
	public static final String UNIQUE_ID_ATTRIBUTE = "io.github.tomcatopenssl.proxy.unique-id";

	/**
	 * Name of the request attribute with the name of the virtual host that the connection
	 * was made for, which decides how its client was verified, whatever host the request
	 * names in a header. It is Tomcat's name, in lower case: {@code _default_} for the
	 * default host unless that has another one, {@code *.example.com} for a wildcard.
	 */
	public static final String HOST_ATTRIBUTE = "io.github.tomcatopenssl.tls.host";

	/**
	 * Name of the request attribute that shows whether the client has presented a
	 * certificate that this virtual host has verified, itself or to a proxy that has
	 * forwarded it, a {@link Boolean}.
	 */
	public static final String CLIENT_VERIFIED_ATTRIBUTE = "io.github.tomcatopenssl.tls.client-verified";

	/**
	 * Name of the request attribute with the fingerprint of the client, if the connector
	 * computes one: a {@link io.github.tomcatopenssl.ClientFingerprint}.
	 */
	public static final String CLIENT_FINGERPRINT_ATTRIBUTE = "io.github.tomcatopenssl.tls.client-fingerprint";

	/**
	 * Default time limit for a handshake.
	 */
	public static final Duration DEFAULT_HANDSHAKE_TIMEOUT = Duration.ofSeconds(10);

	/**
	 * Create a new instance. Tomcat does this by the name of the class.
	 */
	public TlsHttp11NioProtocol() {
		super(new TlsNioEndpoint());
	}

	/**
	 * Return whether this version of Tomcat has all that the protocol depends on.
	 * @return whether it has; if not, use Tomcat's own protocol with JSSE
	 */
	public static boolean isSupported() {
		return TomcatMembers.missing() == null;
	}

	void configure(VirtualHosts virtualHosts) {
		((TlsNioEndpoint) getEndpoint()).configure(virtualHosts);
	}

	List<String> engines() {
		return ((TlsNioEndpoint) getEndpoint()).engines();
	}

	List<String> failedThreads() {
		return ((TlsNioEndpoint) getEndpoint()).failedThreads();
	}

	@Override
	public void setAdapter(Adapter adapter) {
		super.setAdapter(new TlsRequestAdapter(adapter, (TlsNioEndpoint) getEndpoint()));
	}

	@Override
	public void init() throws Exception {
		if (isSSLEnabled()) {
			((TlsNioEndpoint) getEndpoint()).requireReadableHosts();
		}
		super.init();
	}

	/**
	 * Create the contexts of all virtual hosts as a start does, each with its trial
	 * handshake, but without a socket.
	 * @throws Exception what would end the start
	 */
	public void createContexts() throws Exception {
		((TlsNioEndpoint) getEndpoint()).createContexts();
	}

	// A proxy forwards no certificate in a trailer, which comes after the request was
	// accepted
	@Override
	public boolean isTrailerHeaderAllowed(String headerName) {
		return super.isTrailerHeaderAllowed(headerName) && !isForwarding(headerName);
	}

	@Override
	protected Set<String> getAllowedTrailerHeadersInternal() {
		return super.getAllowedTrailerHeadersInternal().stream()
			.filter((name) -> !isForwarding(name))
			.collect(Collectors.toUnmodifiableSet());
	}

	private boolean isForwarding(String name) {
		return ((TlsNioEndpoint) getEndpoint()).forwardedCertificates() != null
				&& ForwardedCertificates.isForwarding(name);
	}

	/**
	 * Add a protocol to upgrade to. HTTP/2 leaves its request objects to the garbage
	 * collector, since it would otherwise keep one for each of the streams that were open
	 * at once, up to the maximum number of connections.
	 * {@code Http2Protocol.setDiscardRequestsAndResponses} changes it afterwards.
	 */
	@Override
	public void addUpgradeProtocol(UpgradeProtocol upgradeProtocol) {
		super.addUpgradeProtocol(upgradeProtocol);
		if (upgradeProtocol instanceof Http2Protocol http2) {
			http2.setDiscardRequestsAndResponses(true);
		}
	}

	@Override
	protected Processor createUpgradeProcessor(SocketWrapperBase<?> socket, UpgradeToken upgradeToken) {
		if (socket instanceof TlsConnection connection) {
			connection.upgraded();
		}
		return super.createUpgradeProcessor(socket, upgradeToken);
	}

	/**
	 * Return the counters of the handshakes.
	 * @return the counters
	 */
	public HandshakeCounters handshakeCounters() {
		return ((TlsNioEndpoint) getEndpoint()).handshakeCounters();
	}

	/**
	 * Return the virtual hosts.
	 * @return the virtual hosts
	 * @throws TlsSettingException if the connector is not configured
	 */
	public VirtualHosts virtualHosts() {
		return ((TlsNioEndpoint) getEndpoint()).virtualHosts();
	}

}
