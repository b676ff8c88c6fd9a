// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test;

import javax.net.ssl.SSLSocket;

/**
 * Starts an application, and sends one request.
 */
public final class RequestedApplication {

	private RequestedApplication() {
	}

	/**
	 * Start the application, and end the JVM.
	 * @param arguments the arguments of the application
	 * @throws Exception if it does not start, or does not serve
	 */
	public static void main(String[] arguments) throws Exception {
		ForkedApplication.serve(arguments, (client, port) -> {
			try (SSLSocket socket = (SSLSocket) client.getSocketFactory().createSocket("localhost", port)) {
				JavaClient.get(socket, "/hello");
			}
		});
	}

}
