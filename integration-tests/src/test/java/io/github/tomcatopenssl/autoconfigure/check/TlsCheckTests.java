// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure.check;

import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import com.jayway.jsonpath.JsonPath;
import io.github.tomcatopenssl.internal.engine.NativeMemory;
import io.github.tomcatopenssl.test.AbstractTlsServerTests;
import io.github.tomcatopenssl.test.Commands;
import io.github.tomcatopenssl.test.ForkedApplication;
import io.github.tomcatopenssl.test.TestServer.Engine;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Tests for {@link TlsCheck}, {@link CheckedConnectors}, {@link CheckedManagementServer},
 * {@link TlsCheckReport} and {@link TlsCheckRunListener}. That a check refuses what a
 * start refuses, is tested wherever a start is refused ({@link CheckedStart}).
 */
@Tag("servers")
class TlsCheckTests {

	/**
	 * Tests of a check, with both kinds of applications.
	 */
	private abstract static class AbstractCheckTests extends AbstractTlsServerTests {

		AbstractCheckTests(WebApplicationType type) {
			super(type);
		}

		private TlsCheckReport check(Engine engine, String... properties) {
			return CheckedStart.check(type(), allProperties(engine, properties));
		}

		@ParameterizedTest
		@EnumSource
		void whenSettingsCanBeUsedThenTheCheckSaysWhatWouldBeServed(Engine engine) throws IOException {
			try (ServerSocket taken = new ServerSocket(0)) {
				TlsCheckReport report = check(engine,
						with(pem("p256"), "policy=intermediate", "server.port=" + taken.getLocalPort()));
				assertThat(report.status()).as(report.text()).isZero();
				assertThat(report.text()).contains("TLS would be served.",
						"Port %d (https): ".formatted(taken.getLocalPort()), "; policy intermediate",
						(engine == Engine.OPENSSL) ? ": OpenSSL 3." : ": JSSE ", "Host _default_: TLSv1.",
						"; client-auth none", "Certificate CN=p256 (EC 256) for ", ", valid until ");
			}
			assertThat(NativeMemory.contexts()).isZero();
		}

		@ParameterizedTest
		@EnumSource
		void whenCertificateCannotBeUsedThenTheCheckSaysWhy(Engine engine) {
			certificates().openssl("req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=salted", "-newkey", "rsa-pss",
					"-pkeyopt", "rsa_keygen_bits:2048", "-pkeyopt", "rsa_pss_keygen_md:sha256", "-pkeyopt",
					"rsa_pss_keygen_mgf1_md:sha256", "-pkeyopt", "rsa_pss_keygen_saltlen:100", "-sigopt",
					"rsa_pss_saltlen:100", "-keyout", "salted.key", "-out", "salted.crt");
			TlsCheckReport report = check(engine, pem("salted"));
			assertThat(report.status()).isOne();
			assertThat(report.text()).contains("The application would not start.",
					"Property: server.ssl.certificate-file", "Reason: no client with ");
			assertThat(NativeMemory.contexts()).isZero();
		}

		@Test
		void whenOpenSslIsMissingThenTheCheckWarnsOfJsse() {
			TlsCheckReport report = CheckedStart.check(type(),
					List.of(allProperties(Engine.JSSE, pem("p256")).stream()
						.filter((property) -> !property.contains("openssl.mode"))
						.toArray(String[]::new)));
			assertThat(report.status()).isZero();
			assertThat(report.warnings().isEmpty()).isEqualTo(report.library() != null);
		}

		@ParameterizedTest
		@EnumSource
		void whenManagementServerHasItsOwnPortThenItIsChecked(Engine engine) {
			TlsCheckReport report = check(engine,
					with(pem("p256"), "server.port=1", "management.server.port=2",
							"management.server.ssl.certificate-file=" + file("rsa.crt"),
							"management.server.ssl.certificate-key-file=" + file("rsa.key")));
			assertThat(report.status()).as(report.text()).isZero();
			assertThat(report.text()).containsSubsequence("Port 1 (https): ", "CN=p256", "Port 2 (https): ", "CN=rsa");
			assertThat(NativeMemory.contexts()).isZero();
		}

		@Test
		void whenNoCertificateIsSetThenTheCheckSaysSo() {
			TlsCheckReport report = check(Engine.JSSE);
			assertThat(report.status()).isZero();
			assertThat(report.text()).startsWith("TLS would not be served.");
		}

		@Test
		void whenFolderHasCertificatesThenTheCheckCountsThem(@TempDir Path folder) throws IOException {
			Files.copy(certificates().join("check.pem", "p256.crt", "p256.key"), folder.resolve("check.pem"));
			TlsCheckReport report = check(Engine.JSSE, with(pem("p256"), "certificate-directory=" + folder));
			assertThat(report.status()).as(report.text()).isZero();
			assertThat(report.text()).contains("  1 more certificates for ");
		}

	}

	@Nested
	class ServletTests extends AbstractCheckTests {

		ServletTests() {
			super(WebApplicationType.SERVLET);
		}

	}

	@Nested
	class ReactiveTests extends AbstractCheckTests {

		ReactiveTests() {
			super(WebApplicationType.REACTIVE);
		}

	}

	/**
	 * Tests of settings that neither a start nor a check accepts. {@link CheckedStart}
	 * compares what they say.
	 */
	@Nested
	class RefusedTests extends AbstractTlsServerTests {

		@TempDir
		private Path folder;

		RefusedTests() {
			super(WebApplicationType.SERVLET);
		}

