// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.io.ByteArrayOutputStream;
import java.io.ObjectOutputStream;
import java.security.KeyStore;
import java.security.cert.CertPathValidatorException;
import java.security.cert.CertPathValidatorException.BasicReason;
import java.security.cert.CertificateException;
import java.security.cert.CertificateExpiredException;
import java.security.cert.PKIXReason;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;

import io.github.tomcatopenssl.test.TestCertificates;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link TrustAnchors} and {@link PolicyNodes}: which chains of clients are
 * accepted, and what it costs to refuse the others.
 */
class TrustAnchorsTests {

	private static final String CA = "basicConstraints=critical,CA:TRUE\nkeyUsage=keyCertSign";

	private static final String START = "20250101000000Z";

	private static final String END = "20600101000000Z";

	private static final TestCertificates certificates = TestCertificates.get();

	@BeforeAll
	static void issueCertificates() {
		certificates.issue("ca", "path-ca", CA, START, END);
		certificates.issue("path-ca", "path-sub", CA, START, END);
		certificates.issue("path-sub", "path-leaf", "extendedKeyUsage=clientAuth", START, END);
		certificates.openssl("ca", "-batch", "-notext", "-config", "ca.cnf", "-extfile", "path-ca.ext", "-startdate",
				START, "-enddate", "20250201000000Z", "-in", "path-ca.csr", "-out", "path-outdated.crt");
		certificates.issue("other-ca", "path-foreign", CA, START, END);
		certificates.openssl("ca", "-batch", "-notext", "-config", "other-ca.cnf", "-extfile", "path-ca.ext",
				"-startdate", START, "-enddate", END, "-in", "path-ca.csr", "-out", "path-twin.crt");
		certificates.issue("ca", "path-no-ca", "basicConstraints=CA:FALSE", START, END);
		certificates.issue("path-no-ca", "path-of-no-ca", "extendedKeyUsage=clientAuth", START, END);
		certificates.issue("ca", "path-server", "extendedKeyUsage=serverAuth", START, END);
		certificates.issue("ca", "path-signing-ca", "basicConstraints=CA:TRUE\nkeyUsage=digitalSignature,keyCertSign",
				START, END);
		certificates.issue("ca", "path-early", "extendedKeyUsage=clientAuth", "20590101000000Z", END);
		certificates.issue("ca", "path-expired", "extendedKeyUsage=clientAuth", START, "20250201000000Z");
	}

	// In order, and as clients send them that have too much or another order
	@ParameterizedTest
	@ValueSource(
			strings = { "path-leaf path-sub path-ca", "path-leaf path-sub path-ca ca", "path-leaf path-ca path-sub",
					"path-leaf path-sub path-sub path-ca", "path-leaf path-sub path-ca other-ca p256",
					"path-leaf path-sub path-twin path-ca other-ca", "path-leaf path-sub path-ca path-twin",
					"path-leaf path-sub path-outdated path-ca", "path-leaf path-leaf path-sub path-ca", "client" })
	void whenChainLeadsToTheCaThenClientIsAccepted(String names) throws Exception {
		assertThatCode(() -> manager("ca").checkClientTrusted(chain(names), "EC")).doesNotThrowAnyException();
	}

	@ParameterizedTest
	@ValueSource(strings = { "path-leaf path-sub", "path-leaf", "other-client", "other-client ca",
			"path-leaf path-sub path-twin other-ca", "path-leaf path-ca" })
	void whenChainDoesNotLeadToTheCaThenItsIssuerIsUnknown(String names) {
		assertThatExceptionOfType(CertificateException.class)
			.isThrownBy(() -> manager("ca").checkClientTrusted(chain(names), "EC"))
			.havingCause()
			.isInstanceOfSatisfying(CertPathValidatorException.class,
					(ex) -> assertThat(ex.getReason()).isEqualTo(PKIXReason.NO_TRUST_ANCHOR));
	}

	@ParameterizedTest
	@ValueSource(
			strings = { "path-of-no-ca path-no-ca", "path-server", "path-expired", "path-leaf path-sub path-outdated" })
	void whenPathIsNotValidThenClientIsRefused(String names) {
		assertThatExceptionOfType(CertificateException.class)
			.isThrownBy(() -> manager("ca").checkClientTrusted(chain(names), "EC"));
	}

