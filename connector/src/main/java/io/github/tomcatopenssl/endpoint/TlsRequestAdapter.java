// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.Objects;
import java.util.stream.Collectors;

import io.github.tomcatopenssl.internal.host.ClientVerification;
import io.github.tomcatopenssl.internal.host.ForeignText;
import org.apache.coyote.Adapter;
import org.apache.coyote.Request;
import org.apache.coyote.Response;
import org.apache.tomcat.util.net.SocketEvent;

/**
 * Gives a request what its connection has negotiated as attributes, in addition to
 * Tomcat's own for protocol and cipher suite: the group, whether a session was resumed,
 * the server name, the host of the connection, whether its client was verified, the
 * client's fingerprint, and a proxy's identifier of the connection. It answers a request
 * for a host that the connection was not made for with the status 421 (RFC 9110,
 * 15.5.20), and ends a connection after the request if its client is no longer valid. A
 * request of a proxy gets the certificate of the client that the proxy forwards. All of
 * it runs before all valves: an application can remove valves, and valves may replace the
 * host with that of a forwarding header.
 */
final class TlsRequestAdapter implements Adapter {

	private static final int BAD_REQUEST = 400;

	private static final int MISDIRECTED_REQUEST = 421;

	private static final String HTTP_2 = "HTTP/2.0";

	private static final int MOST_SHOWN_HOSTS = 3;

	private final Adapter adapter;

	private final TlsNioEndpoint endpoint;

	TlsRequestAdapter(Adapter adapter, TlsNioEndpoint endpoint) {
		this.adapter = adapter;
		this.endpoint = endpoint;
	}

	@Override
	public void service(Request request, Response response) throws Exception {
		TlsConnection connection = TlsConnection.of(request.getServletConnection());
		if (connection == null && this.endpoint.isSSLEnabled()) {
			refuse(request, response, MISDIRECTED_REQUEST);
		}
		else if (connection == null || accept(connection, request, response)) {
			this.adapter.service(request, response);
		}
	}

	private boolean accept(TlsConnection connection, Request request, Response response) {
		ForwardedCertificates forwarded = this.endpoint.forwardedCertificates();
		ClientVerification clients = gate().clientsOfProxy(connection);
		if (forwarded != null) {
			forwarded.removeUnproven(request.getMimeHeaders(), clients != null);
		}
		describe(connection, request);
		boolean last = connection.hasEnded() && isLast(connection, request, response);
		String requested = gate().checksHosts() ? requestedHost(connection, request) : "";
		FailureReason refusal = gate().refusal(connection, last, requested, request.getMimeHeaders());
		if (refusal != null) {
			report(connection, refusal, request);
			refuse(request, response, MISDIRECTED_REQUEST);
			return false;
		}
		if (forwarded != null && clients != null && !forwarded.apply(connection, clients, request)) {
			refuse(request, response, BAD_REQUEST);
			return false;
		}
		return true;
	}

	private RequestGate gate() {
		return this.endpoint.gate();
	}

	private static void describe(TlsConnection connection, Request request) {
		NegotiatedTls negotiated = Objects.requireNonNull(connection.negotiated());
		request.setAttribute(TlsHttp11NioProtocol.GROUP_ATTRIBUTE, negotiated.exchange().group());
		request.setAttribute(TlsHttp11NioProtocol.RESUMED_ATTRIBUTE, negotiated.exchange().resumed());
		String serverName = connection.requestedName();
		if (serverName != null) {
			request.setAttribute(TlsHttp11NioProtocol.SERVER_NAME_ATTRIBUTE, serverName);
		}
		request.setAttribute(TlsHttp11NioProtocol.HOST_ATTRIBUTE, negotiated.host());
		request.setAttribute(TlsHttp11NioProtocol.CLIENT_VERIFIED_ATTRIBUTE,
				connection.hasVerifiedClient() && !connection.isProxy());
		if (negotiated.fingerprint() != null) {
			request.setAttribute(TlsHttp11NioProtocol.CLIENT_FINGERPRINT_ATTRIBUTE, negotiated.fingerprint());
		}
		ProxyHeader proxyHeader = connection.proxyHeader();
		if (proxyHeader != null && proxyHeader.uniqueId() != null) {
			request.setAttribute(TlsHttp11NioProtocol.UNIQUE_ID_ATTRIBUTE, proxyHeader.uniqueId());
		}
	}

	// Without a host, Tomcat would take the name of its default host, which can be the
	// name of another virtual host
	private static String requestedHost(TlsConnection connection, Request request) {
		String requested = request.serverName().toString();
		if (requested == null || requested.isEmpty()) {
			requested = connection.authority();
			request.serverName().setString(requested);
		}
		return requested;
	}

	// Returns false for a second request, if an application has removed the header, and
	// for requests that an HTTP/2 client sends after its connection should have ended
	private static boolean isLast(TlsConnection connection, Request request, Response response) {
		if (HTTP_2.equals(request.protocol().toString())) {
			return connection.goAway();
		}
		response.setHeader("Connection", "close");
		return connection.beginEnd();
	}

	private void report(TlsConnection connection, FailureReason reason, Request request) {
		String requested = (reason == FailureReason.MISDIRECTED_BY_HEADER)
				? ForwardedHosts.of(request.getMimeHeaders()).limit(MOST_SHOWN_HOSTS).collect(Collectors.joining(", "))
				: String.valueOf(request.serverName().toString());
		this.endpoint.handshakeCounters()
			.misdirected(connection.comesAndGoes() ? this.endpoint.getDefaultSSLHostConfigName() : connection.host());
		this.endpoint.requestReport()
			.add(connection,
					new FailedHandshake(reason, new RefusedHost(requested, connection.authority()), null, -1, null));
	}

	private void refuse(Request request, Response response, int status) {
		response.setStatus(status);
		response.setContentLength(0);
		this.adapter.log(request, response, 0);
	}

	@Override
	public boolean prepare(Request request, Response response) throws Exception {
		return this.adapter.prepare(request, response);
	}

	@Override
	public boolean asyncDispatch(Request request, Response response, SocketEvent status) throws Exception {
		return this.adapter.asyncDispatch(request, response, status);
	}

	@Override
	public void log(Request request, Response response, long time) {
		this.adapter.log(request, response, time);
	}

	@Override
	public void checkRecycled(Request request, Response response) {
		this.adapter.checkRecycled(request, response);
	}

	@Override
	public String getDomain() {
		return this.adapter.getDomain();
	}

	/**
	 * The host of a request that is refused.
	 *
	 * @param requested the host of the request, or the first ones of its forwarding
	 * headers
	 * @param served the host that the connection was made for
	 */
	private record RefusedHost(String requested, String served) {

		@Override
		public String toString() {
			return "'%s' on a connection for '%s'".formatted(ForeignText.of(this.requested),
					ForeignText.of(this.served));
		}

	}

}
