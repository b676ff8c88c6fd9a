// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;

import org.apache.tomcat.jni.SSL;

/**
 * Starts an application, opens connections to it and leaves them idle, and reports how
 * much memory of the process each of them takes.
 */
public final class ConnectedApplication {

	public static final String MEMORY = "kB for each connection: ";

	private static final int CONNECTIONS = 200;

	private ConnectedApplication() {
	}

	/**
	 * Start the application, and end the JVM.
	 * @param arguments the arguments of the application
	 * @throws Exception if it does not start, or a connection fails
	 */
	public static void main(String[] arguments) throws Exception {
		ForkedApplication.serve(arguments, ConnectedApplication::measure);
	}

	private static void measure(SSLContext client, int port) throws Exception {
		String seedFile = System.getProperty("seed-file");
		if (seedFile != null) {
			SSL.randSet(seedFile);
		}
		List<SSLSocket> sockets = new ArrayList<>();
		connect(client, port, sockets);
		long before = memory();
		connect(client, port, sockets);
		System.out.println(MEMORY + (memory() - before) / CONNECTIONS);
	}

	private static void connect(SSLContext client, int port, List<SSLSocket> sockets) throws IOException {
		for (int i = 0; i < CONNECTIONS; i++) {
			SSLSocket socket = (SSLSocket) client.getSocketFactory().createSocket("localhost", port);
			socket.setSoTimeout(5000);
			socket.startHandshake();
			sockets.add(socket);
		}
	}

	private static long memory() throws IOException {
		return Files.readAllLines(Path.of("/proc/self/status"))
			.stream()
			.filter((line) -> line.startsWith("VmData:"))
			.mapToLong((line) -> Long.parseLong(line.replaceAll("\\D", "")))
			.sum();
	}

}
