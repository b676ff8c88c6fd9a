// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.ProtocolVersion;
import io.github.tomcatopenssl.SecurityPolicy;
import io.github.tomcatopenssl.TlsSettingException;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.openssl.ciphers.Cipher;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link PolicyReader}, {@link TlsPolicy} and {@link ProtocolVersion}.
 */
class PolicyReaderTests {

	private static final Set<KeyExchangeGroup> OPENSSL_3_5 = EnumSet.allOf(KeyExchangeGroup.class);

	private static final Set<KeyExchangeGroup> WITHOUT_HYBRID = EnumSet.of(KeyExchangeGroup.X25519,
			KeyExchangeGroup.SECP256R1, KeyExchangeGroup.SECP384R1);

	private final SSLHostConfig config = new SSLHostConfig();

	@BeforeEach
	void checkTomcatDefaults() {
		assertThat(this.config).returns(SSLHostConfig.DEFAULT_TLS_CIPHERS_12, SSLHostConfig::getCiphers)
			.returns(SSLHostConfig.DEFAULT_TLS_CIPHERS_13, SSLHostConfig::getCipherSuites)
			.returns(null, SSLHostConfig::getGroups)
			.returns(false, SSLHostConfig::getInsecureRenegotiation)
			.returns(true, SSLHostConfig::getDisableCompression);
	}

	@Test
	void whenNothingIsSetThenAppliesProfile() {
		TlsPolicy policy = apply(WITHOUT_HYBRID);
		assertThat(policy.ciphers()).isEqualTo(SecurityPolicy.INTERMEDIATE.ciphers());
		assertThat(policy.cipherSuites()).isEqualTo(SecurityPolicy.INTERMEDIATE.cipherSuites());
		assertThat(policy.versions()).containsExactly(ProtocolVersion.TLS_1_2, ProtocolVersion.TLS_1_3);
		assertThat(policy.groups()).containsExactly(KeyExchangeGroup.X25519, KeyExchangeGroup.SECP256R1,
				KeyExchangeGroup.SECP384R1);
		assertThat(policy.serverCipherOrder()).isFalse();
	}

	@Test
	void whenEngineOffersHybridGroupThenItIsFirst() {
		assertThat(apply(OPENSSL_3_5).groups()).containsExactly(KeyExchangeGroup.X25519MLKEM768,
				KeyExchangeGroup.X25519, KeyExchangeGroup.SECP256R1, KeyExchangeGroup.SECP384R1);
	}

	@Test
	void whenEngineLacksGroupsThenTheyAreLeftOut() {
		assertThat(apply(EnumSet.of(KeyExchangeGroup.SECP256R1, KeyExchangeGroup.SECP384R1, KeyExchangeGroup.FFDHE2048))
			.groups()).containsExactly(KeyExchangeGroup.SECP256R1, KeyExchangeGroup.SECP384R1);
	}

	@Test
	void whenGroupsCannotBeConfiguredThenTheyAreNotSet() {
		assertThat(apply(Set.of()).groups()).isNull();
	}

	@Test
	void whenUserHasSetValuesThenTheyWin() {
		this.config.setCiphers("ECDHE-RSA-AES256-SHA384");
		this.config.setCipherSuites("TLS_AES_256_GCM_SHA384");
		this.config.setProtocols("TLSv1.3");
		this.config.setGroups("secp521r1");
		assertThat(apply(OPENSSL_3_5))
			.returns(List.of(Cipher.TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA384), TlsPolicy::ciphers)
			.returns(List.of(Cipher.TLS_AES_256_GCM_SHA384), TlsPolicy::cipherSuites)
			.returns(List.of(KeyExchangeGroup.SECP521R1), TlsPolicy::groups)
			.returns(List.of(ProtocolVersion.TLS_1_3), TlsPolicy::versions);
	}

	@Test
	void whenSuitesAndProtocolsContradictThenNoProtocolIsLeft() {
		this.config.setCiphers("");
		this.config.setProtocols("TLSv1.2");
		assertThat(apply(OPENSSL_3_5).versions()).isEmpty();
	}

	@Test
	void whenEngineLacksSuitesThenOnlyThoseThatAreNotNamedAreLeftOut() {
		Set<Cipher> available = EnumSet.of(Cipher.TLS_AES_256_GCM_SHA384, Cipher.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384);
		assertThat(read(OPENSSL_3_5, available))
			.returns(List.of(Cipher.TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384), TlsPolicy::ciphers)
			.returns(List.of(Cipher.TLS_AES_256_GCM_SHA384), TlsPolicy::cipherSuites);
		this.config.setCiphers("ECDHE-RSA-CHACHA20-POLY1305");
		this.config.setCipherSuites("TLS_CHACHA20_POLY1305_SHA256");
		assertThat(read(OPENSSL_3_5, available))
			.returns(List.of(Cipher.TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256), TlsPolicy::ciphers)
			.returns(List.of(Cipher.TLS_CHACHA20_POLY1305_SHA256), TlsPolicy::cipherSuites);
	}

	@ParameterizedTest
	@ValueSource(strings = { "ECDHE+AESGCM", "ECDHE-RSA-AES128-GCM-SHA256:@SECLEVEL=1", "HIGH:!aNULL" })
	void whenSuitesAreAnExpressionThenOpenSslGetsIt(String expression) {
		this.config.setCiphers(expression);
		TlsPolicy policy = apply(OPENSSL_3_5);
		assertThat(policy.openSslCiphers()).isEqualTo(expression);
		assertThat(policy.ciphers()).contains(Cipher.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256);
	}

	@Test
	void whenGroupIsNotKnownThenFails() {
		this.config.setGroups("secp256r1,unknown");
		assertThatExceptionOfType(TlsSettingException.class).isThrownBy(() -> apply(OPENSSL_3_5))
			.withMessageContaining("'unknown' is not the name of a group");
	}

	// JSSE has it for the form of the first message
	@Test
	void whenHelloOfSsl2IsNamedThenOpenSslGoesWithoutIt() {
		this.config.setProtocols("SSLv2Hello+TLSv1.2");
		assertThat(apply(OPENSSL_3_5).versions()).containsExactly(ProtocolVersion.TLS_1_2);
	}

	@Test
	void whenPolicyIsShownThenItIsReadAgainAsItIs() {
		TlsPolicy policy = apply(OPENSSL_3_5);
		policy.writeTo(this.config);
		assertThat(apply(OPENSSL_3_5)).isEqualTo(policy);
		assertThat(this.config.getGroupList()).hasSize(4);
		assertThat(apply(WITHOUT_HYBRID).groups()).startsWith(KeyExchangeGroup.X25519MLKEM768);
	}

	private TlsPolicy apply(Set<KeyExchangeGroup> available) {
		return read(available, EnumSet.allOf(Cipher.class));
	}

	private TlsPolicy read(Set<KeyExchangeGroup> groups, Set<Cipher> suites) {
		return new PolicyReader(SecurityPolicy.INTERMEDIATE, new EngineCapabilities("OpenSSL", groups, Set.of(), suites,
				SecurityPolicy.INTERMEDIATE.versions(), ProtocolVersion.TLS, false, false, true))
			.read(this.config);
	}

}
