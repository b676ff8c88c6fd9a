// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.security.KeyManagementException;
import java.util.List;

import io.github.tomcatopenssl.TlsSettingException;
import io.github.tomcatopenssl.test.TestCertificates;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link OpenSslRefusal}, where no certificate is too weak.
 */
class OpenSslRefusalTests {

	@Test
	void whenNoCertificateIsToBlameThenGivesTheReasonOfOpenSsl() throws Exception {
		assertThat(reason(List.of(), (any) -> null)).isEqualTo(
				"OpenSSL refuses the TLS settings of the virtual host '_default_': error:0A0000B9:SSL routines::no cipher match");
		List<HostKey> keys = List.of(new HostKey(null, List.of(TestCertificates.get().certificate("p256.crt"))));
		assertThat(reason(keys, (any) -> "/etc/tls/tls.crt")).isEqualTo(
				"OpenSSL refuses the TLS settings of the virtual host '_default_' with the certificate 'CN=p256' (/etc/tls/tls.crt): error:0A0000B9:SSL routines::no cipher match");
		assertThat(reason(keys, (any) -> null)).contains("'CN=p256' (number 1 of the chain)");
	}

	private static String reason(List<HostKey> keys, CertificateOrigin origin) {
		TlsSettingException refusal = OpenSslRefusal.of("_default_", keys, origin,
				new KeyManagementException("Error initializing SSL context",
						new IllegalStateException("error:0A0000B9:SSL routines::no cipher match")));
		assertThat(refusal.getCertificate()).isEqualTo(keys.isEmpty() ? null : keys.get(0).leaf());
		assertThat(refusal.getAction(String::valueOf)).startsWith("Correct what the reason names");
		return refusal.getReason(String::valueOf);
	}

}
