// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.github.tomcatopenssl.internal.engine.Engine;
import io.github.tomcatopenssl.test.Http;
import io.github.tomcatopenssl.test.TestCertificates;
import io.github.tomcatopenssl.test.TlsClient.Handshake;
import io.github.tomcatopenssl.test.tls.Outcome;
import io.github.tomcatopenssl.test.tls.RawTlsClient;
import io.github.tomcatopenssl.test.tls.TlsVersion;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of what a client may offer in its handshake.
 */
@Tag("servers")
class HandshakeLimitTests {

	private static final int DISTRIBUTION_POINTS = 4500;

	private final TestCertificates certificates = TestCertificates.get();

	/**
	 * Of a certificate with thousands of relative distribution points, each of which
	 * OpenSSL before 3.5.9 gives a copy of the name of the issuer (CVE-2026-35189).
	 */
	@ParameterizedTest
	@EnumSource
	void whenClientCertificateIsTooLargeThenIsRefusedBeforeItIsRead(Engine engine) throws Exception {
		String points = IntStream.range(0, DISTRIBUTION_POINTS)
			.mapToObj((i) -> "p" + i)
			.collect(Collectors.joining(","));
		String sections = IntStream.range(0, DISTRIBUTION_POINTS)
			.mapToObj((i) -> "[p%d]\nrelativename=name%d\n[name%d]\nCN=%d".formatted(i, i, i, i))
			.collect(Collectors.joining("\n"));
		issue("large", "crlDistributionPoints=" + points + "\n" + sections);
		issue("usual", "extendedKeyUsage=clientAuth");
		assertThat(Files.size(this.certificates.file("large.crt"))).isBetween(90_000L, 130_000L);
		SSLHostConfig host = ConnectorServer.verifying(ConnectorServer.host("p256"), "required", "ca.crt");
		try (ConnectorServer server = new ConnectorServer(engine).start(ConnectorServer.settings(), host)) {
			assertThat(server.connectAs("usual", "-tls1_3").isServed()).isTrue();
			long before = residentMemory();
			for (int i = 0; i < 10; i++) {
				for (String version : new String[] { "-tls1_2", "-tls1_3" }) {
					Handshake refused = server.connectAs("large", version);
					assertThat(refused.isServed()).isFalse();
				}
			}
			assertThat(residentMemory() - before).isLessThan(100_000);
			assertThat(server.connectAs("usual", "-tls1_2").isServed()).isTrue();
			Awaitility.await()
				.untilAsserted(() -> assertThat(server.failedHandshakes()).isEqualTo(Map.of("too large", 20L)));
		}
	}

	private void issue(String name, String extensions) {
		this.certificates.issue("ca", name, extensions, "20250101000000Z", "20980101000000Z");
	}

	// In KB. Nothing is told where there is no such file
	private static long residentMemory() throws IOException {
		Path status = Path.of("/proc/self/status");
		return !Files.exists(status) ? 0
				: Files.readAllLines(status)
					.stream()
					.filter((line) -> line.startsWith("RssAnon:"))
					.mapToLong((line) -> Long.parseLong(line.replaceAll("\\D", "")))
					.sum();
	}

	@ParameterizedTest
	@EnumSource
	void whenHttp2IsOffThenClientsThatSpeakNothingElseAreRefused(Engine engine) throws Exception {
		try (ConnectorServer server = new ConnectorServer(engine).start()) {
			try (RawTlsClient client = TlsVersion.TLS_1_3.connect(server.port(), Http.H2)) {
				client.send(client.hello().record());
				Outcome outcome = client.outcome();
				assertThat(outcome).matches(Outcome::isClosed, "is closed");
				assertThat(outcome.alert()).hasValueSatisfying((alert) -> assertThat(alert.isAlert(120)).isTrue());
			}
			try (RawTlsClient client = TlsVersion.TLS_1_3.connect(server.port(), Http.HTTP_1_1)) {
				client.completeHandshake();
				client.send(client.request());
				assertThat(client.answers(1).answers()).isOne();
			}
		}
	}

}
