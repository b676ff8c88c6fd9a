// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test;

import java.io.IOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslManagerBundle;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;

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
	public JavaClient(SslManagerBundle managers) {
		this.sockets = managers.createSslContext("TLS").getSocketFactory();
	}

	/**
	 * Create a client that has a certificate.
	 * @param name the name of its certificate
	 * @param trusted the name of the certificate that it trusts
	 */
	public static JavaClient as(String name, String trusted) {
		return new JavaClient(managers(name, trusted));
	}

	/**
	 * Read the certificates of clients, whose key takes milliseconds to read.
	 * @param name the name of their certificate
	 * @param trusted the name of the certificate that they trust
	 * @return the certificates
	 */
	public static SslManagerBundle managers(String name, String trusted) {
		TestCertificates certificates = TestCertificates.get();
		PemSslStoreDetails key = PemSslStoreDetails.forCertificate(certificates.read(name + ".crt"))
			.withPrivateKey(certificates.read(name + ".key"));
		PemSslStoreDetails trust = PemSslStoreDetails.forCertificate(certificates.read(trusted));
		SslManagerBundle managers = SslBundle.of(new PemSslStoreBundle(key, trust)).getManagers();
		return SslManagerBundle.of(managers.getKeyManagerFactory(), managers.getTrustManagerFactory());
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

}
