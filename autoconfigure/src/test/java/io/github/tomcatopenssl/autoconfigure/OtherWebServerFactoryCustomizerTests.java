// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.util.List;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.OpenSslMode;
import io.github.tomcatopenssl.OpenSslUnavailableException;
import io.github.tomcatopenssl.UnknownServerName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.boot.tomcat.servlet.TomcatServletWebServerFactory;
import org.springframework.boot.web.server.AbstractConfigurableWebServerFactory;
import org.springframework.boot.web.server.Ssl;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests of applications whose web server is not Tomcat.
 */
@ExtendWith(OutputCaptureExtension.class)
class OtherWebServerFactoryCustomizerTests {

	@Test
	void whenOpenSslIsRequiredAndOtherServerServesTlsThenFails() {
		assertThatExceptionOfType(OpenSslUnavailableException.class)
			.isThrownBy(() -> customize(OpenSslMode.ALWAYS, new OtherFactory(), true))
			.withMessageContaining("the web server of 'OtherFactory' serves TLS")
			.satisfies((ex) -> assertThat(ex.getAction()).contains("spring-boot-starter-tomcat"));
	}

	@Test
	void whenOpenSslIsWantedAndOtherServerServesTlsThenWarnsOnce(CapturedOutput output) {
		customize(OpenSslMode.WHEN_AVAILABLE, new OtherFactory(), true);
		assertThat(output).containsOnlyOnce(
				"OpenSSL is not active: the web server of 'OtherFactory' serves TLS, and only Tomcat can do so with OpenSSL. Add ");
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
	@CsvSource({ "server-ssl,true,true", "server-ssl,false,false", "mine,true,false" })
	void whenServerDoesNotReloadThenSaysSoWhereItShould(String bundle, boolean reloadOnUpdate, boolean warns,
			CapturedOutput output) {
		OtherFactory factory = new OtherFactory();
		factory.setSsl(Ssl.forBundle(bundle));
		new OtherWebServerFactoryCustomizer(OpenSslMode.NEVER, reloadOnUpdate, List.of(), UnknownServerName.ACCEPT)
			.customize(factory);
		assertThat(output.toString().contains("'server.ssl.reload-on-update' has no effect on this web server"))
			.isEqualTo(warns);
	}

	@Test
	void whenUnknownServerNamesAreToBeRejectedAndOtherServerServesTlsThenFails() {
		OtherFactory factory = new OtherFactory();
		factory.setSsl(Ssl.forBundle("mine"));
		assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
			.isThrownBy(() -> new OtherWebServerFactoryCustomizer(OpenSslMode.NEVER, true, List.of(),
					UnknownServerName.REJECT)
				.customize(factory))
			.withMessageContaining("server.ssl.unknown-server-name");
	}

	@Test
	void whenGroupsAreRequiredAndOtherServerServesTlsThenFails() {
		OtherFactory factory = new OtherFactory();
		factory.setSsl(Ssl.forBundle("mine"));
		assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
			.isThrownBy(() -> new OtherWebServerFactoryCustomizer(OpenSslMode.NEVER, true,
					List.of(KeyExchangeGroup.X25519), UnknownServerName.ACCEPT)
				.customize(factory))
			.withMessageContaining("server.ssl.groups");
	}

	private static void customize(OpenSslMode mode, AbstractConfigurableWebServerFactory factory, boolean tls) {
		factory.setSsl(tls ? Ssl.forBundle("mine") : null);
		new OtherWebServerFactoryCustomizer(mode, true, List.of(), UnknownServerName.ACCEPT).customize(factory);
	}

	private static final class OtherFactory extends AbstractConfigurableWebServerFactory {

	}

}
