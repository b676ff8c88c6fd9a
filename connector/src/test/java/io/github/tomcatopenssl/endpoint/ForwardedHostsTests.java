// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import io.github.tomcatopenssl.internal.host.HostNames;
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

	@ParameterizedTest
	@CsvSource(delimiter = '|', quoteCharacter = '\'',
			value = { "X-Forwarded-Host|a.test:+1", "X-Forwarded-Host|a.test:-1", "X-Forwarded-Host|a@b.test",
					"X-Forwarded-Host|b.test/a", "X-Forwarded-Host|\"b.test\"", "Forwarded|host=\"\"host=b.test",
					"Forwarded|host=b.test\"a", "Forwarded|host=\"b\\.test\"", "Forwarded|host=\"a.test;b.test\"" })
	void whenReadersDifferOnAHostThenItIsNone(String name, String value) {
		MimeHeaders headers = new MimeHeaders();
		headers.addValue(name).setString(value);
		assertThat(ForwardedHosts.of(headers).map(HostNames::canonical)).contains("");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			value = { "X-Forwarded-Proto|https|true", "X-Forwarded-Proto|HTTPS, http|true", "X-Forwarded-Proto|,|true",
					"X-Forwarded-Proto|https://a.test/|false", "X-Forwarded-Proto|https, a:b|false",
					"Forwarded|for=1.2.3.4;proto=\"https\"|true", "Forwarded|Proto=a@b|false",
					"X-Forwarded-Prefix|/a|true", "X-Forwarded-Prefix|/a, /b|true", "X-Forwarded-Prefix|,/|true",
					"X-Forwarded-Prefix|@a.test|false", "X-Forwarded-Prefix|/,.test|false" })
	void whenSchemeOrPrefixIsOddThenItCouldChangeTheHost(String name, String value, boolean kept) {
		MimeHeaders headers = new MimeHeaders();
		headers.addValue(name).setString(value);
		assertThat(ForwardedHosts.keepHost(headers)).isEqualTo(kept);
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
