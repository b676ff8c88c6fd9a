// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Set;

import javax.net.ssl.X509TrustManager;

import io.github.tomcatopenssl.ForwardedCertificateHeader;
import io.github.tomcatopenssl.internal.host.ClientTrust;
import io.github.tomcatopenssl.internal.host.ClientVerification;
import io.github.tomcatopenssl.internal.host.ForwardedVerification;
import io.github.tomcatopenssl.test.ClientVerifier;
import io.github.tomcatopenssl.test.TestCertificates;
import org.apache.tomcat.util.http.MimeHeaders;
import org.apache.tomcat.util.net.SSLHostConfig.CertificateVerification;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link ForwardedCertificates}: what is remembered of a certificate, by how
 * often the trust manager is asked, and the limits. What is accepted, the tests of
 * servers show.
 */
class ForwardedCertificatesTests {

	private static final String CLIENT = value(certificate("client"));

	private final CountingManager manager = new CountingManager();

	private final ForwardedCertificates certificates = new ForwardedCertificates(ForwardedCertificateHeader.CLIENT_CERT,
			new HandshakeCounters(), new FailureReport("verification", () -> 8443, () -> null), () -> this.now);

	private final ClientVerification clients = clients(CertificateVerification.OPTIONAL);

	private Instant now = Instant.now();

	@Test
	void whenCertificateComesAgainThenItIsVerifiedOnceAMinute() throws Exception {
		for (int i = 0; i < 10; i++) {
			assertThat(read(this.clients, CLIENT)).containsExactly(certificate("client"));
		}
		assertThat(this.manager.asked).isOne();
		this.now = this.now.plus(Duration.ofMinutes(1));
		assertThat(read(this.clients, CLIENT)).isNotNull();
		assertThat(this.manager.asked).isEqualTo(2);
	}

	@Test
	void whenCertificateExpiresThenItIsVerifiedAgain() throws Exception {
		Instant end = certificate("client").getNotAfter().toInstant();
		this.now = end.minusMillis(1);
		assertThat(read(this.clients, CLIENT)).isNotNull();
		this.now = end;
		this.manager.refusing = true;
		assertRefused(FailureReason.CERTIFICATE_REJECTED, CLIENT);
	}

	@Test
	void whenCertificateIsRefusedThenItStaysSoForTenSeconds() throws Exception {
		this.manager.refusing = true;
		assertRefused(FailureReason.CERTIFICATE_REJECTED, CLIENT);
		this.manager.refusing = false;
		this.now = this.now.plusMillis(9_999);
		assertRefused(FailureReason.CERTIFICATE_REJECTED, CLIENT);
		assertThat(this.manager.asked).isOne();
		this.now = this.now.plusMillis(1);
		assertThat(read(this.clients, CLIENT)).isNotNull();
	}

	@Test
	void whenHostIsReloadedThenItsCertificatesAreVerifiedAgain() throws Exception {
		assertThat(read(this.clients, CLIENT)).isNotNull();
		this.manager.refusing = true;
		CountingManager reloaded = new CountingManager();
		reloaded.refusing = true;
		assertThat(read(this.clients, CLIENT)).isNotNull();
		assertThatExceptionOfType(RefusedForwardingException.class)
			.isThrownBy(() -> read(clients(CertificateVerification.OPTIONAL, reloaded), CLIENT));
	}

	@Test
	void whenManyCertificatesAreRefusedThenAcceptedOnesAreRemembered() throws Exception {
		assertThat(read(this.clients, CLIENT)).isNotNull();
		for (int i = 0; i < 2000; i++) {
			assertRefused(FailureReason.FORWARDED_CERTIFICATE_INVALID, ":" + i + ":");
		}
		assertThat(read(this.clients, CLIENT)).isNotNull();
		assertThat(this.manager.asked).isOne();
	}

	@Test
	void whenMoreClientsComeThanAreRememberedThenTheLatestAre() throws Exception {
		assertThat(read(this.clients, CLIENT)).isNotNull();
		for (int i = 0; i < 500; i++) {
			assertThat(read(this.clients, " ".repeat(i + 1) + CLIENT)).isNotNull();
		}
		assertThat(this.manager.asked).isEqualTo(501);
		assertThat(read(this.clients, " ".repeat(500) + CLIENT)).isNotNull();
		assertThat(this.manager.asked).isEqualTo(501);
		assertThat(read(this.clients, CLIENT)).isNotNull();
		assertThat(this.manager.asked).isEqualTo(502);
	}

