// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;

import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;
import javax.net.ssl.TrustManager;

/**
 * A client that speaks HTTP/1.1 over a TLS socket of Java.
 */
public final class JavaClient {

	private final SSLSocketFactory sockets;

	/**
	 * Create a new instance.
	 * @param trusted the names of the certificates that it trusts
	 */
	public JavaClient(String... trusted) {
		try {
			SSLContext context = TestCertificates.get().trusting(trusted);
			this.sockets = context.getSocketFactory();
		}
		catch (IOException | GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Create a new instance, without sessions of others.
	 * @param managers its {@link #managers(String, String) certificates}
	 */
	public JavaClient(Managers managers) {
		try {
			SSLContext context = SSLContext.getInstance("TLS");
			context.init(managers.key(), managers.trust(), null);
			this.sockets = context.getSocketFactory();
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Read the certificates of clients, whose key takes milliseconds to read.
	 * @param name the name of their certificate
	 * @param trusted the name of the certificate that they trust
	 * @return the certificates
	 */
	public static Managers managers(String name, String trusted) {
		TestCertificates certificates = TestCertificates.get();
		try {
			return new Managers(certificates.keyManagers(name), certificates.trustManagers(trusted));
		}
		catch (IOException | GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	public SSLSocket connect(int port) throws IOException {
		return connect(new Socket("localhost", port));
	}

	public SSLSocket connect(Socket connection) throws IOException {
		connection.setSoTimeout(30_000);
		return (SSLSocket) this.sockets.createSocket(connection, "localhost", connection.getPort(), true);
	}

	/**
	 * Request a path on a connection of its own.
	 * @param port the port of the server
	 * @param path the path
	 * @return the response
	 */
	public String get(int port, String path) throws IOException {
		try (SSLSocket socket = connect(port)) {
			return get(socket, path);
		}
	}

	/**
	 * Request a path with the last request of a connection.
	 * @param socket the connection
	 * @param path the path
	 * @return the response
	 */
	public static String get(SSLSocket socket, String path) throws IOException {
		send(socket, path, "close");
		return new String(socket.getInputStream().readAllBytes(), StandardCharsets.US_ASCII);
	}

	public static void send(SSLSocket socket, String path, String connection) throws IOException {
		socket.getOutputStream()
			.write("GET %s HTTP/1.1\r\nHost: localhost\r\nConnection: %s\r\n\r\n".formatted(path, connection)
				.getBytes(StandardCharsets.US_ASCII));
	}

	/**
	 * What a client presents and trusts.
	 */
	public record Managers(KeyManager[] key, TrustManager[] trust) {

	}

}
