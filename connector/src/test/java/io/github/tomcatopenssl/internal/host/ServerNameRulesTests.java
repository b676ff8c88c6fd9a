// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;

import org.apache.tomcat.util.net.SSLHostConfig;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests of {@link ServerNameRules} and {@link HostNames}.
 */
class ServerNameRulesTests {

	private static final HostNames NO_NAMES = new HostNames(Set.of());

	private static final Supplier<@Nullable InetAddress> NOBODY = () -> {
		throw new IllegalStateException("A client that sends a name does not need an address");
	};

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "10.0.0.0/33", "10.0.0.0/x", "10.0.0.0/", "10.0.0.0/8;80", "10.0.0.1;80",
			"10.0.0/8", "10.0.0", "10.0.0.256", "::1/129", "g::1", "[::1", "probe.test/24", "probe.test:8443",
			"https://probe.test", "*", "a.*.test", "-probe.test", "probe..test", "*.1" })
	void whenAllowedIsNeitherNameNorAddressThenFails(String value) {
		assertThatIllegalArgumentException().isThrownBy(() -> ServerNameRules.of(List.of("10.0.0.0/8", value)))
			.withMessageContaining("neither a host name");
	}

	@ParameterizedTest
	@CsvSource({ "10.0.0.0/8,10.255.0.1,11.0.0.1", "10.1.2.3,10.1.2.3,10.1.2.4", "0.0.0.0/0,9.9.9.9,::1",
			"2001:db8::/32,2001:db8::9,2001:db9::9", "::1,::1,::2", "::ffff:10.0.0.1,10.0.0.1,10.0.0.2" })
	void whenAddressIsAllowedThenOthersAreNot(String allowed, String inside, String outside)
			throws UnknownHostException {
		ServerNameRules rules = rejectBut(allowed);
		InetAddress allowedClient = InetAddress.getByName(inside);
		InetAddress other = InetAddress.getByName(outside);
		assertThat(rules.served(NO_NAMES, null, () -> allowedClient)).accepts("[10.9.9.9]").rejects("host.test");
		assertThat(rules.served(NO_NAMES, null, () -> other)).isNull();
		assertThat(rules.served(NO_NAMES, null, () -> null)).as("closed").isNull();
	}

	@ParameterizedTest
	@CsvSource({ "probe.test,probe.test,a.probe.test", "PROBE,probe,probe.test", "*.probe.test,a.probe.test,probe.test",
			"b\u00fccher.test,xn--bcher-kva.test,bcher.test" })
	void whenNameIsAllowedThenOthersAreNot(String allowed, String inside, String outside) {
		ServerNameRules rules = rejectBut(allowed);
		String name = HostNames.canonical(inside);
		assertThat(rules.served(NO_NAMES, name, NOBODY)).accepts(name)
			.rejects(HostNames.canonical(outside), "[10.9.9.9]");
		assertThat(rules.served(NO_NAMES, HostNames.canonical(outside), NOBODY)).isNull();
	}

	@Test
	void theDefaultHostHasTheNameThatTomcatGivesIt() {
		assertThat(HostNames.DEFAULT_HOST).isEqualTo(new SSLHostConfig().getHostName());
	}

	@Test
	void whenHostIsServedThenItsNamesAreServedToo() {
		ServerNameRules rules = rejectBut("probe.test");
		HostNames names = new HostNames(Set.of("a.test", "*.b.test"));
		assertThat(rules.served(names, "a.test", NOBODY)).accepts("a.test", "x.b.test", "probe.test").rejects("c.test");
		assertThat(rules.served(names, "c.test", NOBODY)).isNull();
	}

	@ParameterizedTest
	@CsvSource({ "Example.COM.,example.com", "127.0.0.1,[127.0.0.1]", "::1,[0:0:0:0:0:0:0:1]",
			"[::1],[0:0:0:0:0:0:0:1]", "[::FFFF:7f00:1],[127.0.0.1]", "[127.0.0.1],''", "[example.com],''", "g::1,''",
			"1::2::3,''", "[::1,''", "127.1,127.1", "1.2.3.256,1.2.3.256", "01.2.3.4,01.2.3.4", "fe80::1%1,''", "'',''",
			".,''", "example.com..,''", ".example.com,''", "a..test,''", "*.example.com,''", "b\u00fccher.test,''",
			"\u212aelvin.test,''", "XN--BCHER-KVA.test,xn--bcher-kva.test", "a_b-.test,a_b-.test", "a b.test,''",
			"example.com:443,''" })
	void whenHostIsAskedForThenItHasOneForm(String host, String canonical) {
		assertThat(HostNames.canonical(host)).isEqualTo(canonical);
	}

	@Test
	void whenLabelIsLongerThanDnsAllowsThenItIsNoName() {
		assertThat(HostNames.canonical("a".repeat(63) + ".test")).isNotEmpty();
		assertThat(HostNames.canonical("a".repeat(64) + ".test")).isEmpty();
	}

	@ParameterizedTest
	@CsvSource({ "Partner.Example.com,partner.example.com", "partner.example.com.,partner.example.com",
			"'  a.test ',a.test", "b\u00fccher.example.com,xn--bcher-kva.example.com",
			"*.B\u00dcCHER.test,*.xn--bcher-kva.test", "localhost,localhost", "my_service,my_service" })
	void whenNameIsConfiguredThenItIsConvertedToWhatClientsAskFor(String configured, String canonical) {
		assertThat(HostNames.configured(configured)).isEqualTo(canonical);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "*", "*.", "partner.example.com:8443", "https://partner.example.com",
			"a.example.com,b.example.com", ".wild.example.com", "x*.wild.example.com", "*.*.example.com",
			"partner.example.com..", "a b", "10.0.0.1", "::1", "[::1]", "*.10.0.0.1", "1.2.3", "-a.test", "a-.test",
			"stra\u00dfe.test", "_default_" })
	void whenNoClientCanAskForANameThenItIsRefused(String configured) {
		assertThatIllegalArgumentException().isThrownBy(() -> HostNames.configured(configured));
	}

	@Test
	void whenNameIsAWildcardThenItStandsForOneLabel() {
		HostNames names = new HostNames(Set.of("*.example.com", "*", "f*.test", "10.0.0.1", "*.0.0.1"));
		assertThat(names.contains("a.example.com")).isTrue();
		for (String name : List.of("example.com", "a.b.example.com", ".example.com", "*.example.com", "*", "a", "",
				"foo.test", "10.0.0.1")) {
			assertThat(names.contains(HostNames.canonical(name))).as(name).isFalse();
		}
	}

	@Test
	void whenCertificateHasNamesThatAreNoneThenTheyAreNotInTheSet() {
		HostNames names = HostNames.of(List.of("f*.test", "a b.test", "*.f*.test", "b.test"));
		assertThat(names.contains(HostNames.canonical("b.test"))).isTrue();
		for (String name : List.of("", "a..test", "f*.test", "a b.test")) {
			assertThat(names.contains(HostNames.canonical(name))).as(name).isFalse();
		}
	}

	@Test
	@Timeout(5)
	void whenNameIsEndlessThenCostsNothing() {
		for (String part : List.of(":", "1.", "a.", "[", "\u212a")) {
			assertThat(HostNames.canonical(part.repeat(100_000) + "g")).isEmpty();
		}
	}

	private static ServerNameRules rejectBut(String allowed) {
		return ServerNameRules.of(List.of(allowed));
	}

}
