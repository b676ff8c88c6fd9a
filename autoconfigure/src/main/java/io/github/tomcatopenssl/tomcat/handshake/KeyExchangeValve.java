// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat.handshake;

import java.io.IOException;
import java.util.function.Function;

import jakarta.servlet.ServletException;
import org.apache.catalina.connector.Connector;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;
import org.jspecify.annotations.Nullable;

/**
 * Gives requests over TLS the group of their connection as an attribute, next to Tomcat's
 * own for protocol and cipher suite.
 */
public class KeyExchangeValve extends ValveBase {

	/**
	 * The name of the attribute. Its value is that of {@code KeyExchange.group()}.
	 */
	public static final String GROUP_ATTRIBUTE = "io.github.tomcatopenssl.tls.group";

	private final Function<Connector, @Nullable Handshakes> handshakes;

	/**
	 * Create a new valve.
	 * @param handshakes finds the handshakes of a connector, if it serves TLS
	 */
	public KeyExchangeValve(Function<Connector, @Nullable Handshakes> handshakes) {
		super(true);
		this.handshakes = handshakes;
	}

	@Override
	public void invoke(Request request, Response response) throws IOException, ServletException {
		Handshakes handshakes = this.handshakes.apply(request.getConnector());
		if (handshakes != null) {
			String group = handshakes.group(request.getServletConnection().getConnectionId());
			if (group != null) {
				request.setAttribute(GROUP_ATTRIBUTE, group);
			}
		}
		getNext().invoke(request, response);
	}

}
