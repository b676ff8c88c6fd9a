// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.List;

import javax.security.auth.x500.X500Principal;

import io.github.tomcatopenssl.internal.certificate.CertificateIssuer;

/**
 * The self-signed certificate that the server has until the CA has issued one.
 */
final class Placeholder {

	private static final X500Principal NAME = new X500Principal("CN=Waiting for the CA");

	private static final CertificateIssuer ISSUER = new CertificateIssuer(NAME, Duration.ofDays(90));

	private Placeholder() {
	}

	static boolean is(X509Certificate certificate) {
		return certificate.getIssuerX500Principal().equals(NAME);
	}

	static String create(AcmeKeyType keyType, List<String> domains) {
		KeyPair key = keyType.createKey();
		try {
			return AcmeStore.pem(key.getPrivate(), List.of(ISSUER.selfSign(key, domains, Instant.now())));
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException("Unable to create a certificate", ex);
		}
	}

}
