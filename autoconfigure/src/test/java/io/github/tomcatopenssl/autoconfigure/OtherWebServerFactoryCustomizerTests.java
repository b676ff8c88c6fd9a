/*
 * Copyright 2026-present the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.github.tomcatopenssl.autoconfigure;

import io.github.tomcatopenssl.OpenSslMode;
import io.github.tomcatopenssl.OpenSslUnavailableException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

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

	private static void customize(OpenSslMode mode, AbstractConfigurableWebServerFactory factory, boolean tls) {
		factory.setSsl(tls ? Ssl.forBundle("mine") : null);
		new OtherWebServerFactoryCustomizer(mode).customize(factory);
	}

	private static final class OtherFactory extends AbstractConfigurableWebServerFactory {

	}

}
