// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.io.IOException;
import java.util.List;
import java.util.Map;

import io.github.tomcatopenssl.TlsSettingException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests for {@link UnknownProperties}.
 */
@ExtendWith(OutputCaptureExtension.class)
class UnknownPropertiesTests {

	@ParameterizedTest
	@CsvSource({ "server.ssl.group, server.ssl.groups", "server.ssl.gruops, server.ssl.groups",
			"server.ssl.certficate-file, server.ssl.certificate-file",
			"server.ssl.certifcate-chain-file, server.ssl.certificate-chain-file",
			"server.ssl.openssl.mod, server.ssl.openssl.mode", "server.ssl.opensl.mode, server.ssl.openssl.mode",
			"server.ssl.unknown-servernames, server.ssl.unknown-server-name",
			"server.ssl.cert-file, server.ssl.certificate-file",
			"server.ssl.certificate-key, server.ssl.certificate-key-file",
			"server.ssl.certificate-private-key-file, server.ssl.certificate-private-key",
			"server.ssl.library-path, server.ssl.openssl.library-path", "server.ssl.fips, server.ssl.openssl.fips-mode",
			"server.ssl.domains, server.ssl.acme.domains", "server.ssl.cipher, server.ssl.ciphers",
			"server.ssl.acme.external-account.hmackeys, server.ssl.acme.external-account.hmac-key",
			"server.ssl.certificates[1].certificat-file, server.ssl.certificates[1].certificate-file",
			"server.ssl.server-name-bundles[0].bundel, server.ssl.server-name-bundles[0].bundle",
			"server.ssl.group[0], server.ssl.groups[0]", "server.ssl.key-store-pasword, server.ssl.key-store-password",
			"management.server.ssl.bundel, management.server.ssl.bundle" })
	void whenNameResemblesKnownOneThenIsRefused(String name, String meant) {
		assertThatExceptionOfType(TlsSettingException.class).isThrownBy(() -> check(name))
			.withMessageStartingWith("'%s': there is no property with this name (".formatted(name))
			.withMessageContaining("'%s'".formatted(meant));
	}

	@ParameterizedTest
	@CsvSource({ "server.ssl.openssl, server.ssl.openssl.mode", "server.ssl.acme, server.ssl.acme.domains",
			"management.server.ssl.openssl, management.server.ssl.openssl.mode",
			"server.certificate-file, server.ssl.certificate-file",
			"server.development-certificate, server.ssl.development-certificate",
			"server.certificates[1].certificate-file, server.ssl.certificates[1].certificate-file",
			"server.acme.domains, server.ssl.acme.domains" })
	void whenNameIsIncompleteThenIsRefused(String name, String meant) {
		assertThatExceptionOfType(TlsSettingException.class).isThrownBy(() -> check(name))
			.withMessageStartingWith("'%s': there is no property with this name (".formatted(name))
			.withMessageContaining("'%s'".formatted(meant));
	}

	@ParameterizedTest
	@CsvSource(delimiter = ':',
			textBlock = """
					server.ssl.openssl : 'server.ssl.openssl.mode' or 'server.ssl.openssl.library' or 'server.ssl.openssl.work-dir'
					server.ssl.cert : 'server.ssl.certificate' or 'server.ssl.certificates' or 'server.ssl.certificate-file'
					server.ssl.serv-name : 'server.ssl.server-name-bundles' or 'server.ssl.unknown-server-name' or 'server.ssl.server-name-certificates'
					""",
			quoteCharacter = '"')
	void whenManyNamesAreMeantThenTheThreeShortestAreShown(String name, String shown) {
		assertThatExceptionOfType(TlsSettingException.class).isThrownBy(() -> check(name))
			.withMessageContaining("Did you mean " + shown)
			.satisfies((ex) -> assertThat(ex.getMessage().split("' or '")).hasSize(3));
	}

	@ParameterizedTest
	@ValueSource(strings = { "server.ssl.openssl", "server.ssl.acme" })
	void whenGroupIsEmptyThenIsAccepted(String name, CapturedOutput output) {
		StandardEnvironment environment = new StandardEnvironment();
		environment.getPropertySources().addFirst(new MapPropertySource("test", Map.of(name, "")));
		assertThatNoException().isThrownBy(() -> UnknownProperties.reject(environment, Acme.class));
		assertThat(output).doesNotContain("has no effect");
	}

	@ParameterizedTest
	@CsvSource({ "SERVER_SSL_CERTFICATEFILE, SERVER_SSL_CERTIFICATEFILE",
			"SERVER_SSL_UNKNOWN_SERVERNAME, SERVER_SSL_UNKNOWNSERVERNAME",
			"SERVER_SSL_CERTIFICATES_0_CERTIFCATEFILE, SERVER_SSL_CERTIFICATES_0_CERTIFICATEFILE",
			"MANAGEMENT_SERVER_SSL_BUNDEL, MANAGEMENT_SERVER_SSL_BUNDLE" })
	void whenVariableResemblesKnownOneThenIsRefused(String name, String meant) {
		assertThatExceptionOfType(TlsSettingException.class).isThrownBy(() -> checkVariable(name))
			.withMessageContaining(
					"'%s': there is no property with this name (\"%s\" from property source \"systemEnvironment\"). Did you mean '%s'"
						.formatted(name, name, meant));
	}

