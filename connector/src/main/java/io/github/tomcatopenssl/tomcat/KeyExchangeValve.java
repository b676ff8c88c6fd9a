// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat;

import java.io.IOException;

import jakarta.servlet.ServletException;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.valves.ValveBase;

/**
 * Sets the group of the TLS connection as a request attribute, beside Tomcat's own
 * attributes for protocol and cipher suite.
 */
public class KeyExchangeValve extends ValveBase {

	/**
	 * Name of the attribute. Its value is that of {@code KeyExchange.group()}.
	 */
	public static final String GROUP_ATTRIBUTE = "io.github.tomcatopenssl.tls.group";

	/**
	 * Create a new valve.
	 */
	public KeyExchangeValve() {
		super(true);
	}

	@Override
	public void invoke(Request request, Response response) throws IOException, ServletException {
		TlsConnection connection = TlsConnection.of(request.getServletConnection());
		if (connection != null && connection.group() != null) {
			request.setAttribute(GROUP_ATTRIBUTE, connection.group());
		}
		getNext().invoke(request, response);
	}

}
