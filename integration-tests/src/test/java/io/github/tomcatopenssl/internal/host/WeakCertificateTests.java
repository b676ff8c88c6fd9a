// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

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

import org.springframework.boot.WebApplicationType;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatException;

/**
 * Tests that a certificate that OpenSSL refuses as too weak is named with its file, at
 * startup and at a reload. {@link SecurityLevel} has its own tests.
 */
@ExtendWith(OutputCaptureExtension.class)
class WeakCertificateTests extends AbstractTlsServerTests {

	@TempDir
	private Path folder;

	WeakCertificateTests() {
		super(WebApplicationType.SERVLET);
	}

	@BeforeEach
	void makeCertificates() {
		certificates().write("weak.ext", "basicConstraints=critical,CA:TRUE\n");
		intermediate("sha1-ca", "rsa:2048", "-sha1");
		intermediate("short-ca", "rsa:1024", "-sha256");
	}

	private void intermediate(String name, String key, String digest) {
		certificates().openssl("req", "-newkey", key, "-nodes", "-subj", "/CN=" + name, "-keyout", name + ".key",
				"-out", name + ".csr");
		certificates().openssl("x509", "-req", "-in", name + ".csr", "-CA", "rsa.crt", "-CAkey", "rsa.key",
				"-CAcreateserial", "-days", "30", digest, "-extfile", "weak.ext", "-out", name + ".crt");
		certificates().openssl("x509", "-req", "-in", "leaf.csr", "-CA", name + ".crt", "-CAkey", name + ".key",
				"-CAcreateserial", "-days", "30", "-sha256", "-extfile", "leaf.ext", "-out", name + "-leaf.crt");
		certificates().join(name + "-chain.crt", name + "-leaf.crt", name + ".crt");
	}

	@Test
	void whenAnIntermediateIsWeakThenStartNamesItAndItsFile(CapturedOutput output) {
		assertThatException().isThrownBy(() -> start(Engine.OPENSSL, "certificate-file=" + file("sha1-ca-chain.crt"),
				"certificate-key-file=" + file("leaf.key")));
		assertThat(output).contains("APPLICATION FAILED TO START",
				"OpenSSL refuses the certificate 'CN=sha1-ca' (number 2 in '%s' of 'server.ssl.certificate-file') of the virtual host '_default_': it is signed with SHA1 ("
					.formatted(file("sha1-ca-chain.crt")),
				"ca md too weak", "Replace it with the CA's current certificate")
			.doesNotContain("\tat ");
	}

	@Test
	void whenTheCertificateOfABundleIsWeakThenStartNamesItsPlaceInTheChain(CapturedOutput output) {
		String prefix = "spring.ssl.bundle.pem.mine.keystore.";
		assertThatException().isThrownBy(() -> start(Engine.OPENSSL, "server.ssl.bundle=mine",
				prefix + "certificate=" + file("short-ca-chain.crt"), prefix + "private-key=" + file("leaf.key")));
		assertThat(output).contains(
				"OpenSSL refuses the certificate 'CN=short-ca' (number 2 of the chain) of the virtual host '_default_': its RSA key has 1024 bits, but the minimum is 2048 (",
				"ca key too small")
			.doesNotContain("\tat ");
	}

	@Test
	void whenItComesWithAReloadThenItIsRefusedWithTheSameReason(CapturedOutput output) throws IOException {
		copy("p256.crt", "tls.crt");
		copy("p256.key", "tls.key");
		copy("p256.crt", "chain.crt");
		try (TestServer server = start(Engine.OPENSSL, "certificate-file=" + this.folder.resolve("tls.crt"),
				"certificate-key-file=" + this.folder.resolve("tls.key"),
				"certificate-chain-file=" + this.folder.resolve("chain.crt"))) {
			assertThat(TlsClient.connect(server.port()).subject()).isEqualTo("p256");
			copy("leaf.key", "tls.key");
			copy("sha1-ca-leaf.crt", "tls.crt");
			copy("sha1-ca.crt", "chain.crt");
			Awaitility.await()
				.untilAsserted(() -> assertThat(output).contains("SSL bundle 'server-ssl' was not reloaded",
						"OpenSSL refuses the certificate 'CN=sha1-ca' (number 1 in '%s' of 'server.ssl.certificate-chain-file')"
							.formatted(this.folder.resolve("chain.crt")),
						"it is signed with SHA1 ("));
			assertThat(TlsClient.connect(server.port())).returns("p256", Handshake::subject)
				.returns(true, Handshake::isServed);
		}
	}

	private void copy(String from, String to) throws IOException {
		Files.copy(certificates().file(from), this.folder.resolve(to), StandardCopyOption.REPLACE_EXISTING);
	}

}
