// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.sample.container;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

import io.github.tomcatopenssl.test.TestCertificates;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.testcontainers.images.builder.ImageFromDockerfile;
import org.testcontainers.images.builder.Transferable;
import org.testcontainers.utility.MountableFile;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

/**
 * Tests of an image whose OpenSSL uses only Debian's FIPS provider, and of similar images
 * without it.
 */
@RequiresContainerEngine
class FipsIT {

	private static final String REQUIRED = "--server.ssl.openssl.fips-mode=required";

	private static final String IS_REQUIRED = "it is 'required', but OpenSSL cannot serve TLS: ";

	private static final String VERIFIED = "Verify return code: 0 (ok)";

	// Without 'default_properties'
	private static final String BESIDE_DEFAULT = """
			openssl_conf = openssl
			.include /etc/ssl/fipsmodule.cnf
			[openssl]
			providers = providers
			[providers]
			fips = fips_sect
			default = default_sect
			[default_sect]
			activate = 1
			""";

	private static SampleContainer sample;

	@BeforeAll
	static void startContainer() throws IOException {
		sample = new SampleContainer(Images.fips(), REQUIRED).restricted().withFolder("/tmp", "exec");
		sample.start();
	}

	@AfterAll
	static void stopContainer() {
		if (sample != null) {
			sample.close();
		}
	}

	@Test
	void whenProviderIsThereThenStartsWithoutWarningAndSaysSo() {
		assertThat(sample.getLogs()).containsPattern(
				"OpenSSL is active on port 8443 \\(https\\): OpenSSL 3\\.5\\..*, library /usr/lib/jni/libtcnative-2.so, FIPS\n")
			.doesNotContain(" WARN ", "ERROR");
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			-tls1_3                                                   | TLSv1.3, Cipher is TLS_AES_
			-tls1_2                                                   | TLSv1.2, Cipher is ECDHE-ECDSA-AES
			-groups X25519:P-384                                      | ECDH, secp384r1
			-groups X25519MLKEM768                                    | Negotiated TLS1.3 group: X25519MLKEM768
			""")
	void whenClientHasApprovedAlgorithmsThenIsServed(String options, String expected) throws Exception {
		assertThat(ClientContainer.get().connect("p256", options)).contains(VERIFIED, expected);
	}

	@ParameterizedTest
	@CsvSource({ "-tls1_3 -ciphersuites TLS_CHACHA20_POLY1305_SHA256", "-tls1_2 -cipher ECDHE-ECDSA-CHACHA20-POLY1305",
			"-groups X25519" })
	void whenClientHasOthersOnlyThenIsRefused(String options) throws Exception {
		assertThat(ClientContainer.get().connect("p256", options)).contains("handshake failure", "Cipher is (NONE)");
	}

	@Test
	void whenClientIsCurlThenHttp2IsServed() throws Exception {
		assertThat(ClientContainer.get().curl("/tls", "--http2")).contains("\"engine\":\"OpenSSL\"", "HTTP/2.0");
	}

	@ParameterizedTest
	@ValueSource(strings = { "-tls1_3", "-tls1_2" })
	void whenCertificateIsReplacedThenIsServed(String protocol) throws Exception {
		for (String certificate : List.of("p384", "p256")) {
			sample.secret().update(certificate, certificate);
			await().atMost(Duration.ofSeconds(30))
				.until(() -> ClientContainer.get().connect(certificate, protocol).contains(VERIFIED));
		}
	}

	@ParameterizedTest
	@CsvSource({ "TLS_CHACHA20_POLY1305_SHA256, TLS_CHACHA20_POLY1305_SHA256",
			"'TLS_AES_256_GCM_SHA384,TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256', ECDHE-ECDSA-CHACHA20-POLY1305" })
	void whenSuiteIsNotOfTheProviderThenDoesNotStart(String suites, String missing) throws Exception {
		assertDoesNotStart(Images.fips(), "Property: server.ssl.ciphers",
				"does not support these cipher suites of the virtual host '_default_': '" + missing + "'",
				"--server.ssl.ciphers=" + suites);
	}

	@Test
	void whenNoGroupIsOfTheProviderThenDoesNotStart() throws Exception {
		assertDoesNotStart(Images.fips(), "OpenSSL, which serves TLS, supports none of these groups",
				"'x25519' for configuration property 'server.ssl.groups'", "--server.ssl.groups=x25519");
	}

	@Test
	void whenKeyIsRefusedByTheProviderThenDoesNotStart() throws Exception {
		TestCertificates certificates = TestCertificates.get();
		certificates.openssl("req", "-x509", "-newkey", "rsa:1024", "-nodes", "-days", "3", "-subj", "/CN=weak",
				"-keyout", "weak.key", "-out", "weak.crt");
		certificates.openssl("pkcs12", "-export", "-in", "weak.crt", "-inkey", "weak.key", "-passout", "pass:changeit",
				"-out", "weak.p12");
		String bundle = "--spring.ssl.bundle.jks.weak.keystore.";
		String host = "--server.ssl.server-name-bundles[0].";
		try (SampleContainer container = new SampleContainer(Images.fips(), REQUIRED,
				bundle + "location=file:/weak.p12", bundle + "password=changeit", host + "bundle=weak",
				host + "server-name=weak.example.com")
			.withCopyFileToContainer(MountableFile.forHostPath(certificates.file("weak.p12"), 0644), "/weak.p12")
			.thatFailsToStart()) {
			assertDoesNotStart(container, "Property: server.ssl",
					"refuses the certificate 'CN=weak' of the virtual host 'weak.example.com' or its key: ");
		}
	}

	@Test
	void whenThereIsNoProviderThenDoesNotStart() throws Exception {
		assertDoesNotStart(Images.system(Base.TRIXIE), IS_REQUIRED,
				"'/usr/lib/jni/libtcnative-2.so': its OpenSSL does not take its algorithms from the FIPS provider");
	}

	@Test
	void whenProviderIsNotTheOnlyOneThenDoesNotStart() throws Exception {
		try (SampleContainer container = new SampleContainer(Images.fips(), REQUIRED)
			.withCopyToContainer(Transferable.of(BESIDE_DEFAULT), "/etc/ssl/openssl.cnf")
			.thatFailsToStart()) {
			assertDoesNotStart(container, IS_REQUIRED, "because 'fips=yes' is not its default property");
		}
	}

	@Test
	void whenLibraryIsBundledThenDoesNotStart() throws Exception {
		assertDoesNotStart(Images.bundled(Base.TRIXIE), IS_REQUIRED, "'bundled linux-",
				"': it has no FIPS provider, and is not loaded");
	}

	private static void assertDoesNotStart(ImageFromDockerfile image, String reason, String detail, String... arguments)
			throws IOException {
		String[] all = Stream.concat(Stream.of(REQUIRED), Stream.of(arguments)).toArray(String[]::new);
		try (SampleContainer container = new SampleContainer(image, all).thatFailsToStart()) {
			assertDoesNotStart(container, reason, detail);
		}
	}

	private static void assertDoesNotStart(SampleContainer container, String... reasons) {
		container.start();
		assertThat(container.exitStatus()).isEqualTo(1);
		assertThat(container.getLogs()).contains("APPLICATION FAILED TO START").contains(reasons);
	}

}
