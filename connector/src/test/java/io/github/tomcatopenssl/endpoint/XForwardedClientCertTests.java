// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests for {@link XForwardedClientCert}.
 */
class XForwardedClientCertTests {

	private static final String FIRST = pem("AA%3D%3D");

	private static final String SECOND = pem("AQ==");

	private static String pem(String base64) {
		return "-----BEGIN%20CERTIFICATE-----%0A" + base64 + "%0a-----END%20CERTIFICATE-----%0A";
	}

	@Test
	void whenHeaderIsMissingThenThereAreNoCertificates() {
		assertThat(XForwardedClientCert.read(List.of())).isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "Cert=\"%s\"", "cert=%s", "CERT=\"%s\";", "By=spiffe://a/b?c=d;Hash=e;Cert=\"%s\"",
			"Cert=\"%s\";Subject=\"CN=\\\"a,b;Cert=\\\",DNS=c\\\\\";URI=;DNS=a;DNS=b", "Chain=\"%s\";Cert=\"%1$s\"" })
	void whenThereIsOneElementThenItsCertificateIsRead(String value) {
		assertThat(XForwardedClientCert.read(List.of(value.formatted(FIRST)))).containsExactly(new byte[] { 0 });
	}

	@Test
	void whenThereIsAChainThenItHasTheCertificate() {
		byte[][] chain = { { 0 }, { 1 } };
		assertThat(XForwardedClientCert.read(List.of("Chain=\"" + FIRST + SECOND + "\""))).containsExactly(chain);
		assertThat(XForwardedClientCert.read(List.of("Cert=\"" + FIRST + "\";Chain=\"" + FIRST + SECOND + "\"")))
			.containsExactly(chain);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", ";", "%s", "Cert", "Cert=", "Cert=\"\"", "=\"%s\"", " Cert=\"%s\"", "Cert =\"%s\"",
			"Cert= \"%s\"", "Cert=\"%s", "Cert=\"%s\\\"", "Cert=\"%s\" ", "Cert=\"%s\"Hash=a", "Hash=a",
			"Hash=a,Cert=\"%s\"", "Cert=\"%s\",", "Cert=\"%s\",Hash=a", "Cert=\"%s\";Cert=\"%1$s\"",
			"Cert=\"%s\";cert=\"%1$s\"", "Chain=\"%s\";Chain=\"%1$s\"", "Cert=\"%s%1$s\"", "Cert=\"%s\";URI=a,b",
			"Cert=\"%s\";URI=a\"b", "Cert=\"a%s\"", "Cert=\"%sa\"", "Cert=\"%s%%0A\"", "\u0421ert=\"%s\"" })
	void whenHeaderIsNotOneElementWithOneCertificateThenFails(String value) {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> XForwardedClientCert.read(List.of(value.formatted(FIRST))));
	}

	@ParameterizedTest
	@ValueSource(strings = { "AA", "AA=", "AB==", "A%2", "AA%3D%3D%", "AA%ZZ==", "A A==", "AA==\n", "%E4%B8%AD",
			"AA==%0D%0A", "AA==%0A-----BEGIN%20CERTIFICATE-----%0AAA==" })
	void whenPemIsNotCanonicalThenFails(String base64) {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> XForwardedClientCert.read(List.of("Cert=\"" + pem(base64.replace("\n", "%00")) + "\"")));
	}

	@Test
	void whenCertificateDoesNotBeginItsChainThenFails() {
		assertThatIllegalArgumentException().isThrownBy(
				() -> XForwardedClientCert.read(List.of("Cert=\"" + SECOND + "\";Chain=\"" + FIRST + SECOND + "\"")));
	}

	@Test
	void whenHeaderIsThereTwiceThenFails() {
		assertThatIllegalArgumentException()
			.isThrownBy(() -> XForwardedClientCert.read(List.of("Cert=\"" + FIRST + "\"", "Hash=a")));
	}

}
