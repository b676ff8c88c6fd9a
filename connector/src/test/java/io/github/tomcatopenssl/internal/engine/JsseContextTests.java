// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.engine;

import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.List;

import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedTrustManager;
import javax.net.ssl.X509TrustManager;

import io.github.tomcatopenssl.internal.host.CheckedTrustManager;
import io.github.tomcatopenssl.test.ClientVerifier;
import io.github.tomcatopenssl.test.JavaClient;
import io.github.tomcatopenssl.test.TestCertificates;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link JsseContext} and the {@link CheckedTrustManager} that it verifies
 * clients with.
 */
@Tag("jdk")
@Tag("servers")
class JsseContextTests {

	private final List<Exception> told = new ArrayList<>();

	private final X509Certificate[] chain = { TestCertificates.get().certificate("other-client.crt") };

	@Test
	void whenTrustManagerRefusesThenTellsAndItsExceptionStays() {
		CertificateException refusal = new CertificateException("no");
		X509TrustManager manager = JsseContext.reporting(new Refusing(refusal), this::refused);
		// JSSE checks the algorithms itself if the trust manager is not an extended one
		assertThat(manager).isNotInstanceOf(X509ExtendedTrustManager.class);
		assertThatExceptionOfType(CertificateException.class)
			.isThrownBy(() -> manager.checkClientTrusted(this.chain, "EC"))
			.isSameAs(refusal);
		assertThat(this.told).containsExactly(refusal);
	}

	@Test
	void whenTrustManagerIsAnExtendedOneThenStaysOneAndTellsOnce() throws Exception {
		X509ExtendedTrustManager trusting = (X509ExtendedTrustManager) JavaClient.managers("client", "ca.crt")
			.trust()[0];
		X509ExtendedTrustManager manager = (X509ExtendedTrustManager) JsseContext.reporting(trusting, this::refused);
		SSLEngine engine = SSLContext.getDefault().createSSLEngine();
		assertThatExceptionOfType(CertificateException.class)
			.isThrownBy(() -> manager.checkClientTrusted(this.chain, "EC", engine));
		assertThat(this.told).hasSize(1);
		assertThat(manager.getAcceptedIssuers()).isEqualTo(trusting.getAcceptedIssuers());
	}

	private void refused(X509Certificate[] chain, Exception cause) {
		assertThat(chain).isSameAs(this.chain);
		this.told.add(cause);
	}

	private record Refusing(CertificateException refusal) implements ClientVerifier {

		@Override
		public void checkClientTrusted(X509Certificate[] chain, String authType) throws CertificateException {
			throw this.refusal;
		}

	}

}
