// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.util.List;
import java.util.Set;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.engine.Engine;
import io.github.tomcatopenssl.test.TestCertificates;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests for {@link ProtocolsAndCiphers}.
 */
class ProtocolsAndCiphersTests {

	private static final EngineCapabilities ENGINE = new EngineCapabilities("the engine", Set.of(), Set.of(),
			List.of("TLSv1.2", "TLSv1.3"), List.of("TLSv1", "TLSv1.1", "TLSv1.2", "TLSv1.3"), false, false, false);

	@ParameterizedTest
	@CsvSource({ "TLSv1.2 TLSv1.3, ECDHE+AESGCM", "SSLv2Hello TLSv1.3, TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256",
			"TLSv1.1 TLSv1.2, HIGH:!aNULL:@SECLEVEL=0", "TLSv1.3, ECDHE-RSA-AES128-GCM-SHA256:TLS_FALLBACK_SCSV" })
	void whenNamesAreKnownThenTheyAreAccepted(String versions, String ciphers) {
		assertThatNoException()
			.isThrownBy(() -> ProtocolsAndCiphers.requireKnownNames(policy(versions, ciphers), ENGINE));
	}

	@ParameterizedTest
	@CsvSource({ "TLSv1.1, ECDHE+AESGCM, ENABLED_PROTOCOLS, does not support 'TLSv1.1'",
			"tlsv1.3, ECDHE+AESGCM, ENABLED_PROTOCOLS, does not support 'tlsv1.3'",
			"TLSv1.1 TLSv1.3, ALL:@SECLEVEL=0, ENABLED_PROTOCOLS, cannot leave out a version between two others",
			"TLSv1.2, ECDHE+AESGCM:FOO, CIPHERS, there is no cipher suite with the name 'FOO'" })
	void whenNameIsUnknownThenFails(String versions, String ciphers, SettingName setting, String reason) {
		assertFails(() -> ProtocolsAndCiphers.requireKnownNames(policy(versions, ciphers), ENGINE), setting, reason);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "!ALL" })
	void whenThereIsNoSuiteThenFails(String ciphers) {
		assertFails(() -> ProtocolsAndCiphers.requireKnownSuite("example.com", policy("TLSv1.2", ciphers)),
				SettingName.CIPHERS, "none of the cipher suites of the virtual host 'example.com' is known");
	}

	@ParameterizedTest
	@CsvSource({ "rsa, TLSv1.2 TLSv1.3, ECDHE+aRSA", "p256, TLSv1.2, ECDHE+aECDSA", "p256, TLSv1.3, ECDHE+aRSA",
			"ed25519, TLSv1.2, ECDHE+aRSA" })
	void whenASuiteFitsTheKeyThenItIsAccepted(String key, String versions, String ciphers) {
		assertThatNoException().isThrownBy(() -> requireSuites(key, versions, ciphers));
	}

	@ParameterizedTest
	@CsvSource({ "rsa, ECDHE+aECDSA, RSA", "p256, ECDHE+aRSA, EC" })
	void whenNoSuiteFitsTheKeyThenFails(String key, String ciphers, String type) {
		assertFails(() -> requireSuites(key, "TLSv1.2 TLSv1.3", ciphers), SettingName.CIPHERS,
				"none of its TLS 1.2 cipher suites fits the %s key of the virtual host 'example.com'".formatted(type));
	}

	private static void requireSuites(String key, String versions, String ciphers) {
		TestCertificates certificates = TestCertificates.get();
		ProtocolsAndCiphers.requireSuites("example.com", policy(versions, ciphers),
				List.of(new HostKey(certificates.privateKey(key), List.of(certificates.certificate(key + ".crt")))));
	}

	private static TlsPolicy policy(String versions, String ciphers) {
		TlsPolicy any = Engine.anyPolicy();
		return any.withSuites(ciphers, any.cipherSuites()).withProtocols(List.of(versions.split(" ")));
	}

	private static void assertFails(ThrowingCallable call, SettingName setting, String reason) {
		assertThatExceptionOfType(TlsSettingException.class).isThrownBy(call).satisfies((ex) -> {
			assertThat(ex.isAbout(setting)).isTrue();
			assertThat(ex.getReason(SettingName::toString)).contains(reason);
		});
	}

}
