// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.engine;

import java.io.InputStream;
import java.nio.file.Files;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;

import io.github.tomcatopenssl.FipsMode;
import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.LibrarySource;
import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.host.CertificateHosts;
import io.github.tomcatopenssl.internal.host.ClientMaterial;
import io.github.tomcatopenssl.internal.host.HostKey;
import io.github.tomcatopenssl.internal.host.HostKeyStore;
import io.github.tomcatopenssl.internal.host.HostMaterial;
import io.github.tomcatopenssl.internal.host.PolicySettings;
import io.github.tomcatopenssl.internal.host.RevocationChecks;
import io.github.tomcatopenssl.internal.host.TlsAlpnChallenges;
import io.github.tomcatopenssl.internal.host.TlsSettings;
import io.github.tomcatopenssl.internal.library.TomcatNativeLoader;
import io.github.tomcatopenssl.test.CapturedLog;
import io.github.tomcatopenssl.test.Provided;
import io.github.tomcatopenssl.test.TestCertificates;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.SSLHostConfigCertificate.Type;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests {@link TrialHandshake} with contexts that no server uses, and clients of
 * {@link OpenSslEngine} and {@link JsseEngine}.
 */
@Tag("servers")
@ExtendWith(NativeMemoryIsFreed.class)
class TrialHandshakeTests {

	private static final String PASSWORD = "changeit";

	private static final TestCertificates certificates = TestCertificates.get();

	@RegisterExtension
	private final CapturedLog log = new CapturedLog(TrialHandshake.class);

	private final List<VirtualHosts> all = new ArrayList<>();

	@AfterEach
	void removeHosts() {
		this.all.forEach(VirtualHosts::removeAll);
	}

	@BeforeAll
	static void loadLibraryAndMakeKeys() {
		assertThat(new TomcatNativeLoader(LibrarySource.SYSTEM, Provided.tomcatNative(), null, FipsMode.OFF).status()
			.available()).isTrue();
		make("p521", "ec", "-pkeyopt", "ec_paramgen_curve:P-521");
		make("ed448", "ed448");
		make("pss", "rsa-pss", "-pkeyopt", "rsa_keygen_bits:2048");
		make("salt", "rsa-pss", "-pkeyopt", "rsa_keygen_bits:2048", "-pkeyopt", "rsa_pss_keygen_md:sha256", "-pkeyopt",
				"rsa_pss_keygen_mgf1_md:sha256", "-pkeyopt", "rsa_pss_keygen_saltlen:100", "-sigopt",
				"rsa_pss_saltlen:100");
	}

	private static void make(String name, String... key) {
		List<String> command = new ArrayList<>(List.of("req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=" + name,
				"-keyout", name + ".key", "-out", name + ".crt", "-newkey"));
		command.addAll(List.of(key));
		certificates.openssl(command.toArray(String[]::new));
	}

