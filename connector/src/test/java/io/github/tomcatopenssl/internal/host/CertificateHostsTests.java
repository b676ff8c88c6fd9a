// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.SettingText;
import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.test.TestCertificates;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link CertificateHosts} and {@link CertificateHost}.
 */
class CertificateHostsTests {

	private final TestCertificates certificates = TestCertificates.get();

	private final CertificateHosts hosts = new CertificateHosts();

	private final List<TlsSettingException> refusals = new ArrayList<>();

	@Test
	void whenHostIsAddedThenItsNamesAreFoundInCanonicalForm() {
		this.hosts.add(host("one", "DNS:WWW.One.test,DNS:*.one.test,IP:192.0.2.1,IP:2001:db8::1", 10));
		assertThat(names("www.one.test", "*.one.test", "[192.0.2.1]", "[2001:db8:0:0:0:0:0:1]")).containsExactly("one",
				"one", "one", "one");
		assertThat(names("one.test", "WWW.One.test", "", "*.")).containsExactly("-", "-", "-", "-");
		assertThat(this.hosts.names()).isEqualTo(4);
		assertThat(this.hosts.haveAddresses()).isTrue();
	}

	@Test
	void whenCertificateIsForNoNameThenItMakesNoHost() {
		assertThatIllegalArgumentException().isThrownBy(() -> host("none", "email:a@example.com,DNS:a b.test", 10))
			.withMessageContaining("is for no host name and no address");
	}

	@Test
	void whenHostIsReplacedThenNamesThatItNoLongerHasAreGone() {
		CertificateHost before = host("one", "DNS:a.test,DNS:b.test", 10);
		CertificateHost after = host("one", "DNS:b.test,DNS:c.test", 10);
		List<CertificateHost> forgotten = new ArrayList<>();
		this.hosts.started(new KnownServer(forgotten, null));
		this.hosts.put(before);
		this.hosts.put(after);
		assertThat(names("a.test", "b.test", "c.test")).containsExactly("-", "one", "one");
		assertThat(this.hosts.find("b.test")).isSameAs(after);
		assertThat(forgotten).containsExactly(before);
		assertThat(this.hosts.remove("one")).isTrue();
		assertThat(this.hosts.remove("one")).isFalse();
		assertThat(names("b.test", "c.test")).containsExactly("-", "-");
		assertThat(this.hosts.all()).isEmpty();
		assertThat(this.hosts.firstExpiry()).isNull();
	}

	@Test
	void whenSeveralHostsHaveNameThenTheOneThatExpiresLastServesWhateverTheOrder() {
		CertificateHost early = host("early", "DNS:shared.test,DNS:early.test", 10);
		CertificateHost late = host("late", "DNS:shared.test", 30);
		CertificateHost middle = host("middle", "DNS:shared.test", 20);
		assertThat(this.hosts.add(late)).isEmpty();
		assertThat(this.hosts.add(early)).singleElement()
			.asString()
			.contains("'late' and 'early' are both for 'shared.test', which 'late' serves");
		this.hosts.add(middle);
		assertThat(names("shared.test", "early.test")).containsExactly("late", "early");
		assertThat(this.hosts.firstExpiry()).isEqualTo(early.notAfter());
		this.hosts.remove("late");
		assertThat(names("shared.test")).containsExactly("middle");
		this.hosts.add(host("middle", "DNS:other.test", 20));
		assertThat(names("shared.test", "other.test")).containsExactly("early", "middle");
		this.hosts.remove("early");
		assertThat(names("shared.test", "early.test")).containsExactly("-", "-");
		this.hosts.add(host("middle", "DNS:shared.test", 5));
		assertThat(names("shared.test")).containsExactly("middle");
	}

