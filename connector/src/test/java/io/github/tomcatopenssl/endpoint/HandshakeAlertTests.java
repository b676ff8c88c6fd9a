// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLException;

import io.github.tomcatopenssl.FipsMode;
import io.github.tomcatopenssl.LibrarySource;
import io.github.tomcatopenssl.library.TomcatNativeLoader;
import io.github.tomcatopenssl.test.JavaClient;
import io.github.tomcatopenssl.test.Provided;
import io.github.tomcatopenssl.test.TestCertificates;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.SSLHostConfigCertificate.Type;
import org.apache.tomcat.util.net.SSLUtil;
import org.apache.tomcat.util.net.openssl.OpenSSLImplementation;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests how the end of a failed handshake is told from that of others, with engines that
 * Tomcat has created ({@link TlsRecords#endsWithAlert}).
 */
@Tag("servers")
class HandshakeAlertTests {

	@BeforeAll
	static void load() {
		assertThat(new TomcatNativeLoader(LibrarySource.SYSTEM, Provided.tomcatNative(), null, FipsMode.OFF).status()
			.available()).isTrue();
	}

	@ParameterizedTest
	@CsvSource({ "TLSv1.2, none, true", "TLSv1.3, none, true", "TLSv1.2, required, true", "TLSv1.3, required, true",
			"TLSv1.2, required, false", "TLSv1.3, required, false" })
	void whenHandshakeFailsThenItsLastRecordIsAnAlert(String version, String verification, boolean certificate)
			throws Exception {
		SSLContext context = SSLContext.getInstance("TLS");
		JavaClient.Managers managers = JavaClient.managers("client", "p256.crt");
		context.init(certificate ? managers.key() : null, managers.trust(), null);
		SSLEngine client = context.createSSLEngine("localhost", 443);
		client.setUseClientMode(true);
		client.setEnabledProtocols(new String[] { version });
		List<Boolean> alerts = shakeHands(client, createEngine(verification));
		boolean fails = verification.equals("required") && !certificate;
		assertThat(alerts.subList(0, alerts.size() - 1)).containsOnly(false);
		assertThat(alerts.get(alerts.size() - 1)).isEqualTo(fails);
	}

	@Test
	void whenBytesStartWithinARecordThenNoAlertIsFound() {
		for (byte[] bytes : new byte[][] { { 21, 3, 3, 0, 2, 2 }, { 21, 3, 3, 0, 2, 2, 40, 1 },
				{ 21, 9, 9, 0, 2, 2, 4, 0 }, { 1, 2, 3 }, {} }) {
			assertThat(TlsRecords.endsWithAlert(ByteBuffer.wrap(bytes))).isFalse();
		}
		assertThat(TlsRecords.endsWithAlert(ByteBuffer.wrap(TlsRecords.fatalAlert(40)))).isTrue();
	}

	// As Tomcat's endpoint does
	private static SSLEngine createEngine(String verification) throws Exception {
		SSLHostConfig host = new SSLHostConfig();
		host.setCertificateVerification(verification);
		host.setCaCertificateFile(TestCertificates.get().file("ca.crt").toString());
		SSLHostConfigCertificate certificate = new SSLHostConfigCertificate(host, Type.EC);
		certificate.setCertificateFile(TestCertificates.get().file("p256.crt").toString());
		certificate.setCertificateKeyFile(TestCertificates.get().file("p256.key").toString());
		SSLUtil util = new OpenSSLImplementation().getSSLUtil(certificate);
		host.setEnabledProtocols(util.getEnabledProtocols());
		host.setEnabledCiphers(util.getEnabledCiphers());
		SSLEngine engine = util.createSSLContext(List.of()).createSSLEngine();
		engine.setUseClientMode(false);
		return engine;
	}

	// Returns, for all that the server has sent at once, whether it ends with an alert
	private static List<Boolean> shakeHands(SSLEngine client, SSLEngine server) throws Exception {
		List<Boolean> alerts = new ArrayList<>();
		client.beginHandshake();
		server.beginHandshake();
		ByteBuffer toServer = ByteBuffer.allocate(40_000);
		ByteBuffer toClient = ByteBuffer.allocate(40_000);
		RecordReader reader = new RecordReader(new RecordBudget());
		HandshakeStatus status = HandshakeStatus.NEED_UNWRAP;
		while (status == HandshakeStatus.NEED_UNWRAP || status == HandshakeStatus.NEED_WRAP) {
			advance(client, toClient, toServer);
			if (status == HandshakeStatus.NEED_UNWRAP) {
				status = reader.unwrapHandshake(server, toServer.flip(), ByteBuffer.allocate(1 << 15))
					.getHandshakeStatus();
				toServer.compact();
			}
			else {
				ByteBuffer out = ByteBuffer.allocate(40_000);
				SSLEngineResult result = RecordWriter.wrap(server, new ByteBuffer[] { ByteBuffer.allocate(0) }, 0, 1,
						out);
				alerts.add(TlsRecords.endsWithAlert(out));
				toClient.put(out);
				status = result.getHandshakeStatus();
			}
		}
		return alerts;
	}

	private static void advance(SSLEngine client, ByteBuffer in, ByteBuffer out) throws SSLException {
		for (int i = 0; i < 20; i++) {
			switch (client.getHandshakeStatus()) {
				case NEED_TASK -> client.getDelegatedTask().run();
				case NEED_WRAP -> client.wrap(ByteBuffer.allocate(0), out);
				default -> {
					client.unwrap(in.flip(), ByteBuffer.allocate(1 << 15));
					in.compact();
				}
			}
		}
	}

}
