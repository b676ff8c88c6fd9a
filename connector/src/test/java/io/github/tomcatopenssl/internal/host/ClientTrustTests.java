// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.security.KeyStore;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;

import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

import io.github.tomcatopenssl.test.TestCertificates;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests for {@link ClientTrust}.
 */
class ClientTrustTests {

	private static final String INTERMEDIATE = "basicConstraints=critical,CA:TRUE\nkeyUsage=keyCertSign";

	private static final String START = "20250101000000Z";

	@BeforeAll
	static void issueCertificates() {
		TestCertificates certificates = TestCertificates.get();
		certificates.issue("ca", "trust-root", INTERMEDIATE, START, "20650101000000Z");
		certificates.issue("trust-root", "trust-intermediate", INTERMEDIATE, START, "20600101000000Z");
		certificates.issue("trust-intermediate", "trust-leaf", "extendedKeyUsage=clientAuth", START, "20700101000000Z");
		certificates.issue("trust-intermediate", "trust-short", "extendedKeyUsage=clientAuth", START,
				"20500101000000Z");
		certificates.issue("trust-root", "trust-server", "extendedKeyUsage=serverAuth", START, "20600101000000Z");
		certificates.issue("trust-root", "trust-past", "extendedKeyUsage=clientAuth", START, "20250201000000Z");
		certificates.issue("other-ca", "trust-other", INTERMEDIATE, START, "20600101000000Z");
		certificates.openssl("req", "-new", "-key", "trust-root.key", "-subj", "/CN=trust-root", "-out",
				"cross-signed.csr");
		certificates.openssl("ca", "-batch", "-notext", "-config", "other-ca.cnf", "-startdate", START, "-enddate",
				"20250201000000Z", "-in", "cross-signed.csr", "-out", "cross-signed.crt");
		certificates.openssl("ca", "-batch", "-notext", "-config", "trust-root.cnf", "-startdate", START, "-enddate",
				"20250201000000Z", "-in", "trust-intermediate.csr", "-out", "trust-outdated.crt");
	}

	@Test
	void whenChainEndsEarlierThanLeafThenItCounts() throws Exception {
		ClientTrust trust = ClientTrust.inAnchors(chain("trust-root"));
		assertThat(trust.endOf(chain("trust-leaf", "trust-intermediate")))
			.isEqualTo(Instant.parse("2060-01-01T00:00:00Z"));
		assertThat(trust.endOf(chain("trust-short"))).isEqualTo(Instant.parse("2050-01-01T00:00:00Z"));
	}

	@Test
	void whenClientIsVerifiedThenItsPathNamesTheCa() throws Exception {
		X509Certificate[] client = chain("trust-leaf", "trust-intermediate");
		assertThat(ClientTrust.inAnchors(chain("trust-root", "other-ca")).pathOf(client).ca())
			.isEqualTo(chain("trust-root")[0]);
		assertThat(ClientTrust.inVerifier(this).pathOf(client).ca()).isNull();
	}

	@Test
	void whenLeafEndsEarlierThanItsChainThenItCounts() throws Exception {
		assertThat(ClientTrust.inAnchors(chain("trust-root")).endOf(chain("trust-short", "trust-intermediate")))
			.isEqualTo(Instant.parse("2050-01-01T00:00:00Z"));
	}

	@Test
	void whenCaEndsEarlierThanItsClientThenItCounts() throws Exception {
		Instant end = Instant.parse("2060-01-01T00:00:00Z");
		assertThat(ClientTrust.inAnchors(chain("trust-intermediate")).endOf(chain("trust-leaf"))).isEqualTo(end);
		assertThat(ClientTrust.inAnchors(chain("trust-outdated", "trust-intermediate")).endOf(chain("trust-leaf")))
			.isEqualTo(end);
		assertThat(ClientTrust.inAnchors(chain("trust-leaf")).endOf(chain("trust-leaf")))
			.isEqualTo(Instant.parse("2070-01-01T00:00:00Z"));
	}

	// Like the expired CAs that clients have gone on to send along with a new one
	@Test
	void whenClientSendsWhatItsChainDoesNotNeedThenItDoesNotCount() throws Exception {
		assertThat(ClientTrust.inAnchors(chain("trust-root"))
			.endOf(chain("trust-leaf", "trust-intermediate", "cross-signed", "other-ca")))
			.isEqualTo(Instant.parse("2060-01-01T00:00:00Z"));
	}

	@Test
	void whenClientSendsAnIssuerBeforeAndAfterItsRenewalThenTheLaterEndCounts() throws Exception {
		ClientTrust trust = ClientTrust.inAnchors(chain("trust-root"));
		for (List<String> issuers : List.of(List.of("trust-outdated", "trust-intermediate"),
				List.of("trust-intermediate", "trust-outdated"))) {
			assertThat(trust.endOf(chain("trust-leaf", issuers.get(0), issuers.get(1))))
				.isEqualTo(Instant.parse("2060-01-01T00:00:00Z"));
		}
	}

	@Test
	void whenCaWasTakenAwayThenItsClientsAreNotAccepted() throws Exception {
		X509Certificate[] client = chain("trust-leaf", "trust-intermediate");
		assertThat(ClientTrust.inAnchors(chain("trust-root")).accepts(client)).isTrue();
		assertThat(ClientTrust.inAnchors(chain("other-ca", "trust-intermediate")).accepts(client)).isTrue();
		assertThat(ClientTrust.inAnchors(chain("trust-leaf")).accepts(client)).isTrue();
		assertThat(ClientTrust.inAnchors(chain("other-ca")).accepts(client)).isFalse();
		assertThat(ClientTrust.inAnchors(chain("trust-root")).accepts(chain("trust-leaf"))).isFalse();
		assertThat(ClientTrust.inVerifier("another").accepts(client)).isFalse();
	}

