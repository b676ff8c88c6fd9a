// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import io.github.tomcatopenssl.test.TlsClient;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;

import org.springframework.context.annotation.Bean;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the snippets in docs/many-names.md.
 */
class ManyDomainsGuideTests extends AbstractAcmeTests {

	@Test
	void snippetsAreThoseOfTheTest() throws IOException {
		String source = Files
			.readString(Path.of("src/test/java/io/github/tomcatopenssl/acme/ManyDomainsGuideTests.java"));
		List<String> snippets = Pattern.compile("```java\n(.*?)```", Pattern.DOTALL)
			.matcher(Files.readString(Path.of("../docs/many-names.md")))
			.results()
			.map((MatchResult result) -> result.group(1).replaceAll("\\s+", ""))
			.filter((snippet) -> snippet.contains("Acme"))
			.toList();
		assertThat(snippets).hasSize(2).allMatch(source.replaceAll("\\s+", "")::contains);
	}

	@Test
	void customersGetTheirCertificates() {
		start(this.port, CustomersConfiguration.class, "server.ssl.acme.domains=app.example.com",
				"server.ssl.acme.certificates[0].domains=shop.example.org,www.shop.example.org",
				"server.ssl.acme.certificates[1].domains=example.net");
		for (String name : List.of("www.shop.example.org", "example.net", "found.test", "later.test")) {
			Awaitility.await()
				.atMost(PATIENCE)
				.ignoreExceptions()
				.until(() -> new AcmeCertificate("", certificate(this.port, "-servername", name)).names()
					.contains(name));
		}
		assertThat(TlsClient.connect(this.port, "-servername", "later.test").isServed()).isTrue();
	}

	static class CustomersConfiguration {

		@Bean
		AcmeDomains domainsOfCustomers(CustomerRepository customers) {
			return () -> customers.findAll().stream().map(Customer::domains).toList();
		}

		@Bean
		AcmeOnDemandDomains domainsOnDemand(CustomerRepository customers) {
			return (serverName) -> customers.findByDomain(serverName).isPresent();
		}

		@Bean
		CustomerRepository customerRepository() {
			return new CustomerRepository() {

				@Override
				public List<Customer> findAll() {
					return List.of(new Customer(List.of("found.test")));
				}

				@Override
				public Optional<Customer> findByDomain(String domain) {
					return Optional.of(new Customer(List.of("later.test")))
						.filter((customer) -> customer.domains().contains(domain));
				}

			};
		}

	}

	interface CustomerRepository {

		List<Customer> findAll();

		Optional<Customer> findByDomain(String domain);

	}

	record Customer(List<String> domains) {

	}

}
