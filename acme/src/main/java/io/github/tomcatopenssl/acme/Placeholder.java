// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.IOException;
import java.math.BigInteger;
import java.security.KeyPair;
import java.security.SecureRandom;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.Date;
import java.util.List;

import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.GeneralName;
import org.bouncycastle.asn1.x509.GeneralNames;
import org.bouncycastle.cert.jcajce.JcaX509CertificateConverter;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.operator.OperatorCreationException;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;

/**
 * The self-signed certificate that the server has until the CA has issued one.
 */
final class Placeholder {

	private static final X500Name NAME = new X500Name("CN=Waiting for the CA");

	private static final Duration VALIDITY = Duration.ofDays(90);

	private Placeholder() {
	}

	static boolean is(X509Certificate certificate) {
		return certificate.getIssuerX500Principal().getName().equals(NAME.toString());
	}

	static String create(AcmeKeyType keyType, List<String> domains) throws IOException {
		KeyPair key = keyType.createKey();
		Instant now = Instant.now();
		JcaX509v3CertificateBuilder certificate = new JcaX509v3CertificateBuilder(NAME,
				new BigInteger(127, new SecureRandom()), Date.from(now.minus(Duration.ofDays(1))),
				Date.from(now.plus(VALIDITY)), NAME, key.getPublic());
		certificate.addExtension(Extension.subjectAlternativeName, false,
				new GeneralNames(domains.stream().map(AcmeNames::subjectAlternativeName).toArray(GeneralName[]::new)));
		String algorithm = (keyType == AcmeKeyType.EC) ? "SHA256withECDSA" : "SHA256withRSA";
		try {
			return AcmeStore.pem(key.getPrivate(), List.of(new JcaX509CertificateConverter()
				.getCertificate(certificate.build(new JcaContentSignerBuilder(algorithm).build(key.getPrivate())))));
		}
		catch (CertificateException | OperatorCreationException ex) {
			throw new IllegalStateException("Unable to create a certificate", ex);
		}
	}

}
