// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.nio.file.Path;
import java.util.Map;

import io.github.tomcatopenssl.TlsSettingException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.test.context.runner.WebApplicationContextRunner;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.tomcat.autoconfigure.servlet.TomcatServletWebServerAutoConfiguration;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.context.servlet.AnnotationConfigServletWebApplicationContext;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.boot.web.server.servlet.context.AnnotationConfigServletWebServerApplicationContext;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link MisplacedProperties}, and of what is logged of a server without TLS.
 */
@ExtendWith(OutputCaptureExtension.class)
class MisplacedPropertiesTests {

	private static final String LINE = "serves HTTP, because no certificate is set";

	// Tomcat leaves what it has created if its start is refused
	@TempDir
	private static Path folder;

	private final WebApplicationContextRunner runner = new WebApplicationContextRunner(
			AnnotationConfigServletWebServerApplicationContext::new)
		.withConfiguration(
				AutoConfigurations.of(CertificateFileAutoConfiguration.class, TomcatOpenSslAutoConfiguration.class,
						SslAutoConfiguration.class, TomcatServletWebServerAutoConfiguration.class))
		.withBean("folders", WebServerFactoryCustomizer.class,
				() -> (WebServerFactoryCustomizer<TomcatServletWebServerFactory>) (factory) -> {
					factory.setBaseDirectory(folder.toFile());
					factory.setDocumentRoot(folder.toFile());
				})
		.withPropertyValues("server.port=0");

	@ParameterizedTest
	@CsvSource({ "ssl.certificate-file, server.ssl.certificate-file",
			"ssl.certificateFile, server.ssl.certificate-file",
			"ssl.certificates[0].certificate-file, server.ssl.certificates[0].certificate-file",
			"ssl.development-certificate, server.ssl.development-certificate",
			"ssl.acme.domains, server.ssl.acme.domains", "server.tls.certificate-file, server.ssl.certificate-file",
			"server.tls.key-store, server.ssl.key-store", "server.tls.enabled, server.ssl.enabled",
			"server.tls.groups[1], server.ssl.groups[1]", "server.https.certificate, server.ssl.certificate",
			"server.tomcat.certificate-file, server.ssl.certificate-file",
			"server.tomcat.ssl.key-store, server.ssl.key-store",
			"spring.server.ssl.certificate-file, server.ssl.certificate-file",
			"spring.server.ssl.bundle, server.ssl.bundle", "spring.ssl.certificate-file, server.ssl.certificate-file",
			"spring.ssl.openssl.mode, server.ssl.openssl.mode",
			"management.ssl.certificate-file, management.server.ssl.certificate-file",
			"management.server.certificate-file, management.server.ssl.certificate-file",
			"management.server.tls.key-store, management.server.ssl.key-store",
			"spring.management.server.ssl.bundle, management.server.ssl.bundle" })
	void whenServerServesNoTlsThenIsRefused(String name, String meant, CapturedOutput output) {
		this.runner.withPropertyValues(name + "=x")
			.run((context) -> assertThat(context).getFailure()
				.rootCause()
				.isInstanceOf(TlsSettingException.class)
				.hasMessageStartingWith("'%s': it does not configure the web server (".formatted(name))
				.hasMessageContaining("Did you mean '%s'?".formatted(meant)));
		this.runner.withPropertyValues(name + "=x", "server.ssl.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).contains("'%s' (".formatted(name))
			.contains("does not configure the web server. Did you mean '%s'?".formatted(meant));
	}

	@ParameterizedTest
	@ValueSource(strings = { "SERVER_TLS_CERTIFICATEFILE", "SERVER_TLS_CERTIFICATE_FILE",
			"SPRING_SERVER_SSL_CERTIFICATEFILE", "MANAGEMENT_SSL_CERTIFICATEFILE" })
	void whenVariableIsMisplacedThenIsRefused(String variable) {
		variable(variable).run((context) -> assertThat(context).getFailure()
			.rootCause()
			.isInstanceOf(TlsSettingException.class)
			.hasMessageStartingWith("'%s': it does not configure".formatted(variable)));
	}

	@ParameterizedTest
	@ValueSource(strings = { "SSL_CERTIFICATE_FILE", "SSL_CERTIFICATEFILE", "SSL_CERT_FILE", "SSL_CERT_DIR",
			"SERVER_TLS_ENABLED", "SERVER_TLS_PORT", "SERVER_HTTPS_CERTIFICATE", "TLS_CERTIFICATE_FILE" })
	void whenVariableMayBeForAnotherProgramThenIsAccepted(String variable, CapturedOutput output) {
		variable(variable).run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("does not configure");
	}

	// Of other libraries, of Spring Boot, and of the application
	@ParameterizedTest
	@ValueSource(strings = { "spring.kafka.ssl.certificate-file", "spring.kafka.ssl.key-store-location",
			"spring.ssl.bundle.pem.mine.keystore.certificate", "spring.data.redis.ssl.bundle",
			"spring.rabbitmq.ssl.enabled", "grpc.server.ssl.certificate-file", "my.ssl.certificate-file",
			"my.server.tls.certificate-file", "ssl.enabled", "ssl.key-store", "ssl.groups", "ssl.bundle",
			"ssl.certificates[0]", "tls.certificate-file", "certificate-file", "server.tls", "server.tls.owner",
			"server.tomcat.use-apr", "server.tls.openssl", "management.ssl.groups",
			"eureka.server.ssl.certificate-file" })
	void whenPropertyMayBeReadByOthersThenIsAccepted(String name, CapturedOutput output) {
		this.runner.withPropertyValues(name + "=" + (name.endsWith("apr") ? "never" : "x"))
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("does not configure");
	}

	@Test
	void whenValueAsksForNothingThenIsAccepted(CapturedOutput output) {
		this.runner.withPropertyValues("server.tls.certificate-file=", "server.tls.enabled=false")
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain("does not configure");
	}

	@Test
	void whenNoCertificateIsSetThenSaysSoOnce(CapturedOutput output) {
		this.runner.run((context) -> {
			assertThat(context).hasNotFailed();
			int port = context.getSourceApplicationContext(AnnotationConfigServletWebServerApplicationContext.class)
				.getWebServer()
				.getPort();
			assertThat(output).containsOnlyOnce(LINE)
				.contains("Port %d %s. For HTTPS, set 'server.ssl.certificate-file'".formatted(port, LINE));
		});
	}

	@ParameterizedTest
	@ValueSource(strings = { "server.ssl.enabled=false", "server.port=-1" })
	void whenHttpIsMeantOrThereIsNoPortThenSaysNothing(String property, CapturedOutput output) {
		this.runner.withPropertyValues(property).run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain(LINE);
	}

	@Test
	void whenThereIsNoWebServerThenSaysNothing(CapturedOutput output) {
		new WebApplicationContextRunner(AnnotationConfigServletWebApplicationContext::new)
			.withConfiguration(
					AutoConfigurations.of(CertificateFileAutoConfiguration.class, SslAutoConfiguration.class))
			.run((context) -> assertThat(context).hasNotFailed());
		assertThat(output).doesNotContain(LINE);
	}

	private WebApplicationContextRunner variable(String name) {
		return this.runner.withInitializer((context) -> context.getEnvironment()
			.getPropertySources()
			.addFirst(new SystemEnvironmentPropertySource(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
					Map.of(name, "x"))));
	}

}
