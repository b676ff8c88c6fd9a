// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat;

import java.io.IOException;
import java.nio.ByteBuffer;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;

import io.github.tomcatopenssl.test.AbstractTlsServerTests;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TestServer.Engine;
import io.github.tomcatopenssl.test.tls.TlsBytes;
import org.apache.catalina.connector.Connector;
import org.apache.tomcat.util.net.SSLContext;
import org.junit.jupiter.api.Test;

import org.springframework.boot.WebApplicationType;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

/**
 * Tests for {@link RecordWriter}, with an engine that Tomcat has created.
 */
class RecordWriterTests extends AbstractTlsServerTests {

	private static final int ALERT_RECORD = 5 + 2 + 1 + 16;

	RecordWriterTests() {
		super(WebApplicationType.SERVLET);
	}

	// As where another thread writes, while the one that reads has met a bad record
	@Test
	void whenEngineFailsBehindAnAlertThenTheAlertIsLeftToSend() throws Exception {
		try (TestServer server = start(Engine.OPENSSL, pem("p256"))) {
			SSLEngine engine = sslContext(server.connectors().get(0)).createSSLEngine();
			engine.setUseClientMode(false);
			shakeHands(engine);
			ByteBuffer bad = ByteBuffer.wrap(TlsBytes.record(TlsBytes.APPLICATION_DATA, new byte[64]));
			assertThatExceptionOfType(SSLException.class)
				.isThrownBy(() -> engine.unwrap(bad, ByteBuffer.allocate(1 << 15)));
			ByteBuffer[] data = { ByteBuffer.allocate(100) };
			ByteBuffer out = ByteBuffer.allocateDirect(40_000);
			assertThatIOException().isThrownBy(() -> RecordWriter.wrap(engine, data, 0, 1, out));
			assertThat(out.remaining()).isEqualTo(ALERT_RECORD);
		}
	}

	private static SSLContext sslContext(Connector connector) {
		return connector.findSslHostConfigs()[0].getCertificates().iterator().next().getSslContext();
	}

	private void shakeHands(SSLEngine server) throws Exception {
		SSLEngine client = certificates().trusting("p256.crt").createSSLEngine("localhost", 443);
		client.setUseClientMode(true);
		client.beginHandshake();
		server.beginHandshake();
		ByteBuffer toServer = ByteBuffer.allocate(40_000);
		ByteBuffer toClient = ByteBuffer.allocate(40_000);
		while (client.getHandshakeStatus() != HandshakeStatus.NOT_HANDSHAKING
				|| server.getHandshakeStatus() != HandshakeStatus.NOT_HANDSHAKING) {
			step(client, toClient, toServer);
			step(server, toServer, toClient);
		}
	}

	private static void step(SSLEngine engine, ByteBuffer in, ByteBuffer out) throws IOException {
		switch (engine.getHandshakeStatus()) {
			case NEED_TASK -> engine.getDelegatedTask().run();
			case NEED_WRAP -> engine.wrap(ByteBuffer.allocate(0), out);
			case NEED_UNWRAP -> {
				engine.unwrap(in.flip(), ByteBuffer.allocate(1 << 15));
				in.compact();
			}
			default -> {
			}
		}
	}

}
