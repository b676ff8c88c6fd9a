// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.env.Environment;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link WarDeploymentAutoConfiguration}.
 */
@ExtendWith(OutputCaptureExtension.class)
class WarDeploymentAutoConfigurationTests {

	@ParameterizedTest
	@ValueSource(strings = { "openssl.mode=always", "openssl.fips-mode=required", "groups=x25519", "groups[0]=x25519",
			"unknown-server-name=reject", "handshake-timeout=3s", "proxy-protocol.trusted=10.0.0.0/8",
			"certificate-revocation-list-file=ca.crl", "client-fingerprint=ja4", "ocsp-enabled=true",
			"ocsp-enabled=on" })
	void whenSettingWouldBeDroppedThenFails(String property) {
		String[] nameAndValue = ("server.ssl." + property).split("=");
		assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
			.isThrownBy(() -> check(new MockEnvironment().withProperty(nameAndValue[0], nameAndValue[1])))
			.withMessageContaining(nameAndValue[0].replace("[0]", ""));
	}

	@ParameterizedTest
	@ValueSource(strings = { "openssl.mode=when-available", "openssl.fips-mode=off", "unknown-server-name=accept",
			"certificate-file=tls.crt", "ocsp-enabled=false" })
	void whenNothingIsRequiredThenSaysSo(String property, CapturedOutput output) {
		String[] nameAndValue = ("server.ssl." + property).split("=");
		check(new MockEnvironment().withProperty(nameAndValue[0], nameAndValue[1]));
		assertThat(output).containsOnlyOnce("have no effect in a WAR");
	}

	@Test
	void whenTlsIsTurnedOffThenSaysNothing(CapturedOutput output) {
		check(new MockEnvironment().withProperty("server.ssl.enabled", "false")
			.withProperty("server.ssl.groups", "x25519"));
		assertThat(output).doesNotContain("WAR");
	}

	private static void check(Environment environment) {
		new WarDeploymentAutoConfiguration(
				Binder.get(environment).bindOrCreate("server.ssl", TomcatOpenSslProperties.class), environment);
	}

}