	@ParameterizedTest
	@ValueSource(strings = { "server.ssl.certificate-file", "server.ssl.certificateFile", "server.ssl.certificate_file",
			"server.ssl.unknown-servername", "server.ssl.groups[12]",
			"server.ssl.certificates[3].certificate-key-password", "server.ssl.acme.external-account.hmac-key",
			"server.ssl.server-name-bundles[0].server-name", "server.ssl.enabled-protocols[0]",
			"server.ssl.certificates", "server.certificates-of-mine", "server.groups", "management.server.ssl.enabled",
			"server.sslx.group" })
	void whenNameIsKnownThenIsAccepted(String name, CapturedOutput output) {
		assertThatNoException().isThrownBy(() -> check(name));
		assertThat(output).doesNotContain("has no effect");
	}

	@ParameterizedTest
	@ValueSource(strings = { "SERVER_SSL_CERTIFICATEFILE", "SERVER_SSL_CERTIFICATE_FILE",
			"SERVER_SSL_ENABLEDPROTOCOLS_0", "SERVER_SSL_CERTIFICATES_1_CERTIFICATEKEYPASSWORD",
			"SERVER_SSL_OPENSSL_LIBRARYPATH", "SERVER_SSL_OPENSSL_LIBRARY_PATH", "server.ssl.certificate-file" })
	void whenVariableIsKnownThenIsAccepted(String name, CapturedOutput output) {
		assertThatNoException().isThrownBy(() -> checkVariable(name));
		assertThat(output).doesNotContain("has no effect");
	}

	@ParameterizedTest
	@ValueSource(strings = { "server.ssl.owner", "server.ssl.key-store-path", "server.ssl.rate-limit.requests",
			"management.server.ssl.owner" })
	void whenNameResemblesNoneThenWarns(String name, CapturedOutput output) {
		assertThatNoException().isThrownBy(() -> check(name));
		assertThat(output).contains("'%s' (".formatted(name)).contains("has no effect: neither Spring Boot nor ");
	}

	// As Kubernetes sets for a service named 'server-ssl'
	@Test
	void whenVariablesOfServiceResembleNoneThenWarns(CapturedOutput output) {
		assertThatNoException().isThrownBy(() -> checkVariable("SERVER_SSL_PORT"));
		assertThat(output).contains("'SERVER_SSL_PORT' (\"SERVER_SSL_PORT\" from property source");
	}

	@Test
	void whenNamesAreMisspeltThenAnalysisShowsAllOfThemAndNoValue() throws IOException {
		StandardEnvironment environment = new StandardEnvironment();
		new YamlPropertySourceLoader()
			.load("application",
					new ByteArrayResource("server:\n  ssl:\n    group: x25519\n    key-pasword: secret\n".getBytes(),
							"application.yml"))
			.forEach(environment.getPropertySources()::addLast);
		Throwable failure = catchThrowable(() -> UnknownProperties.reject(environment, Acme.class));
		FailureAnalysis analysis = new TlsFailureAnalyzer(environment).analyze(failure);
		assertThat(analysis.getDescription()).isEqualTo(
				"""
						A TLS setting of the web server cannot be used:

						    Property: server.ssl.group
						    Reason: there is no property with this name (Byte array resource [application.yml] - 3:12). Did you mean 'server.ssl.groups'?

						    Property: server.ssl.key-pasword
						    Reason: there is no property with this name (Byte array resource [application.yml] - 4:18). Did you mean 'server.ssl.key-password'?
						""");
		assertThat(failure.toString() + List.of(failure.getSuppressed())).doesNotContain("secret");
	}

	@ParameterizedTest
	@CsvSource({ "server.ssl.acme.domain, server.ssl.acme.domains", "server.ssl.domains, server.ssl.acme.domains",
			"server.acme.domains, server.ssl.acme.domains", "server.ssl.acme, server.ssl.acme.domains" })
	void whenModuleOfAcmeIsMissingThenWhatTurnsTlsOnIsKnown(String name, String meant) {
		assertThatExceptionOfType(TlsSettingException.class).isThrownBy(() -> check(name, null))
			.withMessageStartingWith("'%s': there is no property with this name (".formatted(name))
			.withMessageContaining("'%s'".formatted(meant));
	}

	// They end the start for another reason
	@ParameterizedTest
	@ValueSource(strings = { "server.ssl.acme.terms-of-service-agreed", "server.ssl.acme.email",
			"server.ssl.acme.directory-url", "server.ssl.acme.directory", "server.ssl.acme.key-types[1]",
			"server.ssl.acme.profile", "server.ssl.acme.preferred-chain", "server.ssl.acme.ssl-bundle",
			"server.ssl.acme.external-account.key-id", "server.ssl.acme.external-account.hmac-key" })
	void whenModuleOfAcmeIsMissingThenItsOtherNamesAreAccepted(String name, CapturedOutput output) {
		assertThatNoException().isThrownBy(() -> check(name, null));
		assertThat(output).doesNotContain("has no effect");
	}

	private static void check(String name) {
		check(name, Acme.class);
	}

	private static void check(String name, @Nullable Class<?> acme) {
		StandardEnvironment environment = new StandardEnvironment();
		environment.getPropertySources().addFirst(new MapPropertySource("test", Map.of(name, "1")));
		UnknownProperties.reject(environment, acme);
	}

	private static void checkVariable(String name) {
		StandardEnvironment environment = new StandardEnvironment();
		environment.getPropertySources()
			.replace(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, new SystemEnvironmentPropertySource(
					StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, Map.of(name, "1")));
		UnknownProperties.reject(environment, Acme.class);
	}

	/**
	 * Some of the properties of the module that obtains certificates.
	 */
	private record Acme(List<String> domains, ExternalAccount externalAccount) {

		private record ExternalAccount(String keyId, String hmacKey) {

		}

	}

}
