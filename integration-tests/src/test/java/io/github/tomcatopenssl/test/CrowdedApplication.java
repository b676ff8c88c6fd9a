// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * Opens many connections at once, and then has each of them served. It needs a JVM with
 * less direct memory than a buffer for each of them takes.
 */
public final class CrowdedApplication {

	public static final String SERVED = "crowded: served";

	private static final int CONNECTIONS = 500;

	private CrowdedApplication() {
	}

	/**
	 * Start the application, and end the JVM.
	 * @param arguments the arguments of the application
	 * @throws Exception if it does not start, or does not serve
	 */
	public static void main(String[] arguments) throws Exception {
		ForkedApplication.serve(arguments, CrowdedApplication::crowd);
	}

	private static void crowd(SSLContext client, int port) throws IOException {
		List<SSLSocket> open = new ArrayList<>();
		for (int i = 0; i < CONNECTIONS; i++) {
			open.add(connect(client, port));
		}
		for (SSLSocket socket : open) {
			try (socket) {
				JavaClient.get(socket, "/hello");
			}
		}
		System.out.println(SERVED);
	}

	private static SSLSocket connect(SSLContext client, int port) throws IOException {
		SSLSocket socket = (SSLSocket) client.getSocketFactory().createSocket("localhost", port);
		socket.setSoTimeout(10_000);
		socket.startHandshake();
		return socket;
	}

}
