// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.autoconfigure;

import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.security.KeyStore;
import java.util.List;

import io.github.tomcatopenssl.test.TestCertificates;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import org.springframework.boot.autoconfigure.ssl.PemSslBundleProperties;
import org.springframework.boot.autoconfigure.ssl.PropertiesSslBundle;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.diagnostics.FailureAnalyzer;
import org.springframework.boot.ssl.NoSuchSslBundleException;
import org.springframework.boot.web.server.Ssl;
import org.springframework.boot.web.server.WebServerSslBundle;
import org.springframework.context.ApplicationContextException;
import org.springframework.core.env.Environment;
import org.springframework.core.io.support.SpringFactoriesLoader;
import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

/**
 * Tests for {@link StoreFailureAnalyzer}, with the exceptions that Spring Boot throws.
 */
class StoreFailureAnalyzerTests {

	private static final TestCertificates certificates = TestCertificates.get();

	@BeforeAll
	static void makeStores() throws Exception {
		certificates.openssl("pkcs12", "-export", "-inkey", "p256.key", "-in", "p256.crt", "-name", "server",
				"-passout", "pass:secret", "-out", "server.p12");
		KeyStore keyStore = KeyStore.getInstance("PKCS12");
		try (InputStream in = Files.newInputStream(certificates.file("server.p12"))) {
			keyStore.load(in, "secret".toCharArray());
		}
		KeyStore jks = KeyStore.getInstance("JKS");
		jks.load(null, null);
		jks.setCertificateEntry("server", keyStore.getCertificate("server"));
		try (OutputStream out = Files.newOutputStream(certificates.file("server.jks"))) {
			jks.store(out, "secret".toCharArray());
		}
		certificates.write("text.p12", "hello");
		certificates.write("empty.p12", "");
		certificates.openssl("pkey", "-in", "p256.key", "-aes256", "-passout", "pass:secret", "-out", "encrypted.key");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					key-store=missing.p12 | key-store | it does not exist | Create the file or correct 'server.ssl.key-store'.
					key-store=missing/x.p12 | key-store | its folder | Create the folder and the file, or correct 'server.ssl.key-store'.
					key-store=. | key-store | it is a folder | Set 'server.ssl.key-store' to a file in it.
					key-store=text.p12 | key-store | it is not a key store of the type 'PKCS12', or it is damaged | Write the file again, or set 'server.ssl.key-store-type' to its type.
					key-store=empty.p12 | key-store | it is not a key store of the type 'PKCS12', or it is damaged | Write the file again
					key-store=server.p12 key-store-type=JCEKS | key-store | it is not a key store of the type 'JCEKS' | or set 'server.ssl.key-store-type' to its type.
					key-store=p256.crt | key-store | it is a PEM file, not a key store | Set 'server.ssl.certificate-file' to it instead, and remove 'server.ssl.key-store'.
					key-store=server.p12 key-store-password=wrong | key-store-password | it is not the password of the key store '/ | Correct 'server.ssl.key-store-password'.
					key-store=server.jks key-store-password=wrong | key-store-password | it is not the password of the key store '/ | Correct 'server.ssl.key-store-password'.
					key-store=server.p12 key-store-type=FOO | key-store-type | Java has no key store of the type 'FOO' | Set 'server.ssl.key-store-type' to 'PKCS12' or 'JKS', or remove it.
					key-store=server.p12 key-store-provider=FOO | key-store-provider | Java has no security provider with the name 'FOO' | Correct 'server.ssl.key-store-provider', or remove it.
					trust-store=missing.p12 | trust-store | it does not exist | Create the file or correct 'server.ssl.trust-store'.
					trust-store=ca.crt | trust-store | it is a PEM file, not a key store | Set 'server.ssl.ca-certificate-file' to it instead, and remove 'server.ssl.trust-store'.
					trust-store=server.p12 trust-store-password=wrong | trust-store-password | it is not the password | Correct 'server.ssl.trust-store-password'.
					certificate=missing.crt certificate-private-key=p256.key | certificate | it does not exist | Create the file or correct 'server.ssl.certificate'.
					key-store-type=PKCS12 | key-store | it is not set, but 'server.ssl.key-store-type' is | Set 'server.ssl.key-store' to the key store.
					certificate=p256.crt | certificate-private-key | it is not set, but 'server.ssl.certificate' is | Set 'server.ssl.certificate-private-key' to the PEM file with the private key of the certificate, which can be the same file.
					certificate=text.p12 certificate-private-key=p256.key | certificate | it is not in PEM format | Set 'server.ssl.certificate' to a PEM file.
					certificate=empty.p12 certificate-private-key=p256.key | certificate | it is empty | Write the PEM content to the file.
					certificate=p256.key certificate-private-key=p256.key | certificate | it contains no certificate | Set 'server.ssl.certificate' to a file with a certificate
					certificate=p256.crt certificate-private-key=p256.crt | certificate-private-key | it contains no private key | Set 'server.ssl.certificate-private-key' to the file with the private key.
					certificate=p256.crt certificate-private-key=encrypted.key | certificate-private-key | the private key 'ENCRYPTED PRIVATE KEY' at line 1 is encrypted, but there is no property for its password | Set 'server.ssl.certificate-file', 'server.ssl.certificate-key-file' and 'server.ssl.certificate-key-password' instead, and remove 'server.ssl.certificate' and 'server.ssl.certificate-private-key'.
					trust-certificate=p256.crt trust-certificate-private-key=encrypted.key | trust-certificate-private-key | the private key 'ENCRYPTED PRIVATE KEY' at line 1 is encrypted, but there is no property for its password | Remove 'server.ssl.trust-certificate-private-key': certificates that clients are verified against need no private key.
					trust-certificate=text.p12 | trust-certificate | it is not in PEM format | Set 'server.ssl.trust-certificate' to a PEM file.
					certificate=p256.crt certificate-private-key=missing.key | certificate-private-key | it does not exist | Create the file or correct 'server.ssl.certificate-private-key'.
					""")
	void whenStoreOfSpringBootCannotBeLoadedThenSaysWhichAndWhy(String properties, String property, String reason,
			String action) {
		MockEnvironment environment = environment(properties);
		FailureAnalysis analysis = new StoreFailureAnalyzer(environment).analyze(failure(environment));
		assertThat(analysis).isNotNull();
		assertThat(analysis.getDescription())
			.contains("    Property: server.ssl.%s%n".formatted(property), "    Reason: " + reason)
			.doesNotContain("wrong", "secret");
		assertThat(analysis.getAction()).contains(action);
	}

	@Test
	void whenBundleCannotBeLoadedThenItsPropertiesAreNamed() {
		MockEnvironment environment = environment("key-store=server.p12 key-store-password=wrong");
		Throwable failure = failure(environment);
		MockEnvironment ofBundle = new MockEnvironment().withProperty("management.server.ssl.bundle", "web")
			.withProperty("spring.ssl.bundle.jks.web.keystore.location", certificates.file("server.p12").toString())
			.withProperty("spring.ssl.bundle.jks.web.keystore.password", "wrong");
		FailureAnalysis analysis = new StoreFailureAnalyzer(ofBundle).analyze(failure);
		assertThat(analysis).isNotNull();
		assertThat(analysis.getAction()).isEqualTo("Correct 'spring.ssl.bundle.jks.web.keystore.password'.");
		MockEnvironment ofPem = new MockEnvironment().withProperty("server.ssl.bundle", "web")
			.withProperty("spring.ssl.bundle.pem.web.keystore.certificate", "/missing/tls.crt");
		analysis = new StoreFailureAnalyzer(ofPem)
			.analyze(failure(environment("certificate=/missing/tls.crt certificate-private-key=p256.key")));
		assertThat(analysis).isNotNull();
		assertThat(analysis.getDescription()).contains("    Property: spring.ssl.bundle.pem.web.keystore.certificate");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|',
			textBlock = """
					private-key=p256.key | certificate | it is not set, but '@.private-key' is | Set '@.certificate' to the PEM file of the certificate.
					certificate=text.p12 private-key=p256.key | certificate | it is not in PEM format | Set '@.certificate' to a PEM file.
					certificate=p256.crt private-key=text.p12 | private-key | it is not in PEM format | Set '@.private-key' to a PEM file.
					certificate=p256.crt private-key=encrypted.key | private-key | is encrypted, but no password is set | Set '@.private-key-password' to its password.
					certificate=p256.crt private-key=encrypted.key private-key-password=wrong | private-key | cannot be decrypted with the password in '@.private-key-password' | Correct the password in '@.private-key-password'
					""")
	void whenPemFilesOfBundleCannotBeUsedThenSaysWhichAndWhy(String properties, String property, String reason,
			String action) {
		String prefix = "spring.ssl.bundle.pem.web.keystore";
		MockEnvironment environment = new MockEnvironment().withProperty("server.ssl.bundle", "web");
		for (String each : properties.split(" ")) {
			String[] parts = each.split("=");
			environment.setProperty(prefix + "." + parts[0],
					parts[0].endsWith("password") ? parts[1] : certificates.file(parts[1]).toString());
		}
		PemSslBundleProperties bundle = Binder.get(environment)
			.bind("spring.ssl.bundle.pem.web", PemSslBundleProperties.class)
			.get();
		Throwable failure = catchThrowable(() -> PropertiesSslBundle.get(bundle).getStores().getKeyStore());
		FailureAnalysis analysis = new StoreFailureAnalyzer(environment)
			.analyze(new ApplicationContextException("Unable to start web server", failure));
		assertThat(analysis).isNotNull();
		assertThat(analysis.getDescription()).contains("    Property: %s.%s%n".formatted(prefix, property))
			.contains(reason.replace("@", prefix))
			.doesNotContain("wrong");
		assertThat(analysis.getAction()).contains(action.replace("@", prefix));
	}

	@Test
	void whenThereIsNoSuchBundleThenSaysWhichPropertyNamesItAndWhatThereIs() {
		NoSuchSslBundleException failure = new NoSuchSslBundleException("wbe", "not found");
		MockEnvironment environment = new MockEnvironment().withProperty("server.ssl.bundle", "web")
			.withProperty("spring.ssl.bundle.pem.web.keystore.certificate", "tls.crt")
			.withProperty("spring.ssl.bundle.watch.file.quiet-period", "5s")
			.withProperty("server.ssl.server-name-bundles[0].server-name", "a.example.com")
			.withProperty("server.ssl.server-name-bundles[0].bundle", "wbe");
		FailureAnalysis analysis = new StoreFailureAnalyzer(environment)
			.analyze(new ApplicationContextException("Unable to start web server", failure));
		assertThat(analysis).isNotNull();
		assertThat(analysis.getDescription()).contains("    Property: server.ssl.server-name-bundles[0].bundle",
				"    Reason: there is no SSL bundle with the name 'wbe', only 'web'");
		assertThat(analysis.getAction()).startsWith("Correct 'server.ssl.server-name-bundles[0].bundle', or define the")
			.contains("'spring.ssl.bundle.pem.wbe.keystore.certificate'",
					"'spring.ssl.bundle.jks.wbe.keystore.location'");
	}

	@Test
	void whenFailureIsNotOneOfTheServersStoresThenItIsLeftToOthers() {
		MockEnvironment environment = environment("key-store=server.p12");
		StoreFailureAnalyzer analyzer = new StoreFailureAnalyzer(environment);
		assertThat(analyzer.analyze(new NoSuchSslBundleException("client", "not found"))).isNull();
		assertThat(analyzer.analyze(new IllegalStateException("other"))).isNull();
		assertThat(analyzer.analyze(failure(environment("key-store=missing.p12")))).isNull();
		assertThat(new StoreFailureAnalyzer(null).analyze(new IllegalStateException())).isNull();
	}

	// If Spring Boot gets an analyzer of its own, this one can go
	@Test
	void whenApplicationFailsThenThisIsTheOnlyAnalyzer() {
		MockEnvironment environment = environment("key-store=missing.p12");
		Throwable failure = failure(environment);
		assertThat(SpringFactoriesLoader.forDefaultResourceLocation()
			.load(FailureAnalyzer.class, SpringFactoriesLoader.ArgumentResolver.of(Environment.class, environment),
					(type, name, ex) -> {
					}))
			.filteredOn((analyzer) -> analyzer.analyze(failure) != null)
			.singleElement()
			.isInstanceOf(StoreFailureAnalyzer.class);
	}

	private static MockEnvironment environment(String properties) {
		MockEnvironment environment = new MockEnvironment();
		for (String property : properties.split(" ")) {
			String[] parts = property.split("=");
			boolean isFile = List
				.of("key-store", "trust-store", "certificate", "certificate-private-key", "trust-certificate",
						"trust-certificate-private-key")
				.contains(parts[0]);
			environment.setProperty("server.ssl." + parts[0],
					isFile ? certificates.folder().resolve(parts[1]).normalize().toString() : parts[1]);
		}
		if (!properties.contains("store-password")) {
			environment.setProperty("server.ssl.key-store-password", "secret");
		}
		return environment;
	}

	private static Throwable failure(MockEnvironment environment) {
		Ssl ssl = Binder.get(environment).bind("server.ssl", Ssl.class).get();
		boolean trust = ssl.getTrustStore() != null;
		Throwable failure = catchThrowable(() -> {
			if (trust) {
				WebServerSslBundle.get(ssl).getStores().getTrustStore();
			}
			else {
				WebServerSslBundle.get(ssl).getStores().getKeyStore();
			}
		});
		assertThat(failure).as("failure of Spring Boot").isNotNull();
		return new ApplicationContextException("Unable to start web server", failure);
	}

}
