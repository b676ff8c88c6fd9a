// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Base64;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.certificate.CertificateReloads;
import io.github.tomcatopenssl.internal.host.PemBlocks;
import io.github.tomcatopenssl.test.AbstractTlsServerTests;
import io.github.tomcatopenssl.test.TestServer;
import io.github.tomcatopenssl.test.TestServer.Engine;
import io.github.tomcatopenssl.test.TlsClient;
import io.github.tomcatopenssl.test.TlsClient.Handshake;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Tests that a server does not start with, or change to, what no client could connect to.
 */
@ExtendWith(OutputCaptureExtension.class)
class UnusableCertificateTests extends AbstractTlsServerTests {

	@TempDir
	private Path folder;

	UnusableCertificateTests() {
		super(WebApplicationType.SERVLET);
	}

	@BeforeEach
	void makeKey() {
		if (!Files.exists(certificates().file("salt.crt"))) {
			certificates().openssl("req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=salt", "-newkey", "rsa-pss",
					"-pkeyopt", "rsa_keygen_bits:2048", "-pkeyopt", "rsa_pss_keygen_md:sha256", "-pkeyopt",
					"rsa_pss_keygen_mgf1_md:sha256", "-pkeyopt", "rsa_pss_keygen_saltlen:100", "-sigopt",
					"rsa_pss_saltlen:100", "-keyout", "salt.key", "-out", "salt.crt");
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenKeyCannotSignHandshakesThenServerDoesNotStart(Engine engine, CapturedOutput output) {
		String prefix = "server-name-certificates[0].";
		assertThatException().isThrownBy(() -> start(engine, with(pem("p256"), prefix + "server-name=other.example.com",
				prefix + "certificate-file=" + file("salt.crt"), prefix + "certificate-key-file=" + file("salt.key"))));
		assertThat(output).contains("APPLICATION FAILED TO START",
				"Property: server.ssl." + prefix + "certificate-file", "File: " + file("salt.crt"),
				"Reason: no client with TLSv1.3 and TLSv1.2 could connect to the virtual host 'other.example.com' with the certificate 'CN=salt'",
				"Use a certificate with an EC key");
	}

	@ParameterizedTest
	@EnumSource
	void whenKeyOnlyClaimsToBelongToCertificateThenServerDoesNotStart(Engine engine, CapturedOutput output) {
		byte[] own = certificates().privateKey("p256").getEncoded();
		byte[] other = certificates().privateKey("other").getEncoded();
		// The public key of a private one, which is a point of P-256
		int point = 65;
		System.arraycopy(own, own.length - point, other, other.length - point, point);
		String base64 = Base64.getMimeEncoder(64, new byte[] { '\n' }).encodeToString(other);
		certificates().write("claims.key", PemBlocks.of("PRIVATE KEY", base64));
		assertThatException().isThrownBy(() -> start(engine, "certificate-file=" + file("p256.crt"),
				"certificate-key-file=" + file("claims.key")));
		assertThat(output).contains("APPLICATION FAILED TO START", "Property: server.ssl.certificate-file",
				"the private key of the virtual host '_default_' does not belong to the certificate 'CN=p256'",
				"Use the private key that the certificate was issued for");
	}

	@ParameterizedTest
	@EnumSource
	void whenIssuerIsNoCaThenServerDoesNotStartAndDoesNotChangeToIt(Engine engine, CapturedOutput output)
			throws Exception {
		certificates().issue("ca", "no-ca", "basicConstraints=CA:FALSE", "20260101000000Z", "20460101000000Z");
		certificates().issue("no-ca", "of-no-ca", "subjectAltName=DNS:localhost", "20260101000000Z", "20460101000000Z");
		certificates().join("no-ca-chain.crt", "of-no-ca.crt", "no-ca.crt", "of-no-ca.key");
		Path certificate = this.folder.resolve("tls.crt");
		Files.copy(certificates().file("no-ca-chain.crt"), certificate);
		assertThatException().isThrownBy(() -> start(engine, "certificate-file=" + certificate));
		String place = "the certificate 'CN=no-ca' (number 2 in '%s' of 'server.ssl.certificate-file')"
			.formatted(certificate);
		assertThat(output).contains("APPLICATION FAILED TO START", "Property: server.ssl.certificate-file",
				"File: " + certificate,
				"Reason: no client could verify the chain of the virtual host '_default_', because of " + place
						+ ": it has issued the certificate 'CN=of-no-ca', but is not one of a CA",
				"Use the certificate of the CA, or have 'CN=of-no-ca' issued by a CA.");
		Files.copy(certificates().join("before.crt", "p256.crt", "p256.key"), certificate,
				StandardCopyOption.REPLACE_EXISTING);
		try (TestServer server = start(engine, "certificate-file=" + certificate)) {
			Files.copy(certificates().file("no-ca-chain.crt"), certificate, StandardCopyOption.REPLACE_EXISTING);
			awaitProblem(server,
					"'server.ssl.certificate-file' ('%s'): no client could verify the chain".formatted(certificate),
					place, "Use the certificate of the CA");
			assertThat(TlsClient.connect(server.port()).subject()).isEqualTo("p256");
		}
	}

	@Test
	void whenSomeClientsRefuseTheFilesThenLogNamesThem(CapturedOutput output) {
		start(Engine.OPENSSL, with(pem("client"), "client-auth=want", "ca-certificate-file=" + file("leaf.crt")))
			.close();
		assertThat(output).containsOnlyOnce(
				"'CN=Test CA': it has issued the certificate 'CN=client' (number 1 in '%s' of 'server.ssl.certificate-file'), but is not in its chain"
					.formatted(file("client.crt")))
			.containsOnlyOnce(
					"none may issue certificates for clients, such as 'CN=leaf' (number 1 in '%s' of 'server.ssl.ca-certificate-file'), because its basic constraints lack 'CA:TRUE'"
						.formatted(file("leaf.crt")));
	}

	@Test
	void whenCertificateHasNoHostNameAndUnknownNamesAreRejectedThenServerDoesNotStart(CapturedOutput output) {
		certificates().openssl("req", "-x509", "-nodes", "-days", "2", "-subj", "/CN=address", "-newkey", "ec",
				"-pkeyopt", "ec_paramgen_curve:P-256", "-addext", "subjectAltName=IP:127.0.0.1", "-keyout",
				"address.key", "-out", "address.crt");
		assertThatException()
			.isThrownBy(() -> start(Engine.OPENSSL, with(pem("address"), "unknown-server-name=reject")));
		assertThat(output).contains("APPLICATION FAILED TO START", "Property: server.ssl.unknown-server-name",
				"the certificate 'CN=address' is for no host name",
				"allow the addresses of the clients as exceptions to 'server.ssl.unknown-server-name', or remove it.");
	}

	@ParameterizedTest
	@EnumSource
	void whenBundleOfSpringBootHasKeyThatCannotSignThenServerDoesNotStart(Engine engine, CapturedOutput output) {
		assertThatException().isThrownBy(() -> start(engine, with(bundle("mine", "salt"), "server.ssl.bundle=mine")));
		assertThat(output).contains("APPLICATION FAILED TO START",
				"Property: spring.ssl.bundle.pem.mine.keystore.certificate", "Reason: no client with ");
	}

	@ParameterizedTest
	@EnumSource
	void whenNamesOfCasAreTooLongThenServerDoesNotStart(Engine engine, CapturedOutput output) throws Exception {
		writeCas(600);
		assertThatException()
			.isThrownBy(() -> start(engine, with(pem("p256"), "client-auth=need", "ca-certificate-file=" + cas())));
		assertThat(output).contains("APPLICATION FAILED TO START", "Property: server.ssl.ca-certificate-file",
				"Reason: no client with ", "or remove 'server.ssl.client-auth'");
	}

	@ParameterizedTest
	@EnumSource
	void whenReloadBringsTooManyCasThenThoseBeforeStayInUse(Engine engine) throws Exception {
		writeCas(400);
		try (TestServer server = start(engine, with(pem("p256"), "client-auth=need", "ca-certificate-file=" + cas()))) {
			assertThat(connectAs(server, "client", "-tls1_3").isServed()).isTrue();
			writeCas(600);
			awaitProblem(server, "'server.ssl.ca-certificate-file' ('%s'): no client with ".formatted(cas()),
					"certificates in 'server.ssl.ca-certificate-file' or", "remove 'server.ssl.client-auth'");
			assertThat(connectAs(server, "client", "-tls1_3").isServed()).isTrue();
			assertThat(connectAs(server, "client", "-tls1_2").isServed()).isTrue();
			writeCas(400);
			Awaitility.await()
				.untilAsserted(() -> assertThat(server.bean(CertificateReloads.class).status()).singleElement()
					.satisfies((status) -> assertThat(status.problem()).isNull()));
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenReloadBringsKeyThatCannotSignThenTheOneBeforeStaysInUse(Engine engine) throws Exception {
		Path certificate = this.folder.resolve("tls.crt");
		Files.copy(certificates().join("rotating.crt", "p256.crt", "p256.key"), certificate);
		try (TestServer server = start(engine, "certificate-file=" + certificate)) {
			Files.copy(certificates().join("rotating.crt", "salt.crt", "salt.key"), certificate,
					StandardCopyOption.REPLACE_EXISTING);
			awaitProblem(server, "'server.ssl.certificate-file' ('%s'): no client with ".formatted(certificate));
			assertThat(TlsClient.connect(server.port())).returns("p256", Handshake::subject)
				.returns(true, Handshake::isServed);
		}
	}

	@ParameterizedTest
	@EnumSource
	void whenBundleOfSpringBootHasKeyThatCannotSignThenTheOneBeforeStaysInUse(Engine engine) {
		try (TestServer server = start(engine,
				with(with(bundle("mine", "p256"), bundle("next", "salt")), "server.ssl.bundle=mine"))) {
			assertThatException()
				.isThrownBy(
						() -> server.bundles().updateBundle("mine", server.bean(SslBundles.class).getBundle("next")))
				.withStackTraceContaining(TlsSettingException.class.getName());
			assertThat(TlsClient.connect(server.port())).returns("p256", Handshake::subject)
				.returns(true, Handshake::isServed);
		}
	}

	private static void awaitProblem(TestServer server, String... problem) {
		Awaitility.await()
			.atMost(Duration.ofSeconds(30))
			.untilAsserted(() -> assertThat(server.bean(CertificateReloads.class).status()).singleElement()
				.satisfies((status) -> {
					assertThat(status.problem()).contains(problem);
					assertThat(status.failed()).isOne();
					assertThat(status.succeeded()).isZero();
				}));
	}

	private Path cas() {
		return this.folder.resolve("ca.crt");
	}

	// With the CA of the client
	private void writeCas(int number) throws Exception {
		StringBuilder cas = new StringBuilder(certificates().read("ca.crt"));
		for (X509Certificate ca : certificates().cas(number)) {
			cas.append(PemBlocks.of(ca));
		}
		Files.writeString(cas(), cas);
	}

}
