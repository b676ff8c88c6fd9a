// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test;

import java.io.IOException;
import java.io.InputStream;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

/**
 * Starts an application, asks it to renegotiate, and reports whether it does. Needs a JVM
 * of its own: JSSE reads the setting that makes it refuse only once, with the first
 * handshake of any server.
 */
public final class RenegotiatingApplication {

	public static final String REFUSED = "renegotiation: refused";

	private RenegotiatingApplication() {
	}

	/**
	 * Start the application, and end the JVM.
	 * @param arguments the arguments of the application
	 * @throws Exception if it does not start, or does not serve
	 */
	public static void main(String[] arguments) throws Exception {
		ForkedApplication.serve(arguments,
				(client, port) -> System.out.println(isRefused(client, port) ? REFUSED : "renegotiation: done"));
	}

	private static boolean isRefused(SSLContext client, int port) throws IOException {
		try (SSLSocket socket = (SSLSocket) client.getSocketFactory().createSocket("localhost", port)) {
			socket.setSoTimeout(30_000);
			socket.setEnabledProtocols(new String[] { "TLSv1.2" });
			socket.startHandshake();
			JavaClient.send(socket, "/hello", "keep-alive");
			readTo("hello", socket.getInputStream());
			try {
				socket.startHandshake();
				return JavaClient.get(socket, "/hello").isEmpty();
			}
			catch (IOException ex) {
				return true;
			}
		}
	}

	private static void readTo(String end, InputStream in) throws IOException {
		StringBuilder read = new StringBuilder();
		while (read.indexOf(end) == -1) {
			int next = in.read();
			if (next == -1) {
				throw new IOException("closed");
			}
			read.append((char) next);
		}
	}

}
