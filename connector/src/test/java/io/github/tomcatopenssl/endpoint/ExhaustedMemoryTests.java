// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.BufferedReader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import io.github.tomcatopenssl.internal.engine.Engine;
import io.github.tomcatopenssl.test.Http;
import io.github.tomcatopenssl.test.Provided;
import io.github.tomcatopenssl.test.tls.RawClientHello;
import io.github.tomcatopenssl.test.tls.RawTlsClient;
import io.github.tomcatopenssl.test.tls.TlsVersion;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static io.github.tomcatopenssl.test.tls.TlsBytes.vector;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of a server, in a JVM of its own, whose application takes all direct memory
 * before the first connection.
 */
@Tag("forked")
public class ExhaustedMemoryTests {

	private static final int CLIENTS = 20;

	@Test
	void whenDirectMemoryIsExhaustedThenConnectionsAreStillServed() throws Exception {
		Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
				"-XX:MaxDirectMemorySize=4m", "-Dtcnative.directory=" + Provided.tomcatNative().getParent(),
				"-Djava.io.tmpdir=" + System.getProperty("java.io.tmpdir"), "-cp",
				System.getProperty("java.class.path"), Server.class.getName())
			.redirectError(ProcessBuilder.Redirect.INHERIT)
			.start();
		List<RawTlsClient> clients = new ArrayList<>();
		try (BufferedReader output = process.inputReader()) {
			int port = Integer.parseInt(output.readLine());
			for (int i = 0; i < CLIENTS; i++) {
				clients.add(TlsVersion.values()[i % 2].connect(port, Http.HTTP_1_1));
			}
			for (RawTlsClient client : clients) {
				refuse(port);
				client.completeHandshake();
				client.send(client.request());
				assertThat(client.answers(1).answers()).isOne();
			}
		}
		finally {
			for (RawTlsClient client : clients) {
				client.close();
			}
			process.destroy();
			process.waitFor();
		}
	}

	private static void refuse(int port) throws Exception {
		try (RawTlsClient client = TlsVersion.TLS_1_3.connect(port, Http.HTTP_1_1)) {
			byte[] unknown = vector(2, vector(1, "unknown".getBytes(StandardCharsets.US_ASCII)));
			client.send(client.hello().extension(RawClientHello.ALPN, unknown).record());
			assertThat(client.outcome().alert()).isPresent();
		}
	}

	/**
	 * The server.
	 */
	public static final class Server {

		private static final List<ByteBuffer> taken = new ArrayList<>();

		private Server() {
		}

		public static void main(String[] arguments) {
			ConnectorServer server = new ConnectorServer(Engine.OPENSSL).start();
			for (int size = 1024 * 1024; size >= 16 * 1024; size /= 2) {
				take(size);
			}
			System.out.println(server.port());
		}

		private static void take(int size) {
			try {
				while (true) {
					taken.add(ByteBuffer.allocateDirect(size));
				}
			}
			catch (OutOfMemoryError ex) {
				// All of this size are taken
			}
		}

	}

}
