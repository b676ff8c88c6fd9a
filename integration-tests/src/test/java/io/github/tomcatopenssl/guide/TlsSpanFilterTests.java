// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.guide;

import java.io.File;
import java.util.List;
import java.util.stream.Stream;

import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.ForkedApplication;
import io.github.tomcatopenssl.test.RequestedApplication;
import io.github.tomcatopenssl.test.TestCertificates;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link TlsSpanFilter} with the Java agent of OpenTelemetry.
 */
@Tag("forked")
class TlsSpanFilterTests {

	@Test
	void whenAgentMakesASpanThenItHasTheConnection() {
		TestCertificates certificates = TestCertificates.get();
		String agent = Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
			.filter((path) -> path.contains("opentelemetry-javaagent"))
			.findFirst()
			.orElseThrow();
		Commands.Result result = ForkedApplication.run(RequestedApplication.class,
				List.of("-javaagent:" + agent, "-Dotel.traces.exporter=logging", "-Dotel.metrics.exporter=none",
						"-Dotel.logs.exporter=none"),
				"--spring.main.sources=" + TlsSpanFilter.class.getName(),
				"--server.ssl.certificate-file=" + certificates.file("p256.crt"),
				"--server.ssl.certificate-key-file=" + certificates.file("p256.key"),
				"--spring.ssl.bundle.pem.client.truststore.certificate=" + certificates.file("p256.crt"));
		assertThat(result).as(result.output()).returns(0, Commands.Result::status);
		assertThat(result.output().lines()).anySatisfy((line) -> assertThat(line).contains("LoggingSpanExporter",
				" SERVER ", "tls.cipher=TLS_AES_", "tls.curve=", "url.scheme=https"));
	}

}
