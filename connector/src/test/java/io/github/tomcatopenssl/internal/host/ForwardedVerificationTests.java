// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;

import javax.net.ssl.TrustManager;

import io.github.tomcatopenssl.ForwardedCertificateHeader;
import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.internal.engine.TlsEngine;
import io.github.tomcatopenssl.test.JavaClient;
import io.github.tomcatopenssl.test.TestCertificates;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.SSLHostConfigCertificate.Type;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests for {@link ForwardedVerification} and {@link ClientVerificationReader}: how a
 * host verifies proxies and the certificates that they forward.
 */
class ForwardedVerificationTests {

	private final SSLHostConfig config = config();

	@BeforeAll
	static void issueCertificates() {
		TestCertificates certificates = TestCertificates.get();
		certificates.openssl("req", "-new", "-key", "ca.key", "-subj", "/CN=Renamed CA", "-out", "renamed-ca.csr");
		certificates.openssl("x509", "-req", "-in", "renamed-ca.csr", "-signkey", "ca.key", "-days", "30", "-out",
				"renamed-ca.crt");
		certificates.issue("proxy-ca", "clients-of-proxy-ca", "basicConstraints=critical,CA:TRUE\nkeyUsage=keyCertSign",
				"20250101000000Z", "20600101000000Z");
		certificates.issue("ca", "proxies-of-ca", "basicConstraints=critical,CA:TRUE\nkeyUsage=keyCertSign",
				"20250101000000Z", "20600101000000Z");
	}

	@Test
	void whenNothingIsForwardedThenHostHasNoProxies() throws Exception {
		ClientVerification clients = read(null, RevocationChecks.NONE, material("proxy-ca"));
		assertThat(clients.forwarded()).isNull();
		assertThat(clients.trust()).isNotNull().returns(false, (trust) -> trust.isProxy(chain("proxy")));
		assertThatExceptionOfType(CertificateException.class).isThrownBy(() -> check(clients, "proxy"));
	}

	@Test
	void whenProxiesHaveACaThenOnlyConnectionsAreAcceptedOfIt() throws Exception {
		ClientVerification clients = read(ForwardedCertificateHeader.CLIENT_CERT, RevocationChecks.NONE,
				material("proxy-ca"));
		assertThatNoException().isThrownBy(() -> check(clients, "proxy"));
		assertThatNoException().isThrownBy(() -> check(clients, "client"));
		assertThat(clients.trust()).isNotNull()
			.returns(true, (trust) -> trust.isProxy(chain("proxy")))
			.returns(false, (trust) -> trust.isProxy(chain("client")));
		ForwardedVerification forwarded = Objects.requireNonNull(clients.forwarded());
		assertThatNoException().isThrownBy(() -> forwarded.trustManager().checkClientTrusted(chain("client"), "EC"));
		assertThatExceptionOfType(CertificateException.class)
			.isThrownBy(() -> forwarded.trustManager().checkClientTrusted(chain("proxy"), "EC"));
		assertThat(forwarded.trust().anchors()).containsExactly(chain("ca"));
	}

	@Test
	void whenCaOfProxiesIsThatOfClientsThenHostIsRefused() {
		for (String ca : List.of("ca", "renamed-ca")) {
			assertRefused(SettingName.PROXY_CA_CERTIFICATES, "is also one of the clients' CAs", RevocationChecks.NONE,
					material("proxy-ca", ca));
		}
	}

	@Test
	void whenCaOfProxiesHasIssuedThatOfClientsThenHostIsRefused() throws Exception {
		this.config.setTrustStore(trustStore("ca", "clients-of-proxy-ca"));
		assertRefused(SettingName.PROXY_CA_CERTIFICATES, "has issued the clients' CA 'CN=clients-of-proxy-ca'",
				RevocationChecks.NONE, material("proxy-ca"));
	}

