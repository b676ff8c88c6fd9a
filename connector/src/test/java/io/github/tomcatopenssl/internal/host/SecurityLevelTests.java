// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;

import io.github.tomcatopenssl.FipsMode;
import io.github.tomcatopenssl.LibrarySource;
import io.github.tomcatopenssl.internal.library.TomcatNativeLoader;
import io.github.tomcatopenssl.internal.library.TrialContext;
import io.github.tomcatopenssl.test.CatalinaHome;
import io.github.tomcatopenssl.test.Provided;
import io.github.tomcatopenssl.test.TestCertificates;
import org.apache.tomcat.jni.SSLContext;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchException;

/**
 * Tests that {@link SecurityLevel} finds what OpenSSL refuses, and nothing else.
 */
@Tag("servers")
class SecurityLevelTests {

	private static TestCertificates certificates;

	@BeforeAll
	static void load() {
		certificates = TestCertificates.get();
		assertThat(new TomcatNativeLoader(LibrarySource.SYSTEM, Provided.tomcatNative(), null, FipsMode.OFF).status()
			.available()).isTrue();
		CatalinaHome.forget();
	}

	@ParameterizedTest
	@CsvSource(textBlock = """
			rsa:2048, -sha256, false, ''
			rsa:2048, -sha1, false, it is signed with SHA1
			rsa:2048, -md5, false, it is signed with MD5
			rsa:2048, -sha1 -sigopt rsa_padding_mode:pss, false, it is signed with SHA-1
			rsa:2048, -sha256 -sigopt rsa_padding_mode:pss, false, ''
			rsa:2048, -sha224, false, ''
			rsa:2048, -sha512, false, ''
			rsa:1024, -sha256, false, 'its RSA key has 1024 bits, but the minimum is 2048'
			ec -pkeyopt ec_paramgen_curve:P-256, -sha256, false, ''
			ec -pkeyopt ec_paramgen_curve:P-256, -sha1, false, it is signed with SHA1
			ec -pkeyopt ec_paramgen_curve:P-192, -sha256, false, 'its curve has 192 bits, but the minimum is 224'
			ec -pkeyopt ec_paramgen_curve:P-224, -sha256, false, ''
			ed25519, -sha256, false, ''
			rsa:2048, -sha1, true, ''
			rsa:2048, -md5, true, ''
			rsa:1024, -sha1, true, 'its RSA key has 1024 bits, but the minimum is 2048'
			""")
	void whenOpenSslRefusesACertificateThenKnowsWhy(String key, String signature, boolean selfSigned, String weakness)
			throws Exception {
		List<String> arguments = new ArrayList<>(List.of("req", "-nodes", "-subj", "/CN=weak", "-keyout", "weak.key",
				"-out", selfSigned ? "weak.crt" : "weak.csr", "-newkey"));
		arguments.addAll(List.of(key.split(" ")));
		if (selfSigned) {
			arguments.add("-x509");
			arguments.addAll(List.of(signature.split(" ")));
		}
		certificates.openssl(arguments.toArray(String[]::new));
		if (!selfSigned) {
			String issuer = key.startsWith("rsa") ? "rsa" : "p256";
			List<String> issuance = new ArrayList<>(List.of("x509", "-req", "-in", "weak.csr", "-CA", issuer + ".crt",
					"-CAkey", issuer + ".key", "-CAcreateserial", "-out", "weak.crt"));
			issuance.addAll(List.of(signature.split(" ")));
			certificates.openssl(issuance.toArray(String[]::new));
		}
		X509Certificate certificate = certificates.certificate("weak.crt");
		try (TrialContext context = new TrialContext()) {
			Exception refusal = catchException(
					() -> SSLContext.addChainCertificateRaw(context.address(), certificate.getEncoded()));
			assertThat(refusal != null).as(String.valueOf(refusal)).isEqualTo(!weakness.isEmpty());
		}
		assertThat(String.valueOf(SecurityLevel.weakness(certificate)))
			.isEqualTo(weakness.isEmpty() ? "null" : weakness);
	}

}
