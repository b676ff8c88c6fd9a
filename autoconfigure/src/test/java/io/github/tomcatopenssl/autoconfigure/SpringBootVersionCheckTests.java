// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import io.github.tomcatopenssl.autoconfigure.SpringBootVersionCheck.UnsupportedSpringBootException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link SpringBootVersionCheck}.
 */
@ExtendWith(OutputCaptureExtension.class)
class SpringBootVersionCheckTests {

	@ParameterizedTest
	@ValueSource(strings = { "4.0.9", "4.0.10", "4.1.2", "4.1.3-SNAPSHOT", "4.2.0-M1", "5.0.0" })
	void supported(String version) {
		assertThat(SpringBootVersionCheck.isSupported(version)).isTrue();
	}

	@ParameterizedTest
	@ValueSource(strings = { "3.5.20", "4.0.0", "4.0.8", "4.1.0", "4.1.1", "4.1.2-SNAPSHOT" })
	void unsupported(String version) {
		assertThat(SpringBootVersionCheck.isSupported(version)).isFalse();
	}

	@Test
	void thisOneIsSupported() {
		assertThat(SpringBootVersionCheck.isSupported(SpringBootVersion.getVersion())).isTrue();
	}

	@Test
	void whenVersionIsNotSupportedThenStartEndsWithWhatToUse(CapturedOutput output) {
		assertThatExceptionOfType(UnsupportedSpringBootException.class)
			.isThrownBy(() -> new SpringApplicationBuilder(Object.class).web(WebApplicationType.NONE)
				.listeners(new SpringBootVersionCheck("4.1.1"))
				.run());
		assertThat(output)
			.contains("APPLICATION FAILED TO START", "The starter does not work with Spring Boot 4.1.1,",
					"a Tomcat before 11.0.26. That Tomcat ignores certificate revocation lists (CVE-2026-73581)",
					"Use Spring Boot 4.1.2 or later, or 4.0.9 or later in the 4.0 line.")
			.doesNotContain("\tat ");
	}

}
