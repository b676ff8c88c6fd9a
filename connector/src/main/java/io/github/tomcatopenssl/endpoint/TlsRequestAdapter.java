// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.List;

import io.github.tomcatopenssl.host.ClientVerification;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.coyote.Adapter;
import org.apache.coyote.Request;
import org.apache.coyote.Response;
import org.apache.tomcat.util.http.MimeHeaders;
import org.apache.tomcat.util.net.SocketEvent;
import org.jspecify.annotations.Nullable;

/**
 * Gives a request the group of its connection as an attribute, in addition to Tomcat's
 * own attributes for protocol and cipher suite, the host of the connection, whether its
 * client was verified, and a proxy's identifier of the connection. It answers a request
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

	/**
	 * Maximum number of hosts in forwarding headers. No request passes through as many
	 * proxies, and each host costs time.
	 */
	private static final int MOST_FORWARDED_HOSTS = 100;

	private static final Log logger = LogFactory.getLog(TlsRequestAdapter.class);

	private final Adapter adapter;

	private final TlsNioEndpoint endpoint;

	TlsRequestAdapter(Adapter adapter, TlsNioEndpoint endpoint) {
		this.adapter = adapter;
		this.endpoint = endpoint;
	}

	@Override
	public void service(Request request, Response response) throws Exception {
		TlsConnection connection = TlsConnection.of(request.getServletConnection());
		ForwardedCertificates forwarded = this.endpoint.forwardedCertificates();
		ClientVerification clients = (forwarded != null) ? this.endpoint.clientsOfProxy(connection) : null;
		if (forwarded != null) {
			forwarded.removeUnproven(request.getMimeHeaders(), clients != null);
		}
		NegotiatedTls negotiated = (connection != null) ? connection.negotiated() : null;
		if (connection != null && negotiated != null) {
			request.setAttribute(TlsHttp11NioProtocol.GROUP_ATTRIBUTE, negotiated.exchange().group());
			request.setAttribute(TlsHttp11NioProtocol.HOST_ATTRIBUTE, negotiated.host());
			request.setAttribute(TlsHttp11NioProtocol.CLIENT_VERIFIED_ATTRIBUTE,
					connection.hasVerifiedClient() && !connection.isProxy());
		}
		ProxyHeader proxyHeader = (connection != null) ? connection.proxyHeader() : null;
		if (proxyHeader != null && proxyHeader.uniqueId() != null) {
			request.setAttribute(TlsHttp11NioProtocol.UNIQUE_ID_ATTRIBUTE, proxyHeader.uniqueId());
		}
		// What a proxy says is not believed even for a last request
		if (connection != null && connection.hasEnded()
				&& (!isLast(connection, request, response) || connection.isProxy())) {
			refuse(request, response, MISDIRECTED_REQUEST);
			return;
		}
		boolean verified = connection == null || !this.endpoint.lacksCertificate(connection);
		if (!verified || this.endpoint.checksHosts() && !isServed(connection, request)) {
			logger.debug("The connection was not made for the requested host '%s'".formatted(request.serverName()));
			refuse(request, response, MISDIRECTED_REQUEST);
			return;
		}
		if (connection != null && forwarded != null && clients != null
				&& !forwarded.apply(connection, clients, request)) {
			refuse(request, response, BAD_REQUEST);
			return;
		}
		this.adapter.service(request, response);
	}

	// Returns false for a second request, if an application has removed the header, and
	// for the requests of an HTTP/2 client that goes on and on
	private static boolean isLast(TlsConnection connection, Request request, Response response) {
		if (HTTP_2.equals(request.protocol().toString())) {
			return connection.goAway();
		}
		response.setHeader("Connection", "close");
		return connection.beginEnd();
	}

	private void refuse(Request request, Response response, int status) {
		response.setStatus(status);
		response.setContentLength(0);
		this.adapter.log(request, response, 0);
	}

	private boolean isServed(@Nullable TlsConnection connection, Request request) {
		if (connection == null) {
			return false;
		}
		String requested = request.serverName().toString();
		if (requested == null || requested.isEmpty()) {
			// Tomcat would take the name of its default host, which can be the name of
			// another virtual host
			requested = connection.authority();
			request.serverName().setString(requested);
		}
		return this.endpoint.serves(connection, requested)
				&& (!this.endpoint.verifiesClients() || isServedAsForwarded(connection, request.getMimeHeaders()));
	}

	private boolean isServedAsForwarded(TlsConnection connection, MimeHeaders headers) {
		List<String> hosts = ForwardedHosts.of(headers).limit(MOST_FORWARDED_HOSTS + 1).toList();
		return hosts.size() <= MOST_FORWARDED_HOSTS && ForwardedHosts.keepHost(headers)
				&& hosts.stream().allMatch((host) -> this.endpoint.servesForwarded(connection, host));
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

}
