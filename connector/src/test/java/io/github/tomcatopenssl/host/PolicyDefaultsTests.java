// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.util.EnumSet;
import java.util.List;
import java.util.Set;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.SecurityPolicy;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link PolicyDefaults} and the {@link TlsPolicy} that it makes.
 */
class PolicyDefaultsTests {

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
		assertThat(policy.ciphers().split(":")).containsExactlyElementsOf(SecurityPolicy.INTERMEDIATE.ciphers());
		assertThat(policy.cipherSuites().split(":"))
			.containsExactlyElementsOf(SecurityPolicy.INTERMEDIATE.cipherSuites());
		assertThat(policy.protocols()).containsExactly("TLSv1.2", "TLSv1.3");
		assertThat(policy.groups()).containsExactly("x25519", "secp256r1", "secp384r1");
		assertThat(policy.serverCipherOrder()).isFalse();
	}

	@Test
	void whenEngineOffersHybridGroupThenItIsFirst() {
		assertThat(apply(OPENSSL_3_5).groups()).containsExactly("X25519MLKEM768", "x25519", "secp256r1", "secp384r1");
	}

	@Test
	void whenEngineLacksGroupsThenTheyAreLeftOut() {
		assertThat(apply(EnumSet.of(KeyExchangeGroup.SECP256R1, KeyExchangeGroup.SECP384R1, KeyExchangeGroup.FFDHE2048))
			.groups()).containsExactly("secp256r1", "secp384r1");
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
		assertThat(apply(OPENSSL_3_5)).returns("ECDHE-RSA-AES256-SHA384", TlsPolicy::ciphers)
			.returns("TLS_AES_256_GCM_SHA384", TlsPolicy::cipherSuites)
			.returns(List.of("secp521r1"), TlsPolicy::groups)
			.returns(List.of("TLSv1.3"), TlsPolicy::protocols);
	}

	@Test
	void whenSuitesAndProtocolsContradictThenNoProtocolIsLeft() {
		this.config.setCiphers("");
		this.config.setProtocols("TLSv1.2");
		assertThat(apply(OPENSSL_3_5).protocols()).isEmpty();
	}

	@Test
	void whenPolicyIsShownThenItIsReadAgainAsItIs() {
		TlsPolicy policy = apply(OPENSSL_3_5);
		policy.writeTo(this.config);
		assertThat(HostReader.readPolicy(this.config)).isEqualTo(policy);
		assertThat(this.config.getGroupList()).hasSize(4);
		assertThat(apply(WITHOUT_HYBRID).groups()).startsWith("X25519MLKEM768");
	}

	private TlsPolicy apply(Set<KeyExchangeGroup> available) {
		return PolicyDefaults.applyTo(SecurityPolicy.INTERMEDIATE, HostReader.readPolicy(this.config), available);
	}

}
