// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

import io.github.tomcatopenssl.internal.host.ClientTrust;
import io.github.tomcatopenssl.test.TestCertificates;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link VerifiedClient}.
 */
class VerifiedClientTests {

	private final X509Certificate[] chain = { certificate("client") };

	// The CA ends up to a second earlier than its client
	private final Instant end = certificate("ca").getNotAfter().toInstant();

	private final ClientTrust trust = new ClientTrust(Set.of(certificate("ca")), "anchors", Set.of());

	private final AtomicReference<ClientTrust> current = new AtomicReference<>(this.trust);

	private final TestClock clock = new TestClock(this.end.minusMillis(1));

	@Test
	void whenCertificateExpiresThenClientIsNotValid() throws Exception {
		VerifiedClient client = VerifiedClient.of(this.chain, false, this.trust, this.current::get, this.clock);
		assertThat(client.isValid()).isTrue();
		this.clock.now = this.end;
		assertThat(client.isValid()).isFalse();
	}

	@Test
	void whenReloadTakesCaAwayThenClientIsNotValidUntilItComesBack() throws Exception {
		VerifiedClient client = VerifiedClient.of(this.chain, false, this.trust, this.current::get, this.clock);
		this.current.set(new ClientTrust(Set.of(certificate("ca"), certificate("other-ca")), "anchors", Set.of()));
		assertThat(client.isValid()).isTrue();
		this.current.set(new ClientTrust(Set.of(certificate("other-ca")), "anchors", Set.of()));
		assertThat(client.isValid()).isFalse();
		this.current.set(null);
		assertThat(client.isValid()).isFalse();
	}

	@Test
	void whenReloadRenewsCaThenClientOutlivesThePreviousOne() throws Exception {
		TestCertificates certificates = TestCertificates.get();
		certificates.issue("ca", "ending-ca", "basicConstraints=CA:TRUE", "20250101000000Z", "20350101000000Z");
		certificates.issue("ending-ca", "of-ending-ca", "extendedKeyUsage=clientAuth", "20250101000000Z",
				"20450101000000Z");
		certificates.openssl("ca", "-batch", "-notext", "-config", "ca.cnf", "-extfile", "ending-ca.ext", "-startdate",
				"20250101000000Z", "-enddate", "20400101000000Z", "-in", "ending-ca.csr", "-out", "renewed-ca.crt");
		ClientTrust ending = new ClientTrust(Set.of(certificate("ending-ca")), "anchors", Set.of());
		this.current.set(ending);
		VerifiedClient client = VerifiedClient.of(new X509Certificate[] { certificate("of-ending-ca") }, false, ending,
				this.current::get, this.clock);
		this.clock.now = Instant.parse("2035-01-01T00:00:00Z");
		assertThat(client.isValid()).isFalse();
		this.current
			.set(new ClientTrust(Set.of(certificate("ending-ca"), certificate("renewed-ca")), "anchors", Set.of()));
		assertThat(client.isValid()).isTrue();
		this.clock.now = Instant.parse("2040-01-01T00:00:00Z");
		assertThat(client.isValid()).isFalse();
	}

	@Test
	void whenReloadMakesAProxyOfClientOrAClientOfProxyThenItIsNotValid() throws Exception {
		X509Certificate[] proxyChain = { certificate("proxy") };
		Set<X509Certificate> anchors = Set.of(certificate("ca"), certificate("proxy-ca"));
		ClientTrust withProxies = new ClientTrust(anchors, "anchors", Set.of(certificate("proxy-ca")));
		ClientTrust withoutProxies = new ClientTrust(anchors, "anchors", Set.of());
		for (ClientTrust before : List.of(withProxies, withoutProxies)) {
			this.current.set(before);
			VerifiedClient client = VerifiedClient.of(this.chain, false, before, this.current::get, this.clock);
			VerifiedClient proxy = VerifiedClient.of(proxyChain, false, before, this.current::get, this.clock);
			assertThat(client.isProxy()).isFalse();
			assertThat(proxy.isProxy()).isEqualTo(before == withProxies);
			this.current.set((before == withProxies) ? withoutProxies : withProxies);
			assertThat(client.isValid()).isTrue();
			assertThat(proxy.isValid()).isFalse();
			this.current.set(before);
			assertThat(proxy.isValid()).isTrue();
		}
	}

	@Test
	void whenProxyCouldBeAClientThenItIsRefused() {
		TestCertificates.get()
			.issue("intermediate", "proxy-of-intermediate", "extendedKeyUsage=clientAuth", "20250101000000Z",
					"20600101000000Z");
		ClientTrust trust = new ClientTrust(Set.of(certificate("ca"), certificate("intermediate")), "anchors",
				Set.of(certificate("intermediate")));
		X509Certificate[] proxyChain = { certificate("proxy-of-intermediate"), certificate("intermediate") };
		assertThatExceptionOfType(RefusedHandshakeException.class)
			.isThrownBy(() -> VerifiedClient.of(proxyChain, false, trust, this.current::get, this.clock))
			.returns(FailureReason.CERTIFICATE_REJECTED, RefusedHandshakeException::reason);
	}

	@Test
	void whenCertificateHadExpiredThenResumptionIsRefused() throws Exception {
		this.clock.now = this.end.plus(Duration.ofDays(1));
		assertThatExceptionOfType(RefusedHandshakeException.class)
			.isThrownBy(() -> VerifiedClient.of(this.chain, true, this.trust, this.current::get, this.clock))
			.returns(FailureReason.CERTIFICATE_EXPIRED, RefusedHandshakeException::reason);
		// A trust manager has accepted it all the same
		assertThat(VerifiedClient.of(this.chain, false, this.trust, this.current::get, this.clock).isValid()).isTrue();
	}

	private static X509Certificate certificate(String name) {
		return TestCertificates.get().certificate(name + ".crt");
	}

	private static final class TestClock extends Clock {

		private Instant now;

		TestClock(Instant now) {
			this.now = now;
		}

		@Override
		public Instant instant() {
			return this.now;
		}

		@Override
		public ZoneId getZone() {
			return ZoneOffset.UTC;
		}

		@Override
		public Clock withZone(ZoneId zone) {
			return this;
		}

	}

}