	@ParameterizedTest
	@CsvSource({ "true, rsa", "true, p256", "true, p384", "true, p521", "true, ed25519", "true, ed448", "true, pss",
			"false, rsa", "false, p256", "false, p384", "false, p521", "false, ed25519", "false, ed448", "false, pss" })
	void whenClientsCanConnectThenContextIsUsed(boolean openSsl, String name) throws Exception {
		SSLHostConfig host = host(name);
		assertThat(context(create(openSsl, host))).isNotNull();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void whenKeyCannotSignHandshakesThenPreviousContextStaysInUse(boolean openSsl) throws Exception {
		SSLHostConfig host = host("p256");
		VirtualHosts hosts = create(openSsl, host);
		TlsContext previous = context(hosts);
		setKeyStore(host, keyStore("salt", "salt"));
		assertThatExceptionOfType(TlsSettingException.class).isThrownBy(() -> create(hosts, host)).satisfies((ex) -> {
			assertThat(ex.isAbout(SettingName.CERTIFICATE)).isTrue();
			assertThat(ex.getCertificate()).isEqualTo(keyStore("salt", "salt").getCertificate("1"));
			assertThat(ex.getReason(SettingName::toString)).startsWith(
					"no client with TLSv1.3 and TLSv1.2 could connect to the virtual host '_default_' with the certificate 'CN=salt', because "
							+ (openSsl ? "OpenSSL" : "JSSE") + " refuses the handshake: ");
		});
		assertThat(context(hosts)).isSameAs(previous);
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void whenOnlyTls12IsEnabledThenKeyThatCannotSignIsRefusedToo(boolean openSsl) throws Exception {
		SSLHostConfig host = host("salt");
		host.setProtocols("TLSv1.2");
		assertThatExceptionOfType(TlsSettingException.class).isThrownBy(() -> create(openSsl, host));
	}

	@Test
	void whenOnlyTls13CanUseTheCertificateThenLogWarns() throws Exception {
		SSLHostConfig host = host("ed25519");
		host.setCiphers("ECDHE-RSA-AES128-GCM-SHA256");
		create(true, host);
		assertThat(this.log.messages()).singleElement()
			.asString()
			.contains("no client with only TLSv1.2 could connect", "or remove TLSv1.2 from 'tls.enabled protocols'");
		SSLHostConfig withoutTls13 = host("ed25519");
		withoutTls13.setCiphers("ECDHE-RSA-AES128-GCM-SHA256");
		withoutTls13.setProtocols("TLSv1.2");
		assertThatExceptionOfType(TlsSettingException.class).isThrownBy(() -> create(true, withoutTls13));
	}

	// OpenSSL refuses such a pair when it loads the key
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void whenKeyDoesNotBelongToCertificateThenItIsRefused(boolean openSsl) throws Exception {
		SSLHostConfig host = host("p256");
		for (String key : List.of("other", "rsa")) {
			setKeyStore(host, keyStore(key, "p256"));
			assertThatExceptionOfType(TlsSettingException.class).isThrownBy(() -> create(openSsl, host))
				.satisfies((ex) -> {
					assertThat(ex.getCertificate()).isEqualTo(keyStore(key, "p256").getCertificate("1"));
					assertThat(ex.getReason(SettingName::toString)).isEqualTo(
							"the private key of the virtual host '_default_' does not belong to the certificate 'CN=p256'");
					assertThat(ex.getAction(SettingName::toString))
						.isEqualTo("Use the private key that the certificate was issued for");
				});
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void whenClientsNeedACertificateThenTheTrialNeedsNone(boolean openSsl) throws Exception {
		for (String protocol : List.of("TLSv1.2", "TLSv1.3")) {
			SSLHostConfig host = host("p256");
			host.setProtocols(protocol);
			host.setCertificateVerification("required");
			host.setTrustStore(trustStore(1));
			assertThat(context(create(openSsl, host))).isNotNull();
		}
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void whenNamesOfCasAreTooLongForAnyClientThenPreviousContextStaysInUse(boolean openSsl) throws Exception {
		SSLHostConfig host = host("p256");
		host.setCertificateVerification("required");
		host.setTrustStore(trustStore(400));
		VirtualHosts hosts = create(openSsl, host);
		TlsContext previous = context(hosts);
		assertThat(this.log.messages()).singleElement()
			.asString()
			.startsWith("Java clients refuse the virtual host '_default_', because the names of the CAs")
			.contains("take 51200 bytes");
		host.setTrustStore(trustStore(600));
		assertThatExceptionOfType(TlsSettingException.class).isThrownBy(() -> create(hosts, host)).satisfies((ex) -> {
			assertThat(ex.isAbout(SettingName.CA_CERTIFICATES)).isTrue();
			assertThat(ex.getReason(SettingName::toString))
				.contains("the 600 CAs that clients are verified against take 76800 bytes");
		});
		assertThat(context(hosts)).isSameAs(previous);
	}

	@Test
	void whenJsseLeavesOutNamesOfCasThenClientsCanConnect() throws Exception {
		SSLHostConfig host = host("p256");
		host.setProtocols("TLSv1.3");
		host.setCertificateVerification("required");
		host.setTrustStore(trustStore(600));
		create(false, host);
		assertThat(this.log.messages()).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void whenNoClientIsVerifiedThenNamesOfCasDoNotMatter(boolean openSsl) throws Exception {
		SSLHostConfig host = host("p256");
		host.setTrustStore(trustStore(600));
		assertThat(context(create(openSsl, host))).isNotNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "p256", "rsa", "ed25519" })
	void whenGroupsAreRareThenClientOffersThem(String name) throws Exception {
		for (KeyExchangeGroup group : TlsEngine.openSsl().capabilities().groups()) {
			SSLHostConfig host = host(name);
			host.setGroups(group.toString());
			host.setProtocols(group.name().startsWith("BRAINPOOL") ? "TLSv1.2" : "TLSv1.3");
			if (!group.name().startsWith("CURVESM2")) {
				assertThat(context(create(true, host))).as(group.toString()).isNotNull();
			}
		}
	}

	// The trial handshakes of the keys are performed with contexts that have one key each
	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void whenOneOfSeveralKeysCannotSignThenPreviousContextStaysInUse(boolean openSsl) throws Exception {
		SSLHostConfig host = host("p256");
		setKeyStore(host, keyStore(key("p256"), key("rsa")));
		VirtualHosts hosts = create(openSsl, host);
		TlsContext previous = context(hosts);
		setKeyStore(host, keyStore(key("p256"), key("salt")));
		assertThatExceptionOfType(TlsSettingException.class).isThrownBy(() -> create(hosts, host))
			.satisfies((ex) -> assertThat(ex.getCertificate()).isEqualTo(key("salt").leaf()));
		assertThat(context(hosts)).isSameAs(previous);
		hosts.removeAll();
	}

	private static KeyStore keyStore(HostKey... keys) {
		return HostKeyStore.of(new HostMaterial(List.of(keys), null, List.of(), List.of()));
	}

	private static HostKey key(String name) throws Exception {
		KeyStore keyStore = load(name);
		return new HostKey((PrivateKey) keyStore.getKey("1", PASSWORD.toCharArray()),
				List.of((X509Certificate) keyStore.getCertificate("1")));
	}

	private VirtualHosts create(boolean openSsl, SSLHostConfig host) {
		VirtualHosts hosts = new VirtualHosts(openSsl ? TlsEngine.openSsl() : TlsEngine.jsse(),
				new TlsSettings(List.of(), PolicySettings.NONE, RevocationChecks.NONE, (name) -> ClientMaterial.NONE,
						null, null, null, null, null, null, false, TlsAlpnChallenges.NONE, new CertificateHosts(),
						(any) -> null, (setting) -> "tls." + setting));
		this.all.add(hosts);
		create(hosts, host);
		return hosts;
	}

	private static void create(VirtualHosts hosts, SSLHostConfig host) {
		hosts.create(host, List.of(), "_default_");
	}

	private static TlsContext context(VirtualHosts hosts) {
		return hosts.current().get("_default_").context();
	}

	private static SSLHostConfig host(String name) throws Exception {
		SSLHostConfig host = new SSLHostConfig();
		host.addCertificate(new SSLHostConfigCertificate(host, Type.UNDEFINED));
		setKeyStore(host, keyStore(name, name));
		return host;
	}

	private static void setKeyStore(SSLHostConfig host, KeyStore keyStore) {
		SSLHostConfigCertificate certificate = host.getCertificates().iterator().next();
		certificate.setCertificateKeystore(keyStore);
		certificate.setCertificateKeystorePassword(PASSWORD);
	}

	private static KeyStore keyStore(String key, String certificate) throws Exception {
		KeyStore keyStore = load(key);
		keyStore.setKeyEntry("1", keyStore.getKey("1", PASSWORD.toCharArray()), PASSWORD.toCharArray(),
				load(certificate).getCertificateChain("1"));
		return keyStore;
	}

	private static KeyStore load(String name) throws Exception {
		if (!Files.exists(certificates.file(name + ".p12"))) {
			certificates.openssl("pkcs12", "-export", "-in", name + ".crt", "-inkey", name + ".key", "-out",
					name + ".p12", "-passout", "pass:" + PASSWORD);
		}
		KeyStore keyStore = KeyStore.getInstance("PKCS12");
		try (InputStream in = Files.newInputStream(certificates.file(name + ".p12"))) {
			keyStore.load(in, PASSWORD.toCharArray());
		}
		return keyStore;
	}

	private static KeyStore trustStore(int cas) throws Exception {
		KeyStore trustStore = KeyStore.getInstance("PKCS12");
		trustStore.load(null, null);
		for (X509Certificate ca : certificates.cas(cas)) {
			trustStore.setCertificateEntry(String.valueOf(trustStore.size()), ca);
		}
		return trustStore;
	}

}