	@ParameterizedTest
	@CsvSource({ "trust-intermediate, trust-leaf, true", "trust-leaf, trust-leaf, true",
			"trust-intermediate, trust-intermediate, false", "trust-past, trust-past, false",
			"trust-outdated, trust-leaf, false", "trust-root, trust-server, false", "trust-root, trust-past, false" })
	void whenReloadChangesCasThenClientIsHeldToTheRulesOfHandshakes(String ca, String client, boolean accepted)
			throws Exception {
		KeyStore trustStore = KeyStore.getInstance("PKCS12");
		trustStore.load(null, null);
		trustStore.setCertificateEntry("ca", chain(ca)[0]);
		TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
		factory.init(trustStore);
		X509TrustManager manager = new TrustAnchors(List.of(chain(ca)), InstantSource.system())
			.verifiedBy((X509TrustManager) factory.getTrustManagers()[0]);
		assertThat(ClientTrust.inAnchors(chain(ca)).accepts(chain(client))).isEqualTo(accepted);
		if (accepted) {
			assertThatNoException().isThrownBy(() -> manager.checkClientTrusted(chain(client), "EC"));
		}
		else {
			assertThatExceptionOfType(CertificateException.class)
				.isThrownBy(() -> manager.checkClientTrusted(chain(client), "EC"));
		}
	}

	@Test
	void whenAskedAboutClientsThenCasAreNotReadAgain() throws Exception {
		AtomicInteger reads = new AtomicInteger();
		X509Certificate other = CountedCertificate.ofReads(chain("other-ca")[0], reads);
		X509Certificate[] client = chain("trust-leaf", "trust-intermediate");
		ClientTrust trust = ClientTrust.inAnchors(new X509Certificate[] { other, chain("trust-root")[0] },
				List.of(other));
		int before = reads.get();
		assertThat(trust.isProxy(client)).isFalse();
		assertThat(trust.isClientToo(client)).isTrue();
		assertThat(trust.endOf(client)).isEqualTo(Instant.parse("2060-01-01T00:00:00Z"));
		assertThat(reads).hasValue(before);
	}

	@Test
	void whenCertificateIsOfACaOfProxiesThenItsClientIsAProxy() throws Exception {
		ClientTrust trust = ClientTrust.inAnchors(chain("ca", "proxy-ca"), List.of(chain("proxy-ca")));
		assertThat(trust.isProxy(chain("proxy"))).isTrue();
		assertThat(trust.isProxy(chain("proxy", "proxy-ca", "trust-intermediate"))).isTrue();
		assertThat(trust.isProxy(chain("client"))).isFalse();
		assertThat(trust.isProxy(chain("trust-leaf", "trust-intermediate", "proxy", "proxy-ca"))).isFalse();
		assertThat(trust.isProxy(chain("other-client"))).isFalse();
		assertThat(ClientTrust.inAnchors(chain("ca", "proxy-ca")).isProxy(chain("proxy"))).isFalse();
	}

	@Test
	void whenCertificateIsOfACaOfClientsTooThenProxyIsAClientToo() throws Exception {
		ClientTrust trust = ClientTrust.inAnchors(chain("ca", "trust-intermediate"), List.of(chain("ca")));
		assertThat(trust.isProxy(chain("trust-leaf", "trust-intermediate", "trust-root"))).isTrue();
		assertThat(trust.isClientToo(chain("trust-leaf", "trust-intermediate", "trust-root"))).isTrue();
		assertThat(trust.isProxy(chain("client"))).isTrue();
		assertThat(trust.isClientToo(chain("client"))).isFalse();
	}

	@Test
	void whenCasOfProxiesChangeThenThePreviousIsNotIncluded() throws Exception {
		ClientTrust clients = ClientTrust.inAnchors(chain("ca", "proxy-ca"));
		ClientTrust proxies = ClientTrust.inAnchors(chain("ca", "proxy-ca"), List.of(chain("proxy-ca")));
		assertThat(proxies.includes(clients)).isFalse();
		assertThat(clients.includes(proxies)).isFalse();
		assertThat(proxies.includes(ClientTrust.inAnchors(chain("proxy-ca", "ca"), List.of(chain("proxy-ca")))))
			.isTrue();
	}

	@Test
	void whenNoCaWasTakenAwayThenIncludesThePrevious() throws Exception {
		ClientTrust one = ClientTrust.inAnchors(chain("ca"));
		ClientTrust both = ClientTrust.inAnchors(chain("other-ca", "ca"));
		assertThat(both.includes(one)).isTrue();
		assertThat(one.includes(ClientTrust.inAnchors(chain("ca")))).isTrue();
		assertThat(one.includes(both)).isFalse();
		assertThat(ClientTrust.inVerifier("same").includes(ClientTrust.inVerifier("same"))).isTrue();
		assertThat(ClientTrust.inVerifier("same").includes(ClientTrust.inVerifier("another"))).isFalse();
		assertThat(both.includes(ClientTrust.inVerifier("same"))).isFalse();
	}

	private static X509Certificate[] chain(String... names) {
		return Arrays.stream(names)
			.map((name) -> TestCertificates.get().certificate(name + ".crt"))
			.toArray(X509Certificate[]::new);
	}

}
