// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.shredzone.acme4j.Identifier;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link AcmeNames}.
 */
class AcmeNamesTests {

	@ParameterizedTest
	@CsvSource({ "192.0.2.1, 192.0.2.1, 1.2.0.192.in-addr.arpa",
			"2001:db8:0:0:0::1, 2001:db8::1, 1.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.0.8.b.d.0.1.0.0.2.ip6.arpa",
			"::ffff:192.0.2.1, 192.0.2.1, 1.2.0.192.in-addr.arpa" })
	void whenNameIsAnAddressThenCaAsksForItsReverseName(String name, String address, String serverName) {
		assertThat(AcmeNames.address(name)).isEqualTo(address);
		assertThat(AcmeNames.serverName(address)).isEqualTo(serverName);
		assertThat(AcmeNames.identifier(address)).isEqualTo(new Identifier("ip", address));
	}

	@ParameterizedTest
	@CsvSource({ "0:0:0:0:0:0:0:0, ::", "2001:db8:0:0:1:0:0:1, 2001:db8::1:0:0:1", "1:0:0:2:0:0:0:3, 1:0:0:2::3",
			"1:0:2:3:4:5:6:7, 1:0:2:3:4:5:6:7", "10:0:0:1:2:3:4:50, 10::1:2:3:4:50", "1::, 1::" })
	void whenAddressHasZerosThenTheLongestRunIsLeftOut(String name, String address) {
		assertThat(AcmeNames.address(name)).isEqualTo(address);
	}

	@ParameterizedTest
	@CsvSource({ "Example.COM, example.com", "*.B\u00FCcher.example, *.xn--bcher-kva.example",
			"xn--BCHER-kva.example, xn--bcher-kva.example", "2001:DB8:0::1, 2001:db8::1", "192.0.2.1, 192.0.2.1",
			"adm\u0131n.example.com, xn--admn-nza.example.com", "a..example.com, a..example.com" })
	void whenNamesAreComparedThenTheirFormIsTheSame(String name, String canonical) {
		assertThat(AcmeNames.canonical(name)).isEqualTo(canonical);
	}

	@ParameterizedTest
	@ValueSource(strings = { "example.com", "192.0.2", "192.0.2.256", "192.0.2.01", "2001:db8::1::", ":", ".:1",
			"fe80::1%eth0", "[2001:db8::1]", "" })
	void whenNameIsNoAddressThenItIsLeftAlone(String name) {
		assertThat(AcmeNames.address(name)).isNull();
		assertThat(AcmeNames.serverName(name)).isEqualTo(name);
	}

}
