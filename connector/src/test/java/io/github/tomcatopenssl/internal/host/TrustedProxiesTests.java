// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.net.InetAddress;
import java.net.UnknownHostException;
import java.util.List;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests of {@link TrustedProxies}.
 */
class TrustedProxiesTests {

	@ParameterizedTest
	@ValueSource(strings = { "", " ", "localhost", "balancer.internal/24", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/x",
			"10.0.0.0/", "/8", "10.0.0.0/8/8", "10.0.0.0/8;80", "10.0.0.1;80", "10.0.0", "::1/129", "g::1", "*" })
	void whenValueIsNoAddressThenFails(String value) {
		assertThatIllegalArgumentException().isThrownBy(() -> TrustedProxies.of(List.of("10.0.0.0/8", value)))
			.withMessageContaining("neither an address nor a range");
	}

	@ParameterizedTest
	@CsvSource({ "10.0.0.0/8,10.255.0.1,11.0.0.1", "10.1.2.3,10.1.2.3,10.1.2.4", "fd00::/8,fd12::9,fe00::9",
			"0.0.0.0/0,9.9.9.9,::1", "::1,::1,::2" })
	void whenRangeIsTrustedThenOthersAreNot(String range, String inside, String outside) throws UnknownHostException {
		TrustedProxies proxies = TrustedProxies.of(List.of("192.0.2.0/30", range));
		assertThat(proxies.contains(InetAddress.getByName(inside))).isTrue();
		assertThat(proxies.contains(InetAddress.getByName("192.0.2.3"))).isTrue();
		assertThat(proxies.contains(InetAddress.getByName(outside))).isFalse();
		assertThat(proxies.contains(null)).isFalse();
	}

}
