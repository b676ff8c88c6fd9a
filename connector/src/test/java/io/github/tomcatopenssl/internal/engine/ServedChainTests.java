// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.engine;

import java.util.ArrayList;
import java.util.List;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.host.ClientMaterial;
import io.github.tomcatopenssl.internal.host.PolicySettings;
import io.github.tomcatopenssl.internal.host.RevocationChecks;
import io.github.tomcatopenssl.internal.host.ServerNameRules;
import io.github.tomcatopenssl.internal.host.TlsAlpnChallenges;
import io.github.tomcatopenssl.internal.host.TlsSettings;
import io.github.tomcatopenssl.test.CapturedLog;
import io.github.tomcatopenssl.test.TestCertificates;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.SSLHostConfigCertificate.Type;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests that {@link VirtualHosts} serves no certificate that no client can verify or ask
 * for, and warns once of what some clients refuse.
 */
@Tag("servers")
@ExtendWith(NativeMemoryIsFreed.class)
class ServedChainTests {

	private static final TestCertificates certificates = TestCertificates.get();

	@RegisterExtension
	private final CapturedLog log = new CapturedLog(VirtualHosts.class);

	private final List<VirtualHosts> all = new ArrayList<>();

	@BeforeAll
	static void loadLibraryAndIssue() {
		Engine.load();
		certificates.issue("ca", "served-no-ca", "basicConstraints=CA:FALSE", "20260101000000Z", "20460101000000Z");
		certificates.issue("served-no-ca", "served-leaf", "subjectAltName=DNS:localhost", "20260101000000Z",
				"20460101000000Z");
		certificates.join("served-chain.crt", "served-leaf.crt", "served-no-ca.crt");
		certificates.issue("ca", "renewed", "subjectAltName=DNS:localhost", "20260101000000Z", "20460101000000Z");
		certificates.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
				"/CN=address", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout", "address.key", "-out",
				"address.crt");
		certificates.openssl("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj",
				"/CN=localhost", "-keyout", "nameless.key", "-out", "nameless.crt");
	}

	@AfterEach
	void removeHosts() {
		this.all.forEach(VirtualHosts::removeAll);
	}

	@ParameterizedTest
	@EnumSource
	void whenNoClientVerifiesTheChainThenPreviousContextStaysInUse(Engine engine) {
		VirtualHosts hosts = hosts(engine, null);
		assertThatExceptionOfType(TlsSettingException.class)
			.isThrownBy(() -> create(hosts, host("served-chain", "served-leaf")))
			.satisfies((failure) -> assertThat(failure.getReason(SettingName::toString)).contains(
					"no client could verify the chain", "'CN=served-no-ca' (number 2 of the chain)",
					"has issued the certificate 'CN=served-leaf', but is not one of a CA"));
		create(hosts, host("p256", "p256"));
		TlsContext previous = hosts.current().get("_default_").context();
		assertThatExceptionOfType(TlsSettingException.class)
			.isThrownBy(() -> create(hosts, host("served-chain", "served-leaf")));
		assertThat(hosts.current().get("_default_").context()).isSameAs(previous);
	}

	@Test
	void whenWarningIsTheSameAfterARenewalThenItIsNotRepeated() throws Exception {
		VirtualHosts hosts = hosts(Engine.JSSE, null);
		create(hosts, host("renewed", "renewed"));
		assertThat(this.log.messages()).singleElement().asString().contains("need the certificate of 'CN=Test CA'");
		certificates.issue("ca", "renewed", "subjectAltName=DNS:localhost", "20260201000000Z", "20460101000000Z");
		create(hosts, host("renewed", "renewed"));
		assertThat(this.log.messages()).hasSize(1);
		create(hosts, host("p256", "p256"));
		create(hosts, host("renewed", "renewed"));
		assertThat(this.log.messages()).hasSize(2);
	}

	@Test
	void whenEngineLacksASuiteThatIsNamedThenLogWarns() {
		VirtualHosts hosts = hosts(Engine.JSSE, null);
		SSLHostConfig host = host("p256", "p256");
		host.setCiphers("ECDHE-ECDSA-AES128-GCM-SHA256:ECDHE-ECDSA-AES256-CCM");
		create(hosts, host);
		assertThat(this.log.messages()).singleElement()
			.asString()
			.contains("JSSE, which serves TLS, does not support", "[TLS_ECDHE_ECDSA_WITH_AES_256_CCM]");
		host.setCiphers("ECDHE+AESGCM:ECDHE+AESCCM");
		create(hosts, host);
		assertThat(this.log.messages()).hasSize(1);
	}

	@Test
	void whenNoCaIssuesForClientsThenLogWarns() throws Exception {
		VirtualHosts hosts = hosts(Engine.JSSE, null);
		SSLHostConfig host = host("p256", "p256");
		host.setCertificateVerification("required");
		host.setCaCertificateFile(certificates.file("leaf.crt").toString());
		create(hosts, host);
		assertThat(this.log.messages()).singleElement()
			.asString()
			.contains("'CN=leaf', because its basic constraints lack 'CA:TRUE'");
	}

	@Test
	void whenCertificateHasNoHostNameAndUnknownNamesAreRejectedThenItIsRefused() {
		for (String name : List.of("address", "nameless")) {
			SSLHostConfig host = host(name, name);
			assertThatExceptionOfType(TlsSettingException.class)
				.isThrownBy(() -> hosts(Engine.JSSE, ServerNameRules.of(List.of())).requireReadable(List.of(host)))
				.satisfies((failure) -> {
					assertThat(failure.isAbout(SettingName.UNKNOWN_SERVER_NAME)).isTrue();
					assertThat(failure.getReason(SettingName::toString)).contains("no client could connect",
							"is for no host name");
				});
			hosts(Engine.JSSE, null).requireReadable(List.of(host));
			for (String allowed : List.of("10.0.0.0/8", "probe.internal")) {
				hosts(Engine.JSSE, ServerNameRules.of(List.of(allowed))).requireReadable(List.of(host));
			}
			SSLHostConfig other = host(name, name);
			other.setHostName("www.example.com");
			hosts(Engine.JSSE, ServerNameRules.of(List.of())).requireReadable(List.of(host, other));
		}
	}

	@Test
	void whenReloadBringsCertificateWithoutHostNameThenPreviousContextStaysInUse() {
		VirtualHosts hosts = hosts(Engine.JSSE, ServerNameRules.of(List.of()));
		create(hosts, host("p256", "p256"));
		TlsContext previous = hosts.current().get("_default_").context();
		assertThatExceptionOfType(TlsSettingException.class)
			.isThrownBy(() -> create(hosts, host("address", "address")));
		assertThat(hosts.current().get("_default_").context()).isSameAs(previous);
	}

	private VirtualHosts hosts(Engine engine, @Nullable ServerNameRules names) {
		VirtualHosts hosts = new VirtualHosts(engine.served(),
				new TlsSettings(List.of(), PolicySettings.NONE, RevocationChecks.NONE, (name) -> ClientMaterial.NONE,
						null, names, null, null, null, false, TlsAlpnChallenges.NONE, (any) -> null));
		this.all.add(hosts);
		return hosts;
	}

	private static void create(VirtualHosts hosts, SSLHostConfig host) {
		hosts.create(host, List.of(), "_default_");
	}

	private static SSLHostConfig host(String certificate, String key) {
		SSLHostConfig host = new SSLHostConfig();
		SSLHostConfigCertificate files = new SSLHostConfigCertificate(host, Type.UNDEFINED);
		files.setCertificateFile(certificates.file(certificate + ".crt").toString());
		files.setCertificateKeyFile(certificates.file(key + ".key").toString());
		host.addCertificate(files);
		return host;
	}

}
