// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import org.apache.tomcat.util.http.MimeHeaders;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of {@link ForwardedHosts}.
 */
class ForwardedHostsTests {

	@Test
	void whenNothingIsForwardedThenThereAreNoHosts() {
		MimeHeaders headers = new MimeHeaders();
		headers.addValue("X-Forwarded-For").setString("host=a.test");
		assertThat(ForwardedHosts.of(headers)).isEmpty();
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "X-Forwarded-Host|a.test|a.test", "x-forwarded-host|A.test:8443|A.test",
					"X-Forwarded-Host| a.test , b.test:1|a.test b.test", "X-Forwarded-Host|[::1]:443|[::1]",
					"X-Forwarded-Host|,|''", "Forwarded|for=1.2.3.4;host=a.test;proto=https|a.test",
					"forwarded|Host=\"a.test:8443\"|a.test", "Forwarded|host = a.test, for=x;HOST=b.test|a.test b.test",
					"Forwarded|for=1.2.3.4|''" })
	void whenHeaderNamesHostsThenAllAreFound(String name, String value, String hosts) {
		MimeHeaders headers = new MimeHeaders();
		headers.addValue(name).setString(value);
		assertThat(ForwardedHosts.of(headers)).containsExactly(hosts.isEmpty() ? new String[0] : hosts.split(" "));
	}

	@Test
	void whenHeadersAreRepeatedThenAllAreRead() {
		MimeHeaders headers = new MimeHeaders();
		headers.addValue("X-Forwarded-Host").setString("a.test");
		headers.addValue("X-Forwarded-Host").setString("b.test");
		headers.addValue("Forwarded").setString("host=c.test");
		assertThat(ForwardedHosts.of(headers)).containsExactly("a.test", "b.test", "c.test");
	}

}
