// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.List;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * Opens connections until there is no direct memory for another one, which the JVM that
 * runs it has to have little of, and tells what becomes of them.
 */
public final class CrowdedApplication {

	public static final String SERVED = "crowded: served";

	private static final int MOST = 2000;

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
		List<SSLSocket> open = openAll(client, port);
		for (SSLSocket socket : open) {
			JavaClient.get(socket, "/hello");
			socket.close();
		}
		for (int i = 0; i < open.size(); i++) {
			try (SSLSocket socket = connect(client, port)) {
				JavaClient.get(socket, "/hello");
			}
		}
		System.out.println(SERVED);
	}

	private static List<SSLSocket> openAll(SSLContext client, int port) throws IOException {
		List<SSLSocket> open = new ArrayList<>();
		int refused = 0;
		while (refused < 5) {
			try {
				open.add(connect(client, port));
			}
			catch (SocketTimeoutException ex) {
				throw ex;
			}
			catch (IOException ex) {
				refused++;
			}
			if (open.size() == MOST) {
				throw new IOException("There is memory for all");
			}
		}
		return open;
	}

	private static SSLSocket connect(SSLContext client, int port) throws IOException {
		SSLSocket socket = (SSLSocket) client.getSocketFactory().createSocket("localhost", port);
		socket.setSoTimeout(10_000);
		socket.startHandshake();
		return socket;
	}

}
