// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.Map;

import javax.net.ssl.SSLSession;

import org.apache.tomcat.util.net.jsse.JSSESupport;

/**
 * What a request can ask about the TLS of its connection. Tomcat creates it for each
 * request, and most requests ask for nothing: what the client has offered is formatted
 * when a request asks for it.
 */
final class ConnectionSupport extends JSSESupport {

	private final RequestedSuites requested;

	ConnectionSupport(SSLSession session, RequestedSuites requested) {
		super(session, Map.of());
		this.requested = requested;
	}

	@Override
	public String getRequestedProtocols() {
		return String.join(",", this.requested.versionNames());
	}

	@Override
	public String getRequestedCiphers() {
		return String.join(",", this.requested.suiteNames());
	}

}
