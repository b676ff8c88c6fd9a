// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.security.KeyManagementException;

import io.github.tomcatopenssl.TlsSettingException;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.SSLHostConfigCertificate.Type;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link OpenSslRefusal}, where no certificate is too weak.
 */
class OpenSslRefusalTests {

	private final SSLHostConfigCertificate certificate = new SSLHostConfigCertificate(new SSLHostConfig(),
			Type.UNDEFINED);

	@Test
	void whenThereIsNoKeyStoreThenGivesTheReasonOfOpenSsl() {
		assertThat(reason()).isEqualTo(
				"OpenSSL refuses the TLS settings of the virtual host '_default_': error:0A0000B9:SSL routines::no cipher match");
		this.certificate.setCertificateFile("/etc/tls/tls.crt");
		assertThat(reason()).isEqualTo(
				"OpenSSL refuses the TLS settings of the virtual host '_default_' with the certificate file '/etc/tls/tls.crt': error:0A0000B9:SSL routines::no cipher match");
	}

	private String reason() {
		TlsSettingException refusal = OpenSslRefusal.of(this.certificate, (any) -> null,
				new KeyManagementException("Error initializing SSL context",
						new IllegalStateException("error:0A0000B9:SSL routines::no cipher match")));
		assertThat(refusal.getAction(String::valueOf)).startsWith("Correct what the reason names");
		return refusal.getReason(String::valueOf);
	}

}
