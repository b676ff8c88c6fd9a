// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.guide;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import io.github.tomcatopenssl.certificate.ServerCertificateSource;
import io.github.tomcatopenssl.certificate.ServerCertificates;
import io.github.tomcatopenssl.test.TestCertificates;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TlsClient;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Component;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of the code in the manual for certificates that the application has.
 */
@Tag("servers")
class ManyNamesGuideTests {

	private static final Path SOURCE = Path.of("src/test/java/io/github/tomcatopenssl/guide/ManyNamesGuideTests.java");

	@Test
	void manualHasThisCode() throws IOException {
		String source = Files.readString(SOURCE).replace("static class", "class");
		List<String> snippets = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL)
			.matcher(Files.readString(Path.of("../docs/many-names.md")))
			.results()
			.map((MatchResult result) -> result.group(1).replaceAll("\\s+", ""))
			.filter((snippet) -> !snippet.contains("Acme"))
			.toList();
		assertThat(snippets).hasSize(2).allMatch(source.replaceAll("\\s+", "")::contains);
	}

	@Test
	void certificatesOfCustomersAreServed() {
		TestCertificates files = TestCertificates.get();
		try (TestServer server = TestServer.start(WebApplicationType.SERVLET, Application.class,
				List.of("server.ssl.certificate-file=" + files.join("guide.pem", "p256.crt", "p256.key")))) {
			CustomerCertificates certificates = server.bean(CustomerCertificates.class);
			Customer customer = certificate("changed");
			certificates.changed("1", customer.chain(), customer.privateKey());
			assertThat(subject(server, "changed.test")).isEqualTo("changed");
			certificates.left("1");
			assertThat(subject(server, "changed.test")).isEqualTo("p256");
			assertThat(subject(server, "found.test")).isEqualTo("found");
			assertThat(subject(server, "unknown.test")).isEqualTo("p256");
		}
	}

	private static String subject(TestServer server, String name) {
		return TlsClient.connect(server.port(), "-servername", name).subject();
	}

	private static Customer certificate(String name) {
		TestCertificates files = TestCertificates.get();
		files.openssl("req", "-x509", "-key", "p256.key", "-subj", "/CN=" + name, "-addext",
				"subjectAltName=DNS:%s.test".formatted(name), "-out", name + ".crt");
		return new Customer(files.read(name + ".crt"), files.read("p256.key"));
	}

	@Import(CustomerCertificates.class)
	static class Application {

		@Bean
		CustomerRepository customerRepository() {
			Map<String, Customer> customers = Map.of("found.test", certificate("found"));
			return (domain) -> Optional.ofNullable(customers.get(domain));
		}

		@Bean
		ServerCertificateSource certificatesOfCustomers(CustomerRepository customers) {
			return (serverName) -> customers.findByDomain(serverName)
				.map((customer) -> PemSslStoreDetails.forCertificate(customer.chain())
					.withPrivateKey(customer.privateKey()))
				.map((details) -> SslBundle.of(new PemSslStoreBundle(details, null)))
				.orElse(null);
		}

	}

	@Component
	static class CustomerCertificates {

		private final ServerCertificates certificates;

		CustomerCertificates(ServerCertificates certificates) {
			this.certificates = certificates;
		}

		void changed(String customer, String chain, String privateKey) {
			PemSslStoreDetails details = PemSslStoreDetails.forCertificate(chain).withPrivateKey(privateKey);
			this.certificates.put(customer, SslBundle.of(new PemSslStoreBundle(details, null)));
		}

		void left(String customer) {
			this.certificates.remove(customer);
		}

	}

	record Customer(String chain, String privateKey) {
	}

	interface CustomerRepository {

		Optional<Customer> findByDomain(String domain);

	}

}