		@ParameterizedTest
		@ValueSource(strings = { "certificate-file=missing.crt", "certificate-file={p256.crt}",
				"certificate-file={p256.crt} certificate-key-file={rsa.key}", "certificate-file={}",
				"certificate-file=https://example.com/tls.crt",
				"certificate-file={p256.key} certificate-key-file={p256.key}",
				"certificate-file={leaf.crt} certificate-key-file={leaf.key} certificate-chain-file={p256.crt}",
				"certificate={p256.crt}", "key-store={p256.crt} key-store-password=changeit", "bundle=mine",
				"policy=modern", "certificate-key-file={p256.key}", "session-ticket-key-file=missing.key",
				"certificates[0].certificate-file=missing.crt" })
		void whenCertificateIsRefusedThenTheCheckSaysTheSame(String properties) {
			requireRefused(properties);
		}

		@ParameterizedTest
		@ValueSource(strings = { "client-auth=need", "client-auth=need ca-certificate-file=missing.crt",
				"client-auth=need ca-certificate-file={ca.crt} certificate-revocation-list-file=missing.crl",
				"session-ticket-key-file=missing.key", "policy=cnsa-2", "policy=mine", "ciphers=unknown",
				"enabled-protocols=TLSv1.4", "groups=none", "certifcate-file=tls.crt", "bundle=mine",
				"acme.domains=localhost", "handshake-timeout=never", "certificate-directory=missing",
				"server-name-certificates[0].server-name=a:b server-name-certificates[0].certificate-file={p256.crt}",
				"signature-algorithms=none", "proxy-protocol.trusted=everybody",
				"management.server.port=0 management.server.ssl.certificate-file=missing.crt",
				"management.server.ssl.certificate-file={p256.crt}",
				"management.server.port=0 management.server.ssl.bundle=mine", "openssl.mode=sometimes" })
		void whenSettingIsRefusedThenTheCheckSaysTheSame(String properties) {
			requireRefused("certificate-file={p256.crt} certificate-key-file={p256.key} " + properties);
		}

		private void requireRefused(String properties) {
			String[] all = Pattern.compile("\\{(.*?)}")
				.matcher(properties)
				.replaceAll((name) -> Matcher.quoteReplacement(file(name.group(1))))
				.split(" ");
			// Spring Boot leaves the folder if it refuses the settings itself
			assertThatException()
				.isThrownBy(() -> start(Engine.OPENSSL, with(all, "server.tomcat.basedir=" + this.folder)).close());
		}

	}

	/**
	 * Tests of an application in a JVM of its own.
	 */
	@Nested
	class ApplicationTests extends AbstractTlsServerTests {

		ApplicationTests() {
			super(WebApplicationType.SERVLET);
		}

		@Test
		void whenCheckIsAskedForThenNoBeanOfTheApplicationIsCreated() {
			Commands.Result result = run(with(pem("p256"), "--tls-check=json"));
			assertThat(result.status()).as(result.output()).isZero();
			String json = json(result);
			assertThat(JsonPath.<String>read(json, "$.result")).isEqualTo("served");
			assertThat(JsonPath.<String>read(json, "$.connectors[0].engine")).isEqualTo("OpenSSL");
			assertThat(JsonPath.<String>read(json, "$.connectors[0].hosts[0].certificates[0].subject"))
				.isEqualTo("CN=p256");
		}

		@Test
		void whenSettingsAreRefusedThenTheExitStatusIsOne() {
			Commands.Result result = run("certificate-file=missing.crt", "--tls-check=json");
			assertThat(result.status()).as(result.output()).isOne();
			String json = json(result);
			assertThat(JsonPath.<String>read(json, "$.result")).isEqualTo("refused");
			assertThat(JsonPath.<String>read(json, "$.problems[0].property")).isEqualTo("server.ssl.certificate-file");
			assertThat(JsonPath.<String>read(json, "$.problems[0].file")).endsWith("/missing.crt");
			assertThat(JsonPath.<String>read(json, "$.problems[0].reason")).isEqualTo("it does not exist");
			assertThat(JsonPath.<String>read(json, "$.action")).startsWith("Create the file or correct ");
		}

		@Test
		void whenConfigurationCannotBeReadThenTheCheckSaysSo() {
			Commands.Result result = run("--spring.config.import=file:missing.yml", "--tls-check");
			assertThat(result.status()).as(result.output()).isOne();
			assertThat(result.output()).contains("The application would not start.", "missing.yml");
		}

		private static String json(Commands.Result result) {
			return result.output().lines().filter((line) -> line.startsWith("{")).findFirst().orElseThrow();
		}

		private Commands.Result run(String... arguments) {
			List<String> all = new ArrayList<>(allProperties(Engine.OPENSSL));
			for (String argument : arguments) {
				all.add(argument.startsWith("--") ? argument.substring(2) : "server.ssl." + argument);
			}
			return ForkedApplication.run(UncreatableApplication.class, List.of(),
					all.stream().map((argument) -> "--" + argument).toArray(String[]::new));
		}

	}

	/**
	 * Has a bean that cannot be created.
	 */
	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	public static class UncreatableApplication {

		@Bean
		Object uncreatable() {
			throw new IllegalStateException("A bean of the application is created");
		}

		/**
		 * Start the application.
		 * @param arguments the arguments
		 */
		public static void main(String[] arguments) {
			SpringApplication.run(UncreatableApplication.class, arguments);
		}

	}

}
