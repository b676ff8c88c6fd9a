// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import io.github.tomcatopenssl.autoconfigure.SpringBootVersionCheck.FailureAnalyzer;
import io.github.tomcatopenssl.autoconfigure.SpringBootVersionCheck.UnsupportedSpringBootException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.SpringBootVersion;
import org.springframework.boot.diagnostics.FailureAnalysis;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link SpringBootVersionCheck}.
 */
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
	void analysisSaysWhatToUse() {
		FailureAnalysis analysis = new FailureAnalyzer().analyze(new UnsupportedSpringBootException("4.1.1"));
		assertThat(analysis).isNotNull();
		assertThat(analysis.getDescription()).isEqualTo("Tomcat OpenSSL does not work with Spring Boot 4.1.1.");
		assertThat(analysis.getAction()).contains("4.1.2").contains("4.0.9");
	}

}
