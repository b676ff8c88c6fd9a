// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.ProtocolVersion;
import io.github.tomcatopenssl.SecurityPolicy;
import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.engine.Engine;
import io.github.tomcatopenssl.test.TestCertificates;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.openssl.ciphers.Cipher;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests for {@link FipsRequirement} with the suites that a provider has, but without the
 * provider.
 */
@Tag("servers")
class FipsRequirementTests {

	private static final Set<Cipher> SUITES = EnumSet.of(Cipher.TLS_AES_256_GCM_SHA384,
			Cipher.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, Cipher.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256);

	private final SSLHostConfig config = new SSLHostConfig();

	@BeforeAll
	static void load() {
		Engine.load();
	}

	@Test
	void whenNothingIsNamedThenSuitesOfTheProviderServe() {
		assertThatNoException().isThrownBy(() -> require());
	}

	@ParameterizedTest
	@ValueSource(strings = { "ECDHE-RSA-CHACHA20-POLY1305:ECDHE-RSA-AES128-GCM-SHA256",
			"ECDHE-RSA-CHACHA20-POLY1305:ECDHE+AESGCM" })
	void whenSuiteIsNamedThatTheProviderLacksThenFails(String ciphers) {
		this.config.setCiphers(ciphers);
		assertRefused("ECDHE-RSA-CHACHA20-POLY1305");
	}

	@Test
	void whenSuiteOfTls13IsNamedThatTheProviderLacksThenFails() {
		this.config.setCipherSuites("TLS_CHACHA20_POLY1305_SHA256");
		assertRefused("TLS_CHACHA20_POLY1305_SHA256");
	}

	@Test
	void whenExpressionSelectsMoreThanTheProviderHasThenOpenSslDecides() {
		this.config.setCiphers("ECDHE+CHACHA20:ECDHE+AESGCM");
		assertThatNoException().isThrownBy(() -> require());
	}

	@Test
	void whenExpressionSelectsNothingThenFails() {
		this.config.setCiphers("RC4");
		assertRefused("RC4");
	}

	@Test
	void whenAKeyIsRefusedThenItsCertificateIsNamed() {
		TestCertificates certificates = TestCertificates.get();
		certificates.openssl("req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=weak", "-newkey", "rsa:1024",
				"-keyout", "weak.key", "-out", "weak.crt");
		HostKey key = new HostKey(certificates.privateKey("weak"), List.of(certificates.certificate("weak.crt")));
		assertThatExceptionOfType(TlsSettingException.class).isThrownBy(() -> require(key))
			.satisfies((ex) -> assertThat(ex.isAbout(SettingName.CERTIFICATE)).isTrue())
			.withMessageContaining("'CN=weak'");
	}

	private void assertRefused(String suites) {
		assertThatExceptionOfType(TlsSettingException.class).isThrownBy(() -> require())
			.satisfies((ex) -> assertThat(ex.isAbout(SettingName.CIPHERS)).isTrue())
			.withMessageContaining(
					"does not support these cipher suites of the virtual host '_default_': '" + suites + "'");
	}

	private void require(HostKey... keys) {
		EngineCapabilities engine = new EngineCapabilities("OpenSSL", EnumSet.allOf(KeyExchangeGroup.class), Set.of(),
				SUITES, SecurityPolicy.INTERMEDIATE.versions(), ProtocolVersion.TLS, false, false, true);
		FipsRequirement.require("_default_", new PolicyReader(SecurityPolicy.INTERMEDIATE, engine).read(this.config),
				List.of(keys), SUITES);
	}

}