	@ParameterizedTest
	@CsvSource({ "31, 32, 0, true", "32, 32, 0, false", "2, 1, 500, false", "2, 1, 499, true", "1000, 0, 0, true",
			"1001, 0, 0, false" })
	void whenCertificatesHaveManyPoliciesThenTheirNodesAreLimited(int leaf, int ca, int mappings, boolean accepted)
			throws Exception {
		certificates.issue("ca", "path-many",
				CA + policies(ca)
						+ ((mappings > 0) ? "\npolicyMappings=" + list(mappings, (i) -> "1.2.1:1.2." + (i + 1)) : ""),
				START, END);
		certificates.issue("path-many", "path-of-many", "extendedKeyUsage=clientAuth" + policies(leaf), START, END);
		X509Certificate[] chain = chain("path-of-many path-many");
		if (accepted) {
			assertThatCode(() -> manager("ca").checkClientTrusted(chain, "EC")).doesNotThrowAnyException();
		}
		else {
			assertThatExceptionOfType(CertificateException.class)
				.isThrownBy(() -> manager("ca").checkClientTrusted(chain, "EC"))
				.withMessageContaining("too many policies");
			assertThatExceptionOfType(CertificateException.class)
				.isThrownBy(() -> TrustAnchors.bounded(java("ca")).checkClientTrusted(chain, "EC"))
				.withMessageContaining("too many policies");
		}
	}

	private static String policies(int count) {
		return (count > 0) ? "\ncertificatePolicies=" + list(count, (i) -> "1.2." + (i + 1)) : "";
	}

	private static String list(int count, IntFunction<String> value) {
		return IntStream.range(0, count).mapToObj(value).collect(Collectors.joining(","));
	}

	@Test
	void whenCertificatesOfTwoNamesCertifyEachOtherThenTheyAreRefusedAtOnce() throws Exception {
		List<X509Certificate> crossed = certificates.crossed(2, 5);
		AtomicInteger verifications = new AtomicInteger();
		X509Certificate[] chain = counted(crossed.subList(0, ClientVerification.MOST_CERTIFICATES), verifications);
		assertThatExceptionOfType(CertificateException.class)
			.isThrownBy(() -> manager("ca").checkClientTrusted(chain, "EC"))
			.withMessageContaining("too many certificates of one subject")
			.satisfies((ex) -> assertThat(size(ex)).isLessThan(10_000));
		assertThat(verifications).hasValue(0);
		assertThatExceptionOfType(CertificateException.class)
			.isThrownBy(() -> TrustAnchors.bounded(java("ca")).checkClientTrusted(chain, "EC"));
		assertThat(ClientTrust.inAnchors(chain("ca")).accepts(chain)).isFalse();
		assertThat(verifications).hasValue(0);
	}

	@Test
	void whenAsManyCertifyEachOtherAsAreAllowedThenEachIsVisitedOnce() throws Exception {
		List<X509Certificate> crossed = certificates.crossed(4, 2);
		AtomicInteger verifications = new AtomicInteger();
		X509Certificate[] chain = counted(crossed, verifications);
		assertThatExceptionOfType(CertificateException.class)
			.isThrownBy(() -> manager("ca").checkClientTrusted(chain, "EC"))
			.satisfies((ex) -> assertThat(size(ex)).isLessThan(10_000));
		assertThat(verifications.get()).isBetween(1, 2 * ClientVerification.MOST_CERTIFICATES);
	}

	// What a stranger's key makes us compute
	@Test
	void whenIssuerHasAnUnusualKeyThenItVerifiesNothing() throws Exception {
		certificates.openssl("genpkey", "-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048", "-pkeyopt",
				"rsa_keygen_pubexp:" + "36893488147419103233", "-out", "path-exponent.key");
		certificates.openssl("req", "-x509", "-key", "path-exponent.key", "-subj", "/CN=path-exponent", "-days", "30",
				"-out", "path-exponent.crt");
		certificates.issue("path-exponent", "path-of-exponent", "extendedKeyUsage=clientAuth", START, END);
		AtomicInteger verifications = new AtomicInteger();
		X509Certificate[] chain = counted(List.of(chain("path-of-exponent path-exponent")), verifications);
		assertThatExceptionOfType(CertificateException.class)
			.isThrownBy(() -> manager("ca").checkClientTrusted(chain, "EC"));
		assertThat(verifications).hasValue(0);
		// The operator has chosen this one
		assertThatCode(() -> manager("path-exponent").checkClientTrusted(chain("path-of-exponent"), "EC"))
			.doesNotThrowAnyException();
	}

