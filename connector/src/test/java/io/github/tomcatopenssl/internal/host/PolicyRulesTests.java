// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.function.Consumer;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.ProtocolVersion;
import io.github.tomcatopenssl.SecurityPolicy;
import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.SignatureScheme;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.test.TestCertificates;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.openssl.OpenSSLConf;
import org.apache.tomcat.util.net.openssl.OpenSSLConfCmd;
import org.apache.tomcat.util.net.openssl.ciphers.Cipher;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link PolicyRules} with a named policy, and for {@link NamedPolicy},
 * {@link Signatures} and {@link SignatureScheme}.
 */
class PolicyRulesTests {

	private static final Set<KeyExchangeGroup> ALL = EnumSet.allOf(KeyExchangeGroup.class);

	private final SSLHostConfig config = new SSLHostConfig();

	@ParameterizedTest
	@EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "CNSA_2")
	void whenNothingElseIsSetThenServesWhatThePolicyAllows(SecurityPolicy policy) {
		TlsPolicy applied = apply(policy, ALL);
		assertThat(applied.versions()).isEqualTo(policy.versions());
		assertThat(applied.cipherSuites()).isEqualTo(policy.cipherSuites());
		assertThat(applied.groups()).isEqualTo(policy.groups());
		assertThat(applied.signatures()).isEqualTo(policy.signatures());
		if (policy.versions().contains(ProtocolVersion.TLS_1_2)) {
			assertThat(applied.ciphers()).isEqualTo(policy.ciphers());
			assertThat(applied.expression()).isNull();
		}
	}

	@Test
	void whenNoPolicyIsSetThenSignatureAlgorithmsAreThoseOfTheEngine() {
		assertThat(apply(null, ALL).signatures()).isEmpty();
	}

	@Test
	void whenSettingsAreWithinThePolicyThenTheyNarrowIt() {
		this.config.setProtocols("TLSv1.2");
		this.config.setCiphers("ECDHE-ECDSA-AES256-GCM-SHA384");
		PolicySettings settings = new PolicySettings(SecurityPolicy.NIST_SP_800_52R2,
				List.of(SignatureScheme.ECDSA_SECP384R1_SHA384), null);
		TlsPolicy applied = apply(settings, ALL, List.of(KeyExchangeGroup.SECP521R1), "p384");
		assertThat(applied).returns(List.of(ProtocolVersion.TLS_1_2), TlsPolicy::versions)
			.returns("ECDHE-ECDSA-AES256-GCM-SHA384", TlsPolicy::openSslCiphers)
			.returns(List.of(KeyExchangeGroup.SECP521R1), TlsPolicy::groups)
			.returns(List.of(SignatureScheme.ECDSA_SECP384R1_SHA384), TlsPolicy::signatures);
	}

	@ParameterizedTest
	@CsvSource({ "p384, ECDHE+aRSA, EC", "rsa, ECDHE+aECDSA, RSA" })
	void whenNoSuiteOfTls12FitsTheKeyThenFails(String key, String ciphers, String type) {
		this.config.setCiphers(ciphers);
		assertThatExceptionOfType(TlsSettingException.class)
			.isThrownBy(() -> apply(new PolicySettings(null, List.of(), null), ALL, List.of(), key))
			.satisfies((ex) -> assertThat(ex.isAbout(SettingName.CIPHERS)).isTrue())
			.withMessageContaining("none of its TLS 1.2 cipher suites fits the %s key", type);
	}

	// OpenSSL might understand more by it than Tomcat
	@Test
	void whenSuitesAreAnExpressionThenItsSuitesAreServed() {
		this.config.setCiphers("ECDHE+AESGCM:!aRSA");
		assertThat(apply(SecurityPolicy.NIST_SP_800_52R2, ALL).openSslCiphers().split(":"))
			.containsExactlyInAnyOrder("ECDHE-ECDSA-AES256-GCM-SHA384", "ECDHE-ECDSA-AES128-GCM-SHA256");
	}

	// JSSE would leave out names that only OpenSSL knows, and might be left with no limit
	@Test
	void whenGroupsHaveOtherNamesThenThoseOfThePolicyAreServed() {
		this.config.setGroups("P-384,SECP256R1,prime256v1");
		assertThat(apply(SecurityPolicy.NIST_SP_800_52R2, ALL).groups()).containsExactly(KeyExchangeGroup.SECP384R1,
				KeyExchangeGroup.SECP256R1);
	}

	@Test
	void whenVersionIsNotAllowedThenFailsWithBoth() {
		this.config.setProtocols("TLSv1.2+TLSv1.3");
		assertRefused(SettingName.ENABLED_PROTOCOLS, SecurityPolicy.MODERN, "TLSv1.2",
				() -> apply(SecurityPolicy.MODERN, ALL));
	}

	@Test
	void whenOnlySuitesOfAnotherVersionAreSetThenFailsWithBoth() {
		this.config.setCiphers("ECDHE-ECDSA-AES128-GCM-SHA256");
		this.config.setCipherSuites("");
		assertRefused(SettingName.CIPHERS, SecurityPolicy.MODERN, "ECDHE-ECDSA-AES128-GCM-SHA256",
				() -> apply(SecurityPolicy.MODERN, ALL));
	}

	@ParameterizedTest
	@CsvSource({ "PCI_DSS_4, ECDHE-RSA-AES256-SHA384", "BSI_TR_02102_2, ECDHE-RSA-CHACHA20-POLY1305",
			"NIST_SP_800_52R2, AES128-GCM-SHA256" })
	void whenSuiteIsNotAllowedThenFailsWithBoth(SecurityPolicy policy, String cipher) {
		this.config.setCiphers("ECDHE-ECDSA-AES128-GCM-SHA256:" + cipher);
		assertRefused(SettingName.CIPHERS, policy, cipher, () -> apply(policy, ALL));
	}

	@Test
	void whenSuiteOfTls13IsNotAllowedThenFailsWithBoth() {
		this.config.setCipherSuites("TLS_AES_256_GCM_SHA384:TLS_CHACHA20_POLY1305_SHA256");
		assertRefused(SettingName.CIPHERS, SecurityPolicy.BSI_TR_02102_2, "TLS_CHACHA20_POLY1305_SHA256",
				() -> apply(SecurityPolicy.BSI_TR_02102_2, ALL));
	}

	@Test
	void whenSecurityLevelIsSetThenFailsWithBoth() {
		this.config.setCiphers("ECDHE-ECDSA-AES128-GCM-SHA256:@SECLEVEL=1");
		assertRefused(SettingName.CIPHERS, SecurityPolicy.PCI_DSS_4, "@SECLEVEL=1",
				() -> apply(SecurityPolicy.PCI_DSS_4, ALL));
	}

	@Test
	void whenGroupIsNotAllowedThenFailsWithBoth() {
		PolicySettings settings = new PolicySettings(SecurityPolicy.NIST_SP_800_52R2, List.of(), null);
		assertRefused(SettingName.GROUPS, SecurityPolicy.NIST_SP_800_52R2, "x25519",
				() -> apply(settings, ALL, List.of(KeyExchangeGroup.SECP256R1, KeyExchangeGroup.X25519), "p256"));
		this.config.setGroups("secp256r1,X25519");
		assertRefused(SettingName.GROUPS, SecurityPolicy.NIST_SP_800_52R2, "x25519",
				() -> apply(SecurityPolicy.NIST_SP_800_52R2, ALL));
	}

	@Test
	void whenSignatureAlgorithmIsNotAllowedThenFailsWithBoth() {
		PolicySettings settings = new PolicySettings(SecurityPolicy.BSI_TR_02102_2,
				List.of(SignatureScheme.ECDSA_SECP256R1_SHA256, SignatureScheme.RSA_PKCS1_SHA256), null);
		assertRefused(SettingName.SIGNATURE_ALGORITHMS, SecurityPolicy.BSI_TR_02102_2, "rsa_pkcs1_sha256",
				() -> apply(settings, ALL, List.of(), "p256"));
	}

	@Test
	void whenCommandOfOpenSslCouldBypassThePolicyThenFails() {
		OpenSSLConf commands = new OpenSSLConf();
		commands.addCmd(new OpenSSLConfCmd("CipherString", "ALL"));
		this.config.setOpenSslConf(commands);
		assertRefused(SettingName.POLICY, SecurityPolicy.PCI_DSS_4, "CipherString",
				() -> apply(SecurityPolicy.PCI_DSS_4, ALL));
	}

	@Test
	void whenRenegotiationOrCompressionIsAllowedThenFails() {
		this.config.setInsecureRenegotiation(true);
		assertRefused(SettingName.POLICY, SecurityPolicy.PCI_DSS_4, "insecureRenegotiation",
				() -> apply(SecurityPolicy.PCI_DSS_4, ALL));
		this.config.setInsecureRenegotiation(false);
		this.config.setDisableCompression(false);
		assertRefused(SettingName.POLICY, SecurityPolicy.PCI_DSS_4, "disableCompression",
				() -> apply(SecurityPolicy.PCI_DSS_4, ALL));
	}

	@Test
	void whenEngineHasNoGroupOfThePolicyThenFails() {
		assertRefused(SettingName.POLICY, SecurityPolicy.NIST_SP_800_52R2, "JSSE, which serves TLS",
				() -> apply(SecurityPolicy.NIST_SP_800_52R2, EnumSet.of(KeyExchangeGroup.X25519)));
	}

	// JSSE of Java 17
	@Test
	void whenGroupsCannotBeConfiguredThenThoseOfThePolicyAreServed() {
		assertThat(apply(SecurityPolicy.BSI_TR_02102_2, Set.of()).groups()).containsExactly(KeyExchangeGroup.SECP256R1,
				KeyExchangeGroup.SECP384R1, KeyExchangeGroup.SECP521R1, KeyExchangeGroup.FFDHE3072,
				KeyExchangeGroup.FFDHE4096);
	}

	@ParameterizedTest
	@CsvSource({ "p256, ECDSA_SECP384R1_SHA384, TLSv1.2", "rsa, RSA_PKCS1_SHA256, TLSv1.3",
			"rsa, ECDSA_SECP256R1_SHA256, TLSv1.2", "p384, ECDSA_SECP256R1_SHA256, TLSv1.2" })
	void whenNoSignatureAlgorithmFitsAKeyThenFails(String key, SignatureScheme scheme, String version) {
		PolicySettings settings = new PolicySettings(null, List.of(scheme), null);
		assertThatExceptionOfType(TlsSettingException.class).isThrownBy(() -> apply(settings, ALL, List.of(), key))
			.satisfies((ex) -> assertThat(ex.isAbout(SettingName.SIGNATURE_ALGORITHMS)).isTrue())
			.withMessageContainingAll(scheme.toString(), "in " + version);
	}

	@Test
	void whenNoneOfThePolicyFitsAKeyThenFailsWithThePolicy() {
		TestCertificates.get()
			.openssl("req", "-x509", "-newkey", "rsa-pss", "-pkeyopt", "rsa_keygen_bits:2048", "-nodes", "-days", "30",
					"-subj", "/CN=rsa-pss", "-keyout", "policy-rsa-pss.key", "-out", "policy-rsa-pss.crt");
		PolicySettings settings = new PolicySettings(SecurityPolicy.INTERMEDIATE, List.of(), null);
		assertRefused(SettingName.POLICY, SecurityPolicy.INTERMEDIATE, "RSASSA-PSS",
				() -> apply(settings, ALL, List.of(), "policy-rsa-pss"));
	}

	@Test
	void whenEngineHasNoneOfTheSignatureAlgorithmsThenFails() {
		PolicySettings settings = new PolicySettings(null, List.of(SignatureScheme.MLDSA87), null);
		assertThatExceptionOfType(TlsSettingException.class).isThrownBy(() -> apply(settings, ALL, List.of(), "p256"))
			.withMessageContaining("JSSE, which serves TLS, supports none of [mldsa87]");
	}

	@Test
	void whenContextIsProvidedThenItIsRefusedOnlyWithAPolicy() {
		rules(new PolicySettings(null, List.of(), null), ALL, List.of()).rejectProvided("example.com");
		assertThatExceptionOfType(TlsSettingException.class)
			.isThrownBy(() -> rules(new PolicySettings(SecurityPolicy.MODERN, List.of(), null), ALL, List.of())
				.rejectProvided("example.com"))
			.withMessageContaining("has its own 'SSLContext'");
	}

	private static void assertRefused(SettingName setting, SecurityPolicy policy, String value, Runnable action) {
		Consumer<TlsSettingException> isAbout = (ex) -> {
			assertThat(ex.isAbout(setting)).isTrue();
			assertThat(ex.getReason((name) -> "server.ssl." + name)).contains(value, policy.toString(),
					policy.source());
		};
		assertThatExceptionOfType(TlsSettingException.class).isThrownBy(action::run).satisfies(isAbout);
	}

	private TlsPolicy apply(SecurityPolicy policy, Set<KeyExchangeGroup> available) {
		return apply(new PolicySettings(policy, List.of(), null), available, List.of(), "p256");
	}

	private TlsPolicy apply(PolicySettings settings, Set<KeyExchangeGroup> available, List<KeyExchangeGroup> groups,
			String... keys) {
		List<HostKey> hostKeys = Arrays.stream(keys)
			.map((name) -> new HostKey(null, List.of(TestCertificates.get().certificate(name + ".crt"))))
			.toList();
		return rules(settings, available, groups).of(this.config, hostKeys);
	}

	private static PolicyRules rules(PolicySettings policy, Set<KeyExchangeGroup> available,
			List<KeyExchangeGroup> groups) {
		return new PolicyRules(
				new TlsSettings(groups, policy, RevocationChecks.NONE, (host) -> ClientMaterial.NONE, null, null, null,
						null, null, false, TlsAlpnChallenges.NONE, (certificate) -> null),
				new EngineCapabilities("JSSE", available,
						EnumSet.complementOf(
								EnumSet.of(SignatureScheme.MLDSA44, SignatureScheme.MLDSA65, SignatureScheme.MLDSA87)),
						EnumSet.allOf(Cipher.class), SecurityPolicy.INTERMEDIATE.versions(),
						SecurityPolicy.INTERMEDIATE.versions(), true, true, false));
	}

}
