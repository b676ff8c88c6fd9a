// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.logging.LogRecord;

import io.github.tomcatopenssl.internal.engine.Engine;
import io.github.tomcatopenssl.test.CapturedLog;
import io.github.tomcatopenssl.test.ClientVerifier;
import io.github.tomcatopenssl.test.Http;
import io.github.tomcatopenssl.test.TestCertificates;
import io.github.tomcatopenssl.test.tls.RawClientHello;
import io.github.tomcatopenssl.test.tls.RawTlsClient;
import io.github.tomcatopenssl.test.tls.TlsVersion;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests that strangers cannot write into the log.
 */
class HostileLogTests extends AbstractEngineTests {

	@RegisterExtension
	private final CapturedLog log = new CapturedLog();

	/**
	 * Also not with the loggers of Tomcat, which log what is thrown.
	 */
	@ParameterizedTest
	@EnumSource
	void whenClientsNameWhatTheyLikeThenNoLineIsTheirs(Engine engine) throws Exception {
		TestCertificates certificates = TestCertificates.get();
		String forged = "a\nFORGED\rFORGED\u2028FORGED\u202eFORGED";
		if (!Files.exists(certificates.file("forger.crt"))) {
			certificates.openssl("req", "-x509", "-utf8", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
					"-nodes", "-subj", "/CN=" + forged, "-keyout", "forger.key", "-out", "forger.crt");
		}
		SSLHostConfig host = ConnectorServer.verifying(ConnectorServer.host("p256"), "required", "ca.crt");
		host.setTrustManagerClassName(TalkativeTrustManager.class.getName());
		try (ConnectorServer server = new ConnectorServer(engine).start(ConnectorServer.settings(), host)) {
			this.log.all();
			for (String version : List.of("-tls1_2", "-tls1_3")) {
				assertThat(server.connectAs("forger", version).isServed()).isFalse();
			}
			for (RawClientHello hello : List.of(RawClientHello.tls12(Http.HTTP_1_1),
					RawClientHello.tls13(Http.HTTP_1_1))) {
				try (RawTlsClient client = TlsVersion.TLS_1_3.connect(server.port(), Http.HTTP_1_1)) {
					client.send(hello.serverName("a\nFORGED\rFORGED").record());
					client.outcome();
				}
			}
		}
		assertThat(this.log.records()).filteredOn((record) -> record.getMessage().contains("FORGED"))
			.filteredOn((record) -> record.getLoggerName().equals(FailureReport.class.getName()))
			.hasSizeGreaterThanOrEqualTo(3);
		assertThat(this.log.records()).allSatisfy((record) -> {
			StringWriter written = new StringWriter();
			written.write(record.getMessage());
			if (record.getThrown() != null) {
				record.getThrown().printStackTrace(new PrintWriter(written));
			}
			assertThat(written.toString()).doesNotContainPattern("[\n\r\u2028\u202e]FORGED");
		});
		assertThat(this.log.records())
			.filteredOn((record) -> record.getLoggerName().startsWith("io.github.tomcatopenssl"))
			.allSatisfy((record) -> assertThat(record.getThrown()).isNull());
	}

	@ParameterizedTest
	@EnumSource
	void whenClientsAreHostileThenOnlyReasonsAreLoggedOnce(Engine engine) throws Exception {
		assertServes(engine);
		this.log.records().clear();
		for (HostileCase hostile : HostileCase.all()) {
			try (RawTlsClient client = hostile.connect(port(engine))) {
				hostile.attack().run(client);
				client.shutdownOutput();
				client.outcome();
			}
		}
		for (RawClientHello hello : List.of(RawClientHello.tls13(Http.H2).padded(15_000),
				RawClientHello.tls13(Http.H2).padded(1 << 14))) {
			try (RawTlsClient client = TlsVersion.TLS_1_3.connect(port(engine), Http.H2)) {
				client.send(hello.records(1 << 14));
				client.shutdownOutput();
				client.outcome();
			}
		}
		assertServes(engine);
		assertThat(this.log.records()).isNotEmpty()
			.allSatisfy((record) -> assertThat(record.getThrown()).isNull())
			.extracting(LogRecord::getMessage)
			.allSatisfy((line) -> assertThat(line).containsPattern("^A handshake on port \\d+ failed: [a-z ]+\\. "))
			.doesNotHaveDuplicates();
	}

	/**
	 * Repeats what the client says.
	 */
	public static final class TalkativeTrustManager implements ClientVerifier {

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
			throw new CertificateException(
					"'%s' is not known here".formatted(chain[0].getIssuerX500Principal().getName()));
		}

	}

}
