// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.nio.file.Files;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;

import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509TrustManager;

import io.github.tomcatopenssl.SecurityPolicy;
import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.test.TestCertificates;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests for {@link CertificateRules}.
 */
class CertificateRulesTests {

	private static final TestCertificates certificates = TestCertificates.get();

	@BeforeAll
	static void issue() {
		if (Files.exists(certificates.file("rules-rsa-2999.crt"))) {
			return;
		}
		for (String bits : List.of("1024", "2047", "2999", "3000")) {
			certificates.openssl("req", "-x509", "-newkey", "rsa:" + bits, "-nodes", "-days", "30", "-subj",
					"/CN=rsa-" + bits, "-keyout", "rules-rsa-" + bits + ".key", "-out", "rules-rsa-" + bits + ".crt");
		}
		for (String curve : List.of("P-224", "P-521")) {
			certificates.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:" + curve, "-nodes",
					"-days", "30", "-subj", "/CN=" + curve, "-keyout", "rules-" + curve + ".key", "-out",
					"rules-" + curve + ".crt");
		}
		certificates.openssl("req", "-new", "-key", "p256.key", "-subj", "/CN=signed", "-out", "rules-signed.csr");
		signed("rules-pkcs1", "-sha256");
		signed("rules-sha1", "-sha1");
		signed("rules-pss", "-sha256", "-sigopt", "rsa_padding_mode:pss");
		signed("rules-pss-sha1", "-sha1", "-sigopt", "rsa_padding_mode:pss");
		signed("rules-pss-mgf1-sha1", "-sha256", "-sigopt", "rsa_padding_mode:pss", "-sigopt", "rsa_mgf1_md:sha1");
	}

	private static void signed(String name, String... options) {
		List<String> command = new ArrayList<>(
				List.of("x509", "-req", "-in", "rules-signed.csr", "-CA", "rules-rsa-3000.crt", "-CAkey",
						"rules-rsa-3000.key", "-CAcreateserial", "-days", "30", "-out", name + ".crt"));
		command.addAll(List.of(options));
		certificates.openssl(command.toArray(String[]::new));
	}

	@ParameterizedTest
	@CsvSource({ "INTERMEDIATE, rsa, rules-rsa-2047", "NIST_SP_800_52R2, rsa, rules-rsa-2047",
			"BSI_TR_02102_2, rules-rsa-3000, rules-rsa-2999", "PCI_DSS_4, rsa, rules-rsa-1024",
			"INTERMEDIATE, p384, rules-P-521", "MODERN, p256, rsa", "MODERN, p384, ed25519",
			"NIST_SP_800_52R2, rules-P-521, rules-P-224", "BSI_TR_02102_2, rules-P-521, rules-P-224",
			"PCI_DSS_4, rules-P-521, ed25519" })
	void whenKeyIsTooWeakOrOfAnotherTypeThenIsRefused(SecurityPolicy policy, String allowed, String refused) {
		CertificateRules rules = new CertificateRules(policy);
		assertThat(violation(rules, allowed)).isNull();
		assertThat(violation(rules, refused)).contains("'CN=", "key");
	}

	@ParameterizedTest
	@CsvSource({ "INTERMEDIATE, rules-pkcs1, rules-sha1", "MODERN, leaf, rules-pkcs1",
			"NIST_SP_800_52R2, rules-pss, rules-pss-sha1", "BSI_TR_02102_2, rules-pss, rules-pss-mgf1-sha1",
			"BSI_TR_02102_2, rules-pss, rules-pkcs1", "PCI_DSS_4, rules-pkcs1, rules-sha1" })
	void whenSignatureIsNotAllowedThenIsRefused(SecurityPolicy policy, String allowed, String refused) {
		CertificateRules rules = new CertificateRules(policy);
		assertThat(violation(rules, allowed)).isNull();
		assertThat(violation(rules, refused)).contains("is signed with");
	}

	@Test
	void whenCnsa2AppliesThenOnlyMlDsa87IsAllowed() {
		CertificateRules rules = new CertificateRules(SecurityPolicy.CNSA_2);
		assertThat(List.of("p384", "rsa", "ed25519", "ml-dsa-44", "ml-dsa-65"))
			.allSatisfy((name) -> assertThat(violation(rules, name)).contains("[mldsa87]"));
		assertThat(violation(rules, "ml-dsa-87")).isNull();
	}

	@ParameterizedTest
	@EnumSource
	void whenIntermediateIsNotAllowedThenFailsWithRuleAndSource(SecurityPolicy policy) {
		HostKey key = new HostKey(null,
				List.of(certificates.certificate("p256.crt"), certificates.certificate("rules-rsa-1024.crt")));
		assertThatExceptionOfType(TlsSettingException.class)
			.isThrownBy(() -> new CertificateRules(policy).require("example.com", List.of(key)))
			.satisfies((ex) -> {
				assertThat(ex.isAbout(SettingName.CERTIFICATE)).isTrue();
				assertThat(ex.getCertificate()).isEqualTo(key.leaf());
			})
			.withMessageContainingAll("example.com", policy.toString(), policy.source(), ", because 'policy' is '")
			.withMessageNotContaining(", but ");
	}

	@Test
	void whenCaIsNotAllowedThenFailsWithRuleAndSource() {
		CertificateRules rules = new CertificateRules(SecurityPolicy.BSI_TR_02102_2);
		// Nobody verifies the signature of a CA that is trusted
		rules.requireIssuers("example.com", new X509Certificate[] { certificates.certificate("rules-pkcs1.crt") });
		assertThatExceptionOfType(TlsSettingException.class)
			.isThrownBy(() -> rules.requireIssuers("example.com",
					new X509Certificate[] { certificates.certificate("rsa.crt") }))
			.satisfies((ex) -> assertThat(ex.isAbout(SettingName.CA_CERTIFICATES)).isTrue())
			.withMessageContainingAll("RSA key with 2048 bits, and the minimum is 3000", "bsi-tr-02102-2",
					"version 2026-01", ", because 'policy' is '");
	}

	@Test
	void whenClientHasCertificateThatIsNotAllowedThenIsRefused() {
		X509TrustManager manager = new CertificateRules(SecurityPolicy.BSI_TR_02102_2)
			.enforcedBy(new TrustsAll(List.of()));
		assertThat(manager).isNotInstanceOf(X509ExtendedTrustManager.class);
		assertThatNoException().isThrownBy(() -> manager.checkClientTrusted(chain("p256"), "EC"));
		assertThatExceptionOfType(CertificateException.class)
			.isThrownBy(() -> manager.checkClientTrusted(chain("p256", "rsa"), "EC"))
			.withMessageContainingAll("bsi-tr-02102-2", "'CN=rsa' has an RSA key with 2048 bits");
	}

	// Such as one that gets its CAs from elsewhere
	@Test
	void whenTrustManagerGetsCaThatIsNotAllowedThenItsClientsAreRefused() {
		certificates.openssl("x509", "-req", "-in", "rules-signed.csr", "-CA", "rules-rsa-2999.crt", "-CAkey",
				"rules-rsa-2999.key", "-CAcreateserial", "-days", "30", "-out", "rules-pss-2999.crt", "-sigopt",
				"rsa_padding_mode:pss");
		List<X509Certificate> issuers = new ArrayList<>(List.of(chain("rules-rsa-3000")));
		X509TrustManager manager = new CertificateRules(SecurityPolicy.BSI_TR_02102_2)
			.enforcedBy(new TrustsAll(issuers));
		issuers.add(certificates.certificate("rules-rsa-2999.crt"));
		assertThatNoException().isThrownBy(() -> manager.checkClientTrusted(chain("rules-pss"), "EC"));
		assertThatExceptionOfType(CertificateException.class)
			.isThrownBy(() -> manager.checkClientTrusted(chain("rules-pss-2999"), "EC"))
			.withMessageContaining("'CN=rsa-2999' has an RSA key with");
	}

	private static X509Certificate[] chain(String... names) {
		return List.of(names)
			.stream()
			.map((name) -> certificates.certificate(name + ".crt"))
			.toArray(X509Certificate[]::new);
	}

	private static String violation(CertificateRules rules, String name) {
		return rules.violation(List.of(certificates.certificate(name + ".crt")));
	}

	private record TrustsAll(List<X509Certificate> issuers) implements X509TrustManager {

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String authType) {
		}

		@Override
		public void checkServerTrusted(X509Certificate[] chain, String authType) {
		}

		@Override
		public X509Certificate[] getAcceptedIssuers() {
			return this.issuers.toArray(X509Certificate[]::new);
		}

	}

}
