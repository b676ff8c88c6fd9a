// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;

import static org.assertj.core.api.Assertions.assertThat;
import static org.mockito.BDDMockito.then;
import static org.mockito.Mockito.mock;

/**
 * Tests of the snippet in docs/acme.md.
 */
class DnsGuideTests {

	@Test
	void snippetIsThatOfTheTest() throws IOException {
		String source = Files.readString(Path.of("src/test/java/io/github/tomcatopenssl/acme/DnsGuideTests.java"));
		List<String> snippets = Pattern.compile("```java\n(@.*?)```", Pattern.DOTALL)
			.matcher(Files.readString(Path.of("../docs/acme.md")))
			.results()
			.map((MatchResult result) -> result.group(1).replaceAll("\\s+", ""))
			.toList();
		assertThat(snippets).hasSize(1).allMatch(source.replaceAll("\\s+", "")::contains);
	}

	@Test
	void recordIsPublishedAndRemoved() throws Exception {
		DnsClient dns = mock();
		DnsChallengeProvider provider = new Dns().dnsChallengeProvider(dns);
		provider.publish("_acme-challenge.example.com", "value");
		provider.remove("_acme-challenge.example.com", "value");
		then(dns).should().waitUntilPublished("_acme-challenge.example.com", "value");
		then(dns).should().removeTxtRecord("_acme-challenge.example.com", "value");
	}

	static class Dns {

		@Bean
		DnsChallengeProvider dnsChallengeProvider(DnsClient dns) {
			return new DnsChallengeProvider() {

				@Override
				public void publish(String name, String value) throws IOException {
					dns.addTxtRecord(name, value);
					dns.waitUntilPublished(name, value);
				}

				@Override
				public void remove(String name, String value) throws IOException {
					dns.removeTxtRecord(name, value);
				}

			};
		}

	}

	interface DnsClient {

		void addTxtRecord(String name, String value) throws IOException;

		void waitUntilPublished(String name, String value) throws IOException;

		void removeTxtRecord(String name, String value) throws IOException;

	}

}
