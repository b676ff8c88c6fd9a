// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test;

import java.io.IOException;
import java.net.SocketTimeoutException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * Opens connections until there is no direct memory for another one, and reports what
 * happens to them. It needs a JVM with little direct memory.
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
		// The client takes of the same memory, and has what it needs from now on
		ask(connect(client, port));
		List<SSLSocket> open = openAll(client, port);
		List<Callable<SSLSocket>> connections = new ArrayList<>();
		open.forEach((socket) -> connections.add(() -> socket));
		requireMostServed(connections);
		requireMostServed(Collections.nCopies(open.size(), () -> connect(client, port)));
		System.out.println(SERVED);
	}

	// Some are ended: where two are served at once, there may be no memory for the second
	private static void requireMostServed(List<Callable<SSLSocket>> connections) throws IOException {
		int ended = 0;
		for (Callable<SSLSocket> connection : connections) {
			try {
				ask(connection.call());
			}
			catch (SocketTimeoutException ex) {
				throw ex;
			}
			catch (IOException ex) {
				ended++;
			}
			catch (Exception ex) {
				throw new IllegalStateException(ex);
			}
		}
		if (ended > connections.size() / 10) {
			throw new IOException("%d of %d were ended".formatted(ended, connections.size()));
		}
	}

	private static void ask(SSLSocket socket) throws IOException {
		try (socket) {
			JavaClient.get(socket, "/hello");
		}
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