	@Test
	void whenServerRefusesHostThenTheOldOneStays() {
		CertificateHost old = host("one", "DNS:a.test", 10);
		this.hosts.add(old);
		TlsSettingException refusal = new TlsSettingException(SettingName.CERTIFICATE, new SettingText("reason"),
				new SettingText("action"), null);
		this.hosts.started(new KnownServer(new ArrayList<>(), refusal));
		assertThatExceptionOfType(TlsSettingException.class)
			.isThrownBy(() -> this.hosts.put(host("one", "DNS:a.test", 20)));
		assertThat(this.hosts.find("a.test")).isSameAs(old);
		this.hosts.tryOut(old);
		assertThat(names("a.test")).containsExactly("-");
		assertThat(this.refusals).containsExactly(refusal);
		this.hosts.refuse(old, refusal);
		assertThat(this.refusals).as("of a host that is gone").hasSize(1);
	}

	@Test
	void whenHostsAreExpectedThenTheyAreUsed() {
		assertThat(this.hosts.areUsed()).isFalse();
		this.hosts.expect(SettingName.CERTIFICATE_DIRECTORY);
		assertThat(this.hosts.areUsed()).isTrue();
	}

	@Test
	void whenSourceHasHostThenItIsAddedReplacedAndRemoved() {
		Map<String, String> known = new HashMap<>();
		known.put("a.test", "DNS:a.test,DNS:b.test");
		this.hosts
			.ask((serverName, name) -> known.containsKey(serverName) ? host(name, known.get(serverName), 10) : null);
		assertThat(this.hosts.isQuestion("a.test")).isTrue();
		assertThat(this.hosts.isQuestion("[192.0.2.1]")).isFalse();
		this.hosts.ask("a.test");
		assertThat(names("a.test", "b.test")).containsExactly("source/a.test", "source/a.test");
		assertThat(this.hosts.isQuestion("b.test")).isFalse();
		// By the name that it was found for
		known.put("a.test", "DNS:c.test,DNS:b.test");
		this.hosts.ask("b.test");
		assertThat(names("a.test", "b.test", "c.test")).containsExactly("-", "source/a.test", "source/a.test");
		known.clear();
		this.hosts.ask("b.test");
		assertThat(names("b.test", "c.test")).containsExactly("-", "-");
		assertThat(this.hosts.isQuestion("b.test")).isFalse();
	}

	@Test
	void whenSourceHasNoHostThenOthersStay() {
		this.hosts.ask((serverName, name) -> {
			this.hosts.add(host("folder", "DNS:a.test", 10));
			return null;
		});
		this.hosts.ask("a.test");
		assertThat(names("a.test")).containsExactly("folder");
		assertThat(this.hosts.isQuestion("a.test")).isFalse();
	}

	@Test
	void whenNamesOfOneCertificateAreAskedForAtOnceThenItMakesOneHost() {
		List<HostKey> keys = host("any", "DNS:a.test,DNS:b.test", 10).keys();
		this.hosts.ask((serverName, name) -> {
			if (serverName.equals("a.test")) {
				this.hosts.ask("b.test");
			}
			return CertificateHost.of(name, keys, this.refusals::add);
		});
		this.hosts.ask("a.test");
		assertThat(this.hosts.all()).hasSize(1);
		assertThat(names("a.test", "b.test")).containsExactly("source/b.test", "source/b.test");
		assertThat(this.hosts.isQuestion("a.test")).isFalse();
	}

	private List<String> names(String... serverNames) {
		return List.of(serverNames)
			.stream()
			.map(this.hosts::find)
			.map((host) -> (host != null) ? host.name() : "-")
			.toList();
	}

	private CertificateHost host(String name, String alternativeNames, int days) {
		this.certificates.openssl("req", "-x509", "-key", "p256.key", "-subj", "/CN=host", "-addext",
				"subjectAltName=" + alternativeNames, "-days", String.valueOf(days), "-out", "host.crt");
		return CertificateHost.of(name, List
			.of(new HostKey(this.certificates.privateKey("p256"), List.of(this.certificates.certificate("host.crt")))),
				this.refusals::add);
	}

	private record KnownServer(List<CertificateHost> forgotten,
			TlsSettingException refusal) implements CertificateHosts.Server {

		@Override
		public List<String> tryOut(CertificateHost host) {
			if (this.refusal != null) {
				throw this.refusal;
			}
			return List.of();
		}

		@Override
		public void forget(CertificateHost host) {
			this.forgotten.add(host);
		}

	}

}