	@Test
	void whenChainIsTooLongThenItIsRefusedWithoutVerification() {
		assertRefused(FailureReason.TOO_LARGE, CLIENT + " ".repeat(33_000));
		assertThatExceptionOfType(RefusedForwardingException.class)
			.isThrownBy(() -> read(this.clients, CLIENT, (CLIENT + ",").repeat(9) + CLIENT))
			.returns(FailureReason.FORWARDED_CERTIFICATE_INVALID, RefusedForwardingException::reason);
		assertThat(this.manager.asked).isZero();
	}

	@ParameterizedTest
	@ValueSource(booleans = { true, false })
	void whenCertificateIsMissingThenItIsRefusedWhereOneIsRequired(boolean own) throws Exception {
		ClientVerification required = clients(CertificateVerification.REQUIRED);
		assertThat(this.certificates.read(null, own, this.clients, new MimeHeaders())).isNull();
		if (own) {
			assertThat(this.certificates.read(null, true, required, new MimeHeaders())).isNull();
		}
		else {
			assertThatExceptionOfType(RefusedForwardingException.class)
				.isThrownBy(() -> this.certificates.read(null, false, required, new MimeHeaders()))
				.returns(FailureReason.CERTIFICATE_MISSING, RefusedForwardingException::reason);
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenHeadersAreNotThoseOfAProxyThenTheyAreRemoved(ForwardedCertificateHeader header) {
		ForwardedCertificates configured = new ForwardedCertificates(header, new HandshakeCounters(),
				new FailureReport("verification", () -> 8443, () -> null), Instant::now);
		for (boolean proxied : new boolean[] { true, false }) {
			MimeHeaders headers = new MimeHeaders();
			for (String name : new String[] { "CLIENT-CERT", "client-cert", "Client-Cert-Chain",
					"x-forwarded-client-CERT", "X-Forwarded-Client-Cert", "Client_Cert", "CLIENT.cert!chain",
					"X_Forwarded-Client_Cert", "Client-Cert\u00a0Chain", "Other", "ClientCert", "Client-Certs",
					"Client--Cert", "X-Client-Cert", "Client-CertXChain", "Client1Cert" }) {
				headers.addValue(name).setString("value");
			}
			configured.removeUnproven(headers, proxied);
			List<String> kept = Collections.list(headers.names());
			boolean clientCert = proxied && header == ForwardedCertificateHeader.CLIENT_CERT;
			boolean xForwarded = proxied && header == ForwardedCertificateHeader.X_FORWARDED_CLIENT_CERT;
			assertThat(kept.stream().filter((name) -> name.toLowerCase(Locale.ROOT).contains("-client-cert")).toList())
				.containsExactlyElementsOf(
						xForwarded ? List.of("x-forwarded-client-CERT", "X-Client-Cert") : List.of("X-Client-Cert"));
			assertThat(kept).containsSubsequence("Other", "ClientCert", "Client-Certs", "Client--Cert", "X-Client-Cert",
					"Client-CertXChain", "Client1Cert");
			assertThat(kept).hasSize(7 + (clientCert ? 2 : 0) + (xForwarded ? 1 : 0));
			assertThat(headers.getHeader("Client-Cert") != null).isEqualTo(clientCert);
			assertThat(headers.getHeader("Client-Cert-Chain") != null).isEqualTo(clientCert);
			assertThat(headers.getHeader("Other")).isNotNull();
		}
	}

	private void assertRefused(FailureReason reason, String value) {
		assertThatExceptionOfType(RefusedForwardingException.class).isThrownBy(() -> read(this.clients, value))
			.returns(reason, RefusedForwardingException::reason);
	}

	private X509Certificate @Nullable [] read(ClientVerification clients, String value, String... chain)
			throws Exception {
		MimeHeaders headers = new MimeHeaders();
		headers.addValue("Client-Cert").setString(value);
		for (String line : chain) {
			headers.addValue("Client-Cert-Chain").setString(line);
		}
		return this.certificates.read(null, false, clients, headers);
	}

	private ClientVerification clients(CertificateVerification mode) {
		return clients(mode, this.manager);
	}

	private static ClientVerification clients(CertificateVerification mode, X509TrustManager manager) {
		ClientTrust trust = new ClientTrust(Set.of(certificate("ca")), "anchors", Set.of());
		return new ClientVerification(mode, manager, trust, true, new ForwardedVerification(manager, trust));
	}

	private static String value(X509Certificate certificate) {
		try {
			return ":" + Base64.getEncoder().encodeToString(certificate.getEncoded()) + ":";
		}
		catch (CertificateException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static X509Certificate certificate(String name) {
		return TestCertificates.get().certificate(name + ".crt");
	}

	private static final class CountingManager implements ClientVerifier {

		private int asked;

		private boolean refusing;

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
			this.asked++;
			if (this.refusing) {
				throw new CertificateException();
			}
		}

	}

}
