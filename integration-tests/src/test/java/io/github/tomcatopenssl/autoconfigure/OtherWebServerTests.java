// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.List;

import io.github.tomcatopenssl.test.Provided;
import io.github.tomcatopenssl.test.TestCertificates;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TlsClient;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests of applications on Jetty or Netty.
 */
@ExtendWith(OutputCaptureExtension.class)
@Tag("servers")
class OtherWebServerTests {

	@ParameterizedTest
	@EnumSource
	void whenOpenSslIsWantedThenOtherServerServesAndOneWarningSaysSo(Server server, CapturedOutput output) {
		try (TestServer started = start(server, "when-available")) {
			assertThat(TlsClient.connect(started.port()).isServed()).isTrue();
		}
		assertThat(output).containsOnlyOnce("OpenSSL is not active")
			.contains("OpenSSL is not active: %s serves TLS, but only Tomcat can use OpenSSL for it. "
				.formatted(server.inMessages), "Add 'spring-boot-starter-tomcat'");
	}

	@ParameterizedTest
	@EnumSource
	void whenOpenSslIsRequiredThenOtherServerDoesNotStart(Server server, CapturedOutput output) {
		assertThatExceptionOfType(Exception.class).isThrownBy(() -> start(server, "always").close())
			.havingRootCause()
			.isInstanceOf(InvalidConfigurationPropertyValueException.class)
			.withMessageContaining("server.ssl.openssl.mode")
			.withMessageContaining(server.inMessages + " serves TLS, but only Tomcat can use OpenSSL for it");
		assertThat(output).contains("APPLICATION FAILED TO START", "Add 'spring-boot-starter-tomcat' and exclude");
	}

	private static TestServer start(Server server, String mode) {
		TestCertificates certificates = TestCertificates.get();
		List<String> properties = List.of("server.test.web-server=" + server.webServer,
				"server.ssl.certificate-file=" + certificates.file("p256.crt"),
				"server.ssl.certificate-key-file=" + certificates.file("p256.key"), "server.ssl.openssl.mode=" + mode,
				"server.ssl.openssl.library-path=" + Provided.tomcatNative());
		return TestServer.start(server.type, Object.class, properties);
	}

	/**
	 * Servers, and what messages call them.
	 */
	enum Server {

		JETTY("jetty", WebApplicationType.SERVLET, "a web server other than Tomcat"),

		NETTY("reactor.netty", WebApplicationType.REACTIVE, "Reactor Netty");

		private final String webServer;

		private final WebApplicationType type;

		private final String inMessages;

		Server(String webServer, WebApplicationType type, String inMessages) {
			this.webServer = webServer;
			this.type = type;
			this.inMessages = inMessages;
		}

	}

}
