// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure.check;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Objects;
import java.util.stream.Stream;

import io.github.tomcatopenssl.test.CatalinaHome;
import io.github.tomcatopenssl.test.TestCertificates;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.util.TestPropertyValues;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.ConfigurableEnvironment;
import org.springframework.core.env.StandardEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests of a {@link TlsCheck} of an application whose certificates a CA issues.
 */
class AcmeCheckTests {

	@TempDir
	private Path parent;

	@Test
	void whenThereIsNoCertificateThenItWouldBeOrderedAndNothingIsWritten() {
		TlsCheckReport report = check("domains=localhost");
		assertThat(report.status()).as(report.text()).isZero();
		assertThat(report.due()).containsExactly("localhost");
		assertThat(report.text()).contains("TLS would be served.", "A certificate for localhost would be ordered.");
		assertThat(this.parent).isEmptyDirectory();
	}

	@Test
	void whenFolderHasCertificateThenItWouldBeServed() throws IOException {
		TestCertificates certificates = TestCertificates.get();
		Path folder = Files.createDirectories(folder().resolve("other-ca"));
		Files.copy(certificates.join("check.pem", "p256.crt", "p256.key"), folder.resolve("localhost-ec.pem"));
		TlsCheckReport report = check("domains=localhost");
		assertThat(report.status()).as(report.text()).isZero();
		assertThat(report.connectors().get(0).hosts().get(0).certificates())
			.allMatch((certificate) -> certificate.subject().equals("CN=p256"));
		try (Stream<Path> files = Files.walk(this.parent)) {
			assertThat(files.filter(Files::isRegularFile)).hasSize(1);
		}
	}

	@Test
	void whenApplicationMayVerifyWildcardsThenTheCheckWarns() {
		TlsCheckReport report = check("domains=*.example.com");
		assertThat(report.status()).as(report.text()).isZero();
		assertThat(report.warnings()).singleElement().asString().contains("DnsChallengeProvider");
	}

	@Test
	void whenDatabaseIsSharedThenItIsNotOpened() {
		TlsCheckReport report = check("domains=localhost", "server.ssl.acme.directory=", "server.ssl.store=jdbc",
				"server.ssl.store-keys=MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNDU2Nzg5MDE=");
		assertThat(report.status()).as(report.text()).isZero();
		assertThat(report.due()).containsExactly("localhost");
		assertThat(report.warnings()).singleElement().asString().contains("The database is not opened");
		assertThat(check("domains=localhost", "server.ssl.acme.directory=", "server.ssl.store=jdbc").text())
			.contains("Property: server.ssl.store-keys", "Reason: it is not set");
	}

	@Test
	void whenFolderCannotBeUsedThenTheCheckSaysWhatTheStartSays() throws IOException {
		Files.createFile(folder());
		requireSame("domains=localhost");
	}

	@Test
	void whenParentOfFolderIsFileThenTheCheckSaysWhatTheStartSays() throws IOException {
		Files.createFile(this.parent.resolve("file"));
		requireSame("domains=localhost", "server.ssl.acme.directory=" + this.parent.resolve("file/acme"));
	}

	@Test
	void whenPropertyCannotBeUsedThenTheCheckSaysWhatTheStartSays() {
		requireSame("domains=local host");
		requireSame("domains=localhost", "server.ssl.acme.ssl-bundle=missing");
	}

	private void requireSame(String... properties) {
		ConfigurableEnvironment environment = environment(properties);
		Throwable failure = catchThrowable(
				() -> new SpringApplicationBuilder(Application.class).environment(environment)
					.web(WebApplicationType.SERVLET)
					.run());
		FailureAnalysis start = Failures.analyze(Objects.requireNonNull(failure), null, environment);
		FailureAnalysis check = check(properties).failure();
		assertThat(check).isNotNull();
		assertThat(check.getDescription()).isEqualTo(start.getDescription());
		assertThat(check.getAction()).isEqualTo(start.getAction());
	}

	private TlsCheckReport check(String... properties) {
		CatalinaHome.forget();
		try {
			return new TlsCheck(environment(properties), WebApplicationType.SERVLET).run();
		}
		finally {
			CatalinaHome.forget();
		}
	}

	private ConfigurableEnvironment environment(String... properties) {
		ConfigurableEnvironment environment = new StandardEnvironment();
		environment.setConversionService(new ApplicationConversionService());
		TestPropertyValues
			.of("server.port=0", "server.ssl.openssl.mode=never", "server.ssl.acme.terms-of-service-agreed=true",
					"server.ssl.acme.directory-url=https://localhost:1/dir", "server.ssl.acme.directory=" + folder())
			.and(Arrays.stream(properties)
				.map((property) -> property.startsWith("server.") ? property : "server.ssl.acme." + property))
			.applyTo(environment);
		ConfigurationPropertySources.attach(environment);
		return environment;
	}

	private Path folder() {
		return this.parent.resolve("acme");
	}

	@Configuration(proxyBeanMethods = false)
	@EnableAutoConfiguration
	static class Application {

	}

}