	@Test
	void whenIssuerHasAKeyThatNoCaHasThenItVerifiesNothing() throws Exception {
		certificates.openssl("dsaparam", "-genkey", "-out", "path-dsa.key", "1024");
		certificates.openssl("req", "-x509", "-key", "path-dsa.key", "-subj", "/CN=path-dsa", "-days", "30", "-out",
				"path-dsa.crt");
		certificates.issue("path-dsa", "path-of-dsa", "extendedKeyUsage=clientAuth", START, END);
		AtomicInteger verifications = new AtomicInteger();
		X509Certificate[] chain = counted(List.of(chain("path-of-dsa path-dsa")), verifications);
		assertThatExceptionOfType(CertificateException.class)
			.isThrownBy(() -> manager("ca").checkClientTrusted(chain, "EC"));
		// Also if anybody is trusted
		ClientTrust.inAnyone().endOf(chain);
		assertThat(verifications).hasValue(0);
	}

	@Test
	void whenClientSendsTooManyCertificatesThenIsRefused() {
		X509Certificate[] chain = Stream
			.concat(Stream.of(chain("client")),
					IntStream.range(0, 10).mapToObj((i) -> chain("path-ca")).flatMap(Stream::of))
			.toArray(X509Certificate[]::new);
		assertThatExceptionOfType(CertificateException.class)
			.isThrownBy(() -> manager("ca").checkClientTrusted(chain, "EC"));
	}

	@ParameterizedTest
	@CsvSource({ "path-leaf, true", "client, true", "p256, true", "path-early, false", "path-expired, false",
			"path-server, false", "path-ca, false", "path-signing-ca, false" })
	void whenCertificateIsTrustedItselfThenItHasToBeValidAndForClients(String name, boolean accepted) throws Exception {
		CertificateException refusal = null;
		try {
			manager(name).checkClientTrusted(chain(name), "EC");
		}
		catch (CertificateException ex) {
			refusal = ex;
		}
		assertThat(refusal == null).isEqualTo(accepted);
		if (name.equals("path-expired")) {
			assertThat(refusal).isInstanceOf(CertificateExpiredException.class);
		}
	}

	@Test
	void whenCaHasExpiredThenItsClientsAreRefusedUnlessItWasRenewed() throws Exception {
		InstantSource later = InstantSource.fixed(Instant.now().plus(Duration.ofDays(365)));
		X509Certificate[] client = chain("path-leaf path-sub path-ca");
		assertThatExceptionOfType(CertificateException.class)
			.isThrownBy(() -> new TrustAnchors(List.of(chain("ca")), later).verifiedBy(java("ca"))
				.checkClientTrusted(client, "EC"))
			.havingCause()
			.isInstanceOfSatisfying(CertPathValidatorException.class, (ex) -> {
				assertThat(ex.getReason()).isEqualTo(BasicReason.EXPIRED);
				assertThat(ex.getCertPath().getCertificates().get(ex.getIndex())).isEqualTo(chain("ca")[0]);
			});
		certificates.openssl("req", "-x509", "-key", "ca.key", "-subj", "/CN=Test CA", "-days", "9000", "-out",
				"path-renewed.crt");
		assertThatCode(
				() -> new TrustAnchors(List.of(chain("ca path-renewed")), later).verifiedBy(java("ca", "path-renewed"))
					.checkClientTrusted(client, "EC"))
			.doesNotThrowAnyException();
	}

	private static X509Certificate[] counted(List<X509Certificate> chain, AtomicInteger verifications) {
		return chain.stream()
			.map((certificate) -> CountedCertificate.of(certificate, verifications))
			.toArray(X509Certificate[]::new);
	}

	private static int size(Throwable failure) throws Exception {
		ByteArrayOutputStream bytes = new ByteArrayOutputStream();
		try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
			failure.setStackTrace(new StackTraceElement[0]);
			out.writeObject(failure);
		}
		return bytes.size();
	}

	private static X509TrustManager manager(String ca) throws Exception {
		return new TrustAnchors(List.of(chain(ca)), InstantSource.system()).verifiedBy(java(ca));
	}

	private static X509TrustManager java(String... cas) throws Exception {
		KeyStore trustStore = KeyStore.getInstance("PKCS12");
		trustStore.load(null, null);
		for (String ca : cas) {
			trustStore.setCertificateEntry(ca, chain(ca)[0]);
		}
		TrustManagerFactory factory = TrustManagerFactory.getInstance("PKIX");
		factory.init(trustStore);
		return (X509TrustManager) factory.getTrustManagers()[0];
	}

	private static X509Certificate[] chain(String names) {
		return Arrays.stream(names.split(" "))
			.map((name) -> certificates.certificate(name + ".crt"))
			.toArray(X509Certificate[]::new);
	}

}
