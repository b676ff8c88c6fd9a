// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.engine;

import java.io.IOException;
import java.security.cert.CertificateExpiredException;

import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;

import io.github.tomcatopenssl.internal.engine.OpenSslSession.OpenSslException;
import io.github.tomcatopenssl.internal.library.OpenSslError;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link HandshakeFailure}: how the engines name what they throw.
 */
@Tag("jdk")
class HandshakeFailureTests {

	@ParameterizedTest
	@CsvSource({ "20, 1042, CERTIFICATE_REFUSED", "20, 1048, CERTIFICATE_REFUSED", "20, 1047, ALERT", "20, 1255, ALERT",
			"20, 1256, OTHER", "20, 999, OTHER", "20, 134, PEER_CERTIFICATE_REFUSED",
			"20, 199, PEER_CERTIFICATE_MISSING", "20, 152, TOO_LARGE", "13, 152, OTHER", "13, 1048, OTHER" })
	void whenOpenSslHasAnErrorThenItsNumberDecides(int library, int reason, HandshakeFailure expected) {
		Engine.load();
		OpenSslError error = new OpenSslError(library, reason, "tlsv1 alert unknown ca");
		assertThat(TlsEngine.openSsl().failure(new OpenSslException(error))).isEqualTo(expected);
	}

	@ParameterizedTest
	@CsvSource({ "Received fatal alert: unknown_ca, CERTIFICATE_REFUSED",
			"(unknown_ca) Received fatal alert: unknown_ca, CERTIFICATE_REFUSED",
			"(certificate_required) Empty client certificate chain, PEER_CERTIFICATE_MISSING",
			"no Received fatal alert: unknown_ca, OTHER", "(certificate_unknown) no cipher suites in common, OTHER",
			", OTHER" })
	void whenJsseThrowsThenItsMessageDecides(String message, HandshakeFailure expected) {
		assertThat(TlsEngine.jsse().failure(new SSLHandshakeException(message))).isEqualTo(expected);
	}

	@Test
	void whenTrustManagerThrowsThenCertificateIsRefused() {
		SSLException failure = new SSLException("PKIX", new IOException(new CertificateExpiredException()));
		assertThat(TlsEngine.jsse().failure(failure)).isEqualTo(HandshakeFailure.PEER_CERTIFICATE_REFUSED);
	}

}
