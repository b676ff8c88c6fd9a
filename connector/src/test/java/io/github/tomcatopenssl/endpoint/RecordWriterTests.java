// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;

import io.github.tomcatopenssl.FipsMode;
import io.github.tomcatopenssl.LibrarySource;
import io.github.tomcatopenssl.library.TomcatNativeLoader;
import io.github.tomcatopenssl.test.Provided;
import io.github.tomcatopenssl.test.TestCertificates;
import io.github.tomcatopenssl.test.tls.TlsBytes;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.SSLHostConfigCertificate.Type;
import org.apache.tomcat.util.net.SSLUtil;
import org.apache.tomcat.util.net.openssl.OpenSSLImplementation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIOException;

/**
 * Tests for {@link RecordWriter}, with an engine that Tomcat has created.
 */
@Tag("jdk")
@Tag("servers")
class RecordWriterTests {

	private static final int ALERT_RECORD = 5 + 2 + 1 + 16;

	// As where another thread writes, while the one that reads has met a bad record
	@Test
	void whenEngineFailsBehindAnAlertThenTheAlertIsLeftToSend() throws Exception {
		SSLEngine engine = createEngine();
		engine.setUseClientMode(false);
		completeHandshake(engine);
		ByteBuffer bad = ByteBuffer.wrap(TlsBytes.record(TlsBytes.APPLICATION_DATA, new byte[64]));
		assertThatExceptionOfType(SSLException.class)
			.isThrownBy(() -> engine.unwrap(bad, ByteBuffer.allocate(1 << 15)));
		ByteBuffer[] data = { ByteBuffer.allocate(100) };
		ByteBuffer out = ByteBuffer.allocateDirect(40_000);
		assertThatIOException().isThrownBy(() -> RecordWriter.wrap(engine, data, 0, 1, out));
		assertThat(out.remaining()).isEqualTo(ALERT_RECORD);
	}

	// As Tomcat's endpoint does
	private static SSLEngine createEngine() throws Exception {
		assertThat(new TomcatNativeLoader(LibrarySource.SYSTEM, Provided.tomcatNative(), null, FipsMode.OFF).status()
			.available()).isTrue();
		SSLHostConfig host = new SSLHostConfig();
		SSLHostConfigCertificate certificate = new SSLHostConfigCertificate(host, Type.EC);
		certificate.setCertificateFile(TestCertificates.get().file("p256.crt").toString());
		certificate.setCertificateKeyFile(TestCertificates.get().file("p256.key").toString());
		SSLUtil util = new OpenSSLImplementation().getSSLUtil(certificate);
		host.setEnabledProtocols(util.getEnabledProtocols());
		host.setEnabledCiphers(util.getEnabledCiphers());
		return util.createSSLContext(List.of()).createSSLEngine();
	}

	private static void completeHandshake(SSLEngine server) throws Exception {
		SSLEngine client = TestCertificates.get().trusting("p256.crt").createSSLEngine("localhost", 443);
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
