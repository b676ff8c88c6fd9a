// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.util.List;
import java.util.stream.Stream;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.ProtocolVersion;
import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.engine.Engine;
import org.apache.tomcat.util.net.openssl.ciphers.OpenSSLCipherConfigurationParser;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link RequiredGroups}.
 */
class RequiredGroupsTests {

	private static final TlsPolicy POLICY = Engine.anyPolicy();

	@ParameterizedTest
	@CsvSource({ "X25519, TLS_1_2 TLS_1_3", "FFDHE2048, TLS_1_3", "X25519MLKEM768, TLS_1_3" })
	void whenTls12DoesNotHaveTheGroupThenItIsTurnedOff(KeyExchangeGroup group, String versions) {
		assertThat(apply(POLICY, group)).returns(List.of(group), TlsPolicy::groups)
			.returns(Stream.of(versions.split(" ")).map(ProtocolVersion::valueOf).toList(), TlsPolicy::versions)
			.returns(POLICY.ciphers(), TlsPolicy::ciphers);
	}

	@ParameterizedTest
	@CsvSource({ "X25519MLKEM768, ECDHE+AESGCM, these groups need TLS 1.3",
			"X25519, AES128-GCM-SHA256, none of the TLS 1.2 cipher suites",
			"X25519, ECDHE+AESGCM:SRP-AES-128-CBC-SHA, cannot be limited" })
	void whenTls12IsAllThereIsAndHasNoneOfTheGroupsThenFails(KeyExchangeGroup group, String ciphers, String reason) {
		TlsPolicy tls12 = POLICY.withCiphers(List.copyOf(OpenSSLCipherConfigurationParser.parse(ciphers)), ciphers)
			.withVersions(List.of(ProtocolVersion.TLS_1_2));
		assertThatExceptionOfType(TlsSettingException.class).isThrownBy(() -> apply(tls12, group))
			.satisfies((ex) -> assertThat(ex.isAbout(SettingName.GROUPS)).isTrue())
			.withMessageContaining(reason);
	}

	private static TlsPolicy apply(TlsPolicy policy, KeyExchangeGroup group) {
		return new RequiredGroups(List.of(group)).applyTo("example.com", policy);
	}

}
