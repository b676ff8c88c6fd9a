// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.util.EnumSet;
import java.util.Set;

import io.github.tomcatopenssl.KeyExchangeGroup;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link IntermediateTlsProfile}.
 */
class IntermediateTlsProfileTests {

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
		IntermediateTlsProfile.applyTo(this.config, WITHOUT_HYBRID);
		assertThat(this.config.getCiphers().split(":")).containsExactlyElementsOf(IntermediateTlsProfile.CIPHERS);
		assertThat(this.config.getCipherSuites().split(":"))
			.containsExactlyElementsOf(IntermediateTlsProfile.CIPHER_SUITES);
		assertThat(this.config.getProtocols()).containsExactlyInAnyOrder("TLSv1.2", "TLSv1.3");
		assertThat(this.config.getGroups()).isEqualTo("x25519,secp256r1,secp384r1");
		assertThat(this.config.getGroupList()).hasSize(3);
		assertThat(this.config.getHonorCipherOrder()).isFalse();
	}

	@Test
	void whenEngineOffersHybridGroupThenItIsFirst() {
		IntermediateTlsProfile.applyTo(this.config, OPENSSL_3_5);
		assertThat(this.config.getGroups()).isEqualTo("X25519MLKEM768,x25519,secp256r1,secp384r1");
		assertThat(this.config.getGroupList()).hasSize(4);
	}

	@Test
	void whenEngineLacksGroupsThenTheyAreLeftOut() {
		IntermediateTlsProfile.applyTo(this.config,
				EnumSet.of(KeyExchangeGroup.SECP256R1, KeyExchangeGroup.SECP384R1, KeyExchangeGroup.FFDHE2048));
		assertThat(this.config.getGroups()).isEqualTo("secp256r1,secp384r1");
	}

	@Test
	void whenGroupsCannotBeConfiguredThenTheyAreNotSet() {
		IntermediateTlsProfile.applyTo(this.config, Set.of());
		assertThat(this.config.getGroups()).isNull();
	}

	@Test
	void whenUserHasSetValuesThenTheyWin() {
		this.config.setCiphers("ECDHE-RSA-AES256-SHA384");
		this.config.setCipherSuites("TLS_AES_256_GCM_SHA384");
		this.config.setProtocols("TLSv1.3");
		this.config.setGroups("secp521r1");
		IntermediateTlsProfile.applyTo(this.config, OPENSSL_3_5);
		assertThat(this.config).returns("ECDHE-RSA-AES256-SHA384", SSLHostConfig::getCiphers)
			.returns("TLS_AES_256_GCM_SHA384", SSLHostConfig::getCipherSuites)
			.returns("secp521r1", SSLHostConfig::getGroups);
		assertThat(this.config.getProtocols()).containsExactly("TLSv1.3");
	}

	@Test
	void whenSuitesAndProtocolsContradictThenNoProtocolIsLeft() {
		this.config.setCiphers("");
		this.config.setProtocols("TLSv1.2");
		IntermediateTlsProfile.applyTo(this.config, OPENSSL_3_5);
		assertThat(this.config.getProtocols()).isEmpty();
	}

	@Test
	void whenAppliedTwiceThenNothingChanges() {
		IntermediateTlsProfile.applyTo(this.config, OPENSSL_3_5);
		IntermediateTlsProfile.applyTo(this.config, WITHOUT_HYBRID);
		assertThat(this.config.getGroups()).startsWith("X25519MLKEM768");
	}

}
