// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.net.SocketException;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.SettingText;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.host.HostNames;
import org.apache.catalina.connector.Connector;
import org.apache.coyote.Adapter;
import org.apache.coyote.Request;
import org.apache.coyote.Response;
import org.apache.coyote.http11.AbstractHttp11Protocol;
import org.apache.coyote.http11.Http11NioProtocol;
import org.apache.juli.logging.Log;
import org.apache.juli.logging.LogFactory;
import org.apache.tomcat.util.net.SocketEvent;
import org.jspecify.annotations.Nullable;

/**
 * A protocol that redirects HTTP to a connector that serves TLS, with the status 308 (RFC
 * 9110, 15.4.9). It answers in place of Tomcat's adapter, so that requests reach neither
 * valves nor applications. A connection serves one request, whose body is not read.
 */
final class HttpRedirectProtocol extends Http11NioProtocol {

	/**
	 * Number of threads. They never wait for a client.
	 */
	private static final int THREADS = 2;

	/**
	 * Size of the buffers of each connection, in bytes: most requests fit.
	 */
	private static final String BUFFER = "1024";

	/**
	 * Maximum number of bytes of a response besides the path of the request: its other
	 * headers, and a host name.
	 */
	private static final int RESPONSE = 1024;

	/**
	 * Maximum length of an answer, in characters. It fits into the buffer of a socket, so
	 * that no thread waits for a client that does not read.
	 */
	private static final int LONGEST_LOCATION = 8 * 1024;

	private static final int HTTP_PORT = 80;

	private static final int HTTPS_PORT = 443;

	private static final Log logger = LogFactory.getLog(HttpRedirectProtocol.class);

	private final Connector target;

	/**
	 * Create a new instance.
	 * @param target the connector that serves TLS, whose address and limits apply
	 */
	HttpRedirectProtocol(Connector target) {
		this.target = target;
		AbstractHttp11Protocol<?> limits = TlsConnectors.protocol(target);
		setAddress(limits.getAddress());
		setAcceptCount(limits.getAcceptCount());
		setMaxConnections(limits.getMaxConnections());
		setConnectionTimeout(limits.getConnectionTimeout());
		setMaxHeaderCount(limits.getMaxHeaderCount());
		setMaxHttpRequestHeaderSize(limits.getMaxHttpRequestHeaderSize());
		setMaxHttpResponseHeaderSize(limits.getMaxHttpRequestHeaderSize() + RESPONSE);
		setMaxKeepAliveRequests(1);
		setMinSpareThreads(1);
		setMaxThreads(THREADS);
		setProperty("socket.appReadBufSize", BUFFER);
		setProperty("socket.appWriteBufSize", BUFFER);
	}

	@Override
	public void setAdapter(Adapter adapter) {
		super.setAdapter(new RedirectAdapter(adapter));
	}

	@Override
	public void start() throws Exception {
		try {
			super.start();
		}
		catch (SocketException ex) {
			throw new TlsSettingException(SettingName.HTTP_REDIRECT_PORT,
					new SettingText("the server cannot listen on port %d: %s", getPort(), ex.getMessage()),
					new SettingText(
							"Set %s to a port that is free, and from 1024 on if the user may not listen on lower ones",
							SettingName.HTTP_REDIRECT_PORT),
					ex);
		}
		logger.info(
				"Port %d redirects HTTP to HTTPS on port %d, or 443 if clients know it by another number, such as behind a load balancer"
					.formatted(getLocalPort(), this.target.getLocalPort()));
	}

	private @Nullable String location(Request request) {
		String host = request.serverName().toString();
		String path = request.requestURI().toString();
		String query = request.queryString().toString();
		if (host == null || HostNames.canonical(host).isEmpty() || path == null || !path.startsWith("/")) {
			return null;
		}
		int port = httpsPort(request.getServerPort());
		String location = "https://" + host + ((port != HTTPS_PORT) ? ":" + port : "") + path
				+ ((query != null) ? "?" + query : "");
		return (location.length() <= LONGEST_LOCATION) ? location : null;
	}

	// A client that has connected to this port itself can do the same with that of TLS.
	// For others, a load balancer or a container maps the ports
	private int httpsPort(int requested) {
		boolean direct = ((requested > 0) ? requested : HTTP_PORT) == getLocalPort();
		return direct ? this.target.getLocalPort() : HTTPS_PORT;
	}

	private final class RedirectAdapter implements Adapter {

		private static final int OK = 200;

		private static final int PERMANENT_REDIRECT = 308;

		private static final int BAD_REQUEST = 400;

		private final Adapter adapter;

		private RedirectAdapter(Adapter adapter) {
			this.adapter = adapter;
		}

		@Override
		public void service(Request request, Response response) {
			// Tomcat does not read the body of such a request if it is not accepted
			request.setExpectation(true);
			response.setContentLength(0);
			// Otherwise Tomcat has refused the request
			if (response.getStatus() == OK) {
				String location = location(request);
				response.setStatus((location != null) ? PERMANENT_REDIRECT : BAD_REQUEST);
				if (location != null) {
					response.setHeader("Location", location);
				}
			}
		}

		@Override
		public boolean prepare(Request request, Response response) {
			return false;
		}

		@Override
		public boolean asyncDispatch(Request request, Response response, SocketEvent status) {
			return false;
		}

		@Override
		public void log(Request request, Response response, long time) {
		}

		@Override
		public void checkRecycled(Request request, Response response) {
		}

		@Override
		public String getDomain() {
			return this.adapter.getDomain();
		}

	}

}
