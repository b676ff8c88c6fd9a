// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.util.List;

import io.github.tomcatopenssl.SecurityPolicy;
import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.engine.Engine;
import io.github.tomcatopenssl.test.TestCertificates;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link FipsRequirement} with what OpenSSL refuses without its FIPS provider
 * too. The tests of images have the provider.
 */
@Tag("servers")
class FipsRequirementTests {

	// OpenSSL is built without it
	private static final String MISSING = "DES-CBC3-SHA";

	private static final TestCertificates certificates = TestCertificates.get();

	@BeforeAll
	static void load() {
		Engine.load();
	}

	@Test
	void whenASuiteOfTheUserIsMissingThenItIsNamed() {
		assertThatExceptionOfType(TlsSettingException.class)
			.isThrownBy(() -> apply("ECDHE-RSA-AES128-GCM-SHA256:" + MISSING))
			.satisfies((ex) -> {
				assertThat(ex.isAbout(SettingName.CIPHERS)).isTrue();
				assertThat(ex.getReason(SettingName::toString)).endsWith("'example.com': '" + MISSING + "'");
			});
	}

	@Test
	void whenASuiteBehindTheDefaultsIsMissingThenItIsLeftOut() {
		String defaults = String.join(":", SecurityPolicy.INTERMEDIATE.ciphers());
		assertThat(apply(defaults + ":" + MISSING).ciphers()).isEqualTo(defaults);
	}

	@Test
	void whenAKeyIsRefusedThenItsCertificateIsNamed() {
		certificates.openssl("req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=weak", "-newkey", "rsa:1024",
				"-keyout", "weak.key", "-out", "weak.crt");
		assertThatExceptionOfType(TlsSettingException.class)
			.isThrownBy(() -> apply("ECDHE-RSA-AES128-GCM-SHA256", "rsa", "weak"))
			.satisfies((ex) -> {
				assertThat(ex.isAbout(SettingName.CERTIFICATE)).isTrue();
				assertThat(ex.getReason(SettingName::toString)).contains("'CN=weak'");
			});
	}

	private static TlsPolicy apply(String ciphers, String... keys) {
		TlsPolicy policy = Engine.anyPolicy();
		return FipsRequirement.applyTo("example.com", policy.withSuites(ciphers, policy.cipherSuites()), List.of(keys)
			.stream()
			.map((name) -> new HostKey(certificates.privateKey(name), List.of(certificates.certificate(name + ".crt"))))
			.toList(), SecurityPolicy.INTERMEDIATE);
	}

}
