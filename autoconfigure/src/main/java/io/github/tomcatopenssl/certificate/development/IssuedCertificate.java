// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.certificate.development;

import java.io.ByteArrayInputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;

import javax.security.auth.x500.X500Principal;

import org.jspecify.annotations.Nullable;

/**
 * A certificate of a server, and its private key of the curve P-256. It has no key usage:
 * OpenSSL before 3.0 trusts no self-signed certificate that may not sign others.
 *
 * @param certificate the certificate
 * @param privateKey the private key
 */
record IssuedCertificate(X509Certificate certificate, PrivateKey privateKey) {

	/**
	 * Apple's systems accept 825 days, and 398 where the CA is a public one.
	 */
	static final Duration VALIDITY = Duration.ofDays(365);

	// For clients whose clock is slow
	private static final Duration BACKDATED = Duration.ofHours(1);

	private static final X500Principal SUBJECT = new X500Principal("CN=localhost, O=Development certificate");

	private static final String SUBJECT_KEY_IDENTIFIER = "2.5.29.14";

	/**
	 * Issue a certificate.
	 * @param names the host names and addresses that it is for
	 * @param ca the CA that issues it, or {@code null} for a self-signed one
	 * @param now the time
	 * @return the certificate and its key
	 * @throws GeneralSecurityException if Java cannot do it
	 */
	static IssuedCertificate issue(List<String> names, @Nullable CertificateAuthority ca, Instant now)
			throws GeneralSecurityException {
		KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
		generator.initialize(new ECGenParameterSpec("secp256r1"));
		KeyPair keys = generator.generateKeyPair();
		PrivateKey signer = (ca != null) ? ca.privateKey() : keys.getPrivate();
		boolean rsa = signer.getAlgorithm().equals("RSA");
		// sha256WithRSAEncryption (RFC 4055), ecdsa-with-SHA256 (RFC 5758)
		byte[] algorithm = rsa ? Der.sequence(Der.objectIdentifier("2a864886f70d01010b"), Der.NULL)
				: Der.sequence(Der.objectIdentifier("2a8648ce3d040302"));
		byte[] issuer = ((ca != null) ? ca.certificate().getSubjectX500Principal() : SUBJECT).getEncoded();
		Instant notBefore = now.minus(BACKDATED);
		byte[] content = Der.sequence(Der.value(0xa0, Der.integer(BigInteger.TWO)),
				Der.integer(new BigInteger(127, new SecureRandom()).add(BigInteger.ONE)), algorithm, issuer,
				Der.sequence(Der.time(notBefore), Der.time(notBefore.plus(VALIDITY))), SUBJECT.getEncoded(),
				keys.getPublic().getEncoded(), Der.value(0xa3, extensions(keys.getPublic(), names, ca)));
		Signature signature = Signature.getInstance(rsa ? "SHA256withRSA" : "SHA256withECDSA");
		signature.initSign(signer);
		signature.update(content);
		byte[] certificate = Der.sequence(content, algorithm, Der.bitString(signature.sign()));
		return new IssuedCertificate((X509Certificate) CertificateFactory.getInstance("X.509")
			.generateCertificate(new ByteArrayInputStream(certificate)), keys.getPrivate());
	}

	// RFC 5280, 4.2
	private static byte[] extensions(PublicKey key, List<String> names, @Nullable CertificateAuthority ca)
			throws GeneralSecurityException {
		byte[] keyIdentifier = MessageDigest.getInstance("SHA-256").digest(key.getEncoded());
		byte[] issuer = (ca != null) ? ca.certificate().getExtensionValue(SUBJECT_KEY_IDENTIFIER) : null;
		byte[] serverAuth = Der.objectIdentifier("2b06010505070301");
		return Der.sequence(
				// subjectAltName, basicConstraints (no CA) and extKeyUsage
				extension("551d11", Der.NOTHING,
						Der.sequence(names.stream().map(IssuedCertificate::generalName).toArray(byte[][]::new))),
				extension("551d13", Der.TRUE, Der.sequence()),
				extension("551d25", Der.NOTHING, Der.sequence(serverAuth)),
				// subjectKeyIdentifier, and the same of the CA as authorityKeyIdentifier
				extension("551d0e", Der.NOTHING, Der.octetString(keyIdentifier)),
				// Without the headers of two octet strings, one within the other
				(issuer != null)
						? extension("551d23", Der.NOTHING,
								Der.sequence(Der.value(0x80, Arrays.copyOfRange(issuer, 4, issuer.length))))
						: Der.NOTHING);
	}

	private static byte[] extension(String identifier, byte[] critical, byte[] value) {
		return Der.sequence(Der.objectIdentifier(identifier), critical, Der.octetString(value));
	}

	private static byte[] generalName(String name) {
		byte[] address = SubjectNames.address(name);
		return (address != null) ? Der.value(0x87, address) : Der.value(0x82, name.getBytes(StandardCharsets.US_ASCII));
	}

	/**
	 * Does not show the private key.
	 */
	@Override
	public String toString() {
		return "IssuedCertificate";
	}

}
