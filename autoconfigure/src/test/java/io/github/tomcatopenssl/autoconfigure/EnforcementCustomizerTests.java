// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.Map;

import io.github.tomcatopenssl.OpenSslMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.beans.factory.support.StaticListableBeanFactory;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.AbstractConfigurableWebServerFactory;
import org.springframework.boot.web.server.Ssl;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.mockito.Mockito.mock;

/**
 * Tests for {@link EnforcementCustomizer}, with web servers that are not Tomcat.
 */
@ExtendWith(OutputCaptureExtension.class)
class EnforcementCustomizerTests {

	@Test
	void whenOpenSslIsRequiredAndOtherServerServesTlsThenFails() {
		assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
			.isThrownBy(() -> customize(OpenSslMode.ALWAYS, new OtherFactory(), true))
			.withMessageContaining("server.ssl.openssl.mode")
			.withMessageContaining("a web server other than Tomcat serves TLS")
			.withMessageContaining("Add 'spring-boot-starter-tomcat' and exclude");
	}

	@Test
	void whenOpenSslIsWantedAndOtherServerServesTlsThenWarnsOnce(CapturedOutput output) {
		customize(OpenSslMode.WHEN_AVAILABLE, new OtherFactory(), true);
		assertThat(output).containsOnlyOnce(
				"OpenSSL is not active: a web server other than Tomcat serves TLS, but only Tomcat can use OpenSSL for it. Add ");
	}

	@Test
	void whenOpenSslIsNotWantedThenSaysNothing(CapturedOutput output) {
		customize(OpenSslMode.NEVER, new OtherFactory(), true);
		assertThat(output).doesNotContain("OpenSSL is not active");
	}

	@ParameterizedTest
	@EnumSource
	void whenServerServesNoTlsThenSaysNothing(OpenSslMode mode, CapturedOutput output) {
		customize(mode, new OtherFactory(), false);
		assertThat(output).doesNotContain("OpenSSL is not active");
	}

	@ParameterizedTest
	@EnumSource
	void whenServerIsTomcatThenSaysNothing(OpenSslMode mode, CapturedOutput output) {
		customize(mode, new TomcatServletWebServerFactory(), true);
		assertThat(output).doesNotContain("OpenSSL is not active");
	}

	@ParameterizedTest
	@CsvSource({ "server.ssl.certificate-file=x,true,true", "server.ssl.certificate-file=x,false,false",
			"server.ssl.bundle=mine,true,false" })
	void whenServerDoesNotReloadThenSaysSoWhereItShould(String property, boolean reloadOnUpdate, boolean warns,
			CapturedOutput output) {
		OtherFactory factory = new OtherFactory();
		factory.setSsl(Ssl.forBundle("mine"));
		customizer(OpenSslMode.NEVER, "server.ssl.reload-on-update=" + reloadOnUpdate, property).customize(factory);
		assertThat(output.toString().contains("'server.ssl.reload-on-update' has no effect: ")).isEqualTo(warns);
	}

	@ParameterizedTest
	@ValueSource(strings = { "server.ssl.groups=x25519", "server.ssl.unknown-server-name=reject",
			"server.ssl.proxy-protocol.trusted=10.0.0.0/8", "server.ssl.handshake-timeout=5s",
			"server.ssl.client-fingerprint=ja4", "server.ssl.ocsp-enabled=true",
			"server.ssl.certificate-revocation-list-file=ca.crl" })
	void whenSettingCannotBeEnforcedThenFails(String property) {
		OtherFactory factory = new OtherFactory();
		factory.setSsl(Ssl.forBundle("mine"));
		assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
			.isThrownBy(() -> customizer(OpenSslMode.NEVER, property).customize(factory))
			.withMessageContaining(property.substring(0, property.indexOf('=')));
	}

	@Test
	void whenTicketKeysAreGivenAndOtherServerServesTlsThenWarns(CapturedOutput output) {
		OtherFactory factory = new OtherFactory();
		factory.setSsl(Ssl.forBundle("mine"));
		customizer(OpenSslMode.NEVER, "server.ssl.session-ticket-key-file=ticket.key").customize(factory);
		assertThat(output).containsOnlyOnce(
				"'server.ssl.session-ticket-key-file' has no effect: a web server other than Tomcat serves TLS, but only Tomcat can use OpenSSL for it. Add 'spring-boot-starter-tomcat'");
	}

	@ParameterizedTest
	@EnumSource
	void whenFipsIsRequiredAndOtherServerServesTlsThenFails(OpenSslMode mode) {
		OtherFactory factory = new OtherFactory();
		factory.setSsl(Ssl.forBundle("mine"));
		assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
			.isThrownBy(() -> customizer(mode, "server.ssl.openssl.fips-mode=required").customize(factory))
			.withMessageContaining("server.ssl.openssl.fips-mode")
			.withMessageContaining("a web server other than Tomcat");
	}

	private static void customize(OpenSslMode mode, AbstractConfigurableWebServerFactory factory, boolean tls) {
		factory.setSsl(tls ? Ssl.forBundle("mine") : null);
		customizer(mode).customize(factory);
	}

	private static EnforcementCustomizer customizer(OpenSslMode mode, String... properties) {
		MockEnvironment environment = new MockEnvironment().withProperty("server.ssl.openssl.mode", mode.name());
		TestPropertyValues.of(properties).applyTo(environment);
		return new EnforcementCustomizer(
				Binder.get(environment).bindOrCreate("server.ssl", TomcatOpenSslProperties.class),
				new StaticListableBeanFactory(
						Map.of("tomcat", new TomcatOpenSslWebServerFactoryCustomizer(mock(), mock())))
					.getBeanProvider(TomcatOpenSslWebServerFactoryCustomizer.class),
				MisplacedProperties.of(environment), true);
	}

	private static final class OtherFactory extends AbstractConfigurableWebServerFactory {

	}

}