	@Test
	void whenCaOfClientsHasIssuedThatOfProxiesThenHostIsRefused() {
		assertRefused(SettingName.PROXY_CA_CERTIFICATES,
				"has issued the CA 'CN=proxies-of-ca', so that every proxy could be a client", RevocationChecks.NONE,
				material("proxies-of-ca"));
	}

	@Test
	void whenOthersThanCasDecideThenHostIsRefused() throws Exception {
		TrustManager[] own = JavaClient.managers("client", "ca.crt").trust();
		assertRefused(SettingName.FORWARDED_CERTIFICATES, "a trust manager of its own", RevocationChecks.NONE,
				new ClientMaterial(own, List.of(), List.of()));
		this.config.setTruststoreAlgorithm("SunX509");
		assertRefused(SettingName.FORWARDED_CERTIFICATES, "a trust manager of its own", RevocationChecks.NONE,
				ClientMaterial.NONE);
		this.config.setTrustManagerClassName("com.example.Manager");
		assertRefused(SettingName.FORWARDED_CERTIFICATES, "a trust manager of its own", RevocationChecks.NONE,
				ClientMaterial.NONE);
	}

	@Test
	void whenResponderIsAskedThenHostIsRefused() {
		assertRefused(SettingName.FORWARDED_CERTIFICATES, "a slow one would hold up all requests",
				new RevocationChecks(false, true, false), ClientMaterial.NONE);
		this.config.setRevocationEnabled(true);
		assertRefused(SettingName.FORWARDED_CERTIFICATES, "a slow one would hold up all requests",
				RevocationChecks.NONE, ClientMaterial.NONE);
	}

	private void assertRefused(SettingName setting, String reason, RevocationChecks revocation,
			ClientMaterial material) {
		assertThatExceptionOfType(TlsSettingException.class)
			.isThrownBy(() -> read(ForwardedCertificateHeader.CLIENT_CERT, revocation, material))
			.satisfies((ex) -> assertThat(ex.isAbout(setting)).isTrue())
			.satisfies((ex) -> assertThat(ex.getReason(SettingName::toString)).contains(reason));
	}

	private static void check(ClientVerification clients, String name) throws CertificateException {
		Objects.requireNonNull(clients.trustManager()).checkClientTrusted(chain(name), "EC");
	}

	private ClientVerification read(@Nullable ForwardedCertificateHeader header, RevocationChecks revocation,
			ClientMaterial material) throws Exception {
		TlsSettings settings = new TlsSettings(List.of(), PolicySettings.NONE, revocation, (name) -> material, null,
				null, null, header, null, false, TlsAlpnChallenges.NONE, (certificate) -> null);
		return new HostReader(settings, TlsEngine.jsse().capabilities()).read(this.config, null).clients();
	}

	private static ClientMaterial material(String... proxyCas) {
		return new ClientMaterial(null, List.of(), List.of(chain(proxyCas)));
	}

	private static SSLHostConfig config() {
		SSLHostConfig config = new SSLHostConfig();
		config.setCertificateVerification("optional");
		SSLHostConfigCertificate certificate = new SSLHostConfigCertificate(config, Type.UNDEFINED);
		certificate.setCertificateFile(TestCertificates.get().file("p256.crt").toString());
		certificate.setCertificateKeyFile(TestCertificates.get().file("p256.key").toString());
		config.addCertificate(certificate);
		config.setTrustStore(trustStore("ca"));
		return config;
	}

	private static KeyStore trustStore(String... names) {
		try {
			KeyStore trustStore = KeyStore.getInstance("PKCS12");
			trustStore.load(null, null);
			for (String name : names) {
				trustStore.setCertificateEntry(name, chain(name)[0]);
			}
			return trustStore;
		}
		catch (Exception ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static X509Certificate[] chain(String... names) {
		return Arrays.stream(names)
			.map((name) -> TestCertificates.get().certificate(name + ".crt"))
			.toArray(X509Certificate[]::new);
	}

}
