// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.io.InputStream;
import java.nio.file.Files;
import java.security.KeyPairGenerator;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateFactory;

import io.github.tomcatopenssl.KeyAlias;
import io.github.tomcatopenssl.MultiKeyStore;
import io.github.tomcatopenssl.test.TestCertificates;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.SSLHostConfigCertificate.Type;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link MultiKeyHost}.
 */
class MultiKeyHostTests {

	@ParameterizedTest
	@ValueSource(strings = { "JKS", "PKCS12" })
	void whenKeyStoreOfUserHasOurAliasesThenItsKeysAreNotAllServed(String type) throws Exception {
		assertThat(MultiKeyHost.isNeededFor(host(fill(KeyStore.getInstance(type))))).isFalse();
		assertThat(MultiKeyHost.isNeededFor(host(fill(MultiKeyStore.create(type))))).isTrue();
	}

	private static KeyStore fill(KeyStore keyStore) throws Exception {
		keyStore.load(null, null);
		for (String algorithm : new String[] { "RSA", "EC" }) {
			keyStore.setKeyEntry(KeyAlias.of(algorithm),
					KeyPairGenerator.getInstance("EC").generateKeyPair().getPrivate(), new char[0],
					new Certificate[] { certificate(algorithm.equals("RSA") ? "rsa.crt" : "p256.crt") });
		}
		return keyStore;
	}

	private static Certificate certificate(String name) throws Exception {
		try (InputStream in = Files.newInputStream(TestCertificates.get().file(name))) {
			return CertificateFactory.getInstance("X.509").generateCertificate(in);
		}
	}

	// As Spring Boot does
	private static SSLHostConfig host(KeyStore keyStore) {
		SSLHostConfig host = new SSLHostConfig();
		SSLHostConfigCertificate certificate = new SSLHostConfigCertificate(host, Type.UNDEFINED);
		certificate.setCertificateKeystore(keyStore);
		host.addCertificate(certificate);
		return host;
	}

}
