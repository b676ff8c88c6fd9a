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
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.security.spec.ECGenParameterSpec;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;

import javax.security.auth.x500.X500Principal;

import io.github.tomcatopenssl.certificate.KeyMaterial;
import org.jspecify.annotations.Nullable;

/**
 * Issues server certificates (RFC 5280) with a P-256 key. They have no key usage
 * extension: OpenSSL before 3.0 does not trust a self-signed certificate that must not
 * sign other certificates.
 */
final class CertificateIssuer {

	/**
	 * How long a certificate is valid. Apple's systems accept 825 days, or 398 days if
	 * the CA is a public one.
	 */
	private static final Duration VALIDITY = Duration.ofDays(365);

	// For clients whose clock is slow
	private static final Duration BACKDATED = Duration.ofHours(1);

	private static final X500Principal SUBJECT = new X500Principal("CN=localhost, O=Development certificate");

	private static final String SUBJECT_KEY_IDENTIFIER = "2.5.29.14";

	/**
	 * Version 3 of X.509.
	 */
	private static final byte[] VERSION = hex("a003020102");

	/**
	 * The algorithms sha256WithRSAEncryption (RFC 4055) and ecdsa-with-SHA256 (RFC 5758).
	 */
	private static final byte[] SHA256_WITH_RSA = hex("300d06092a864886f70d01010b0500");

	private static final byte[] SHA256_WITH_ECDSA = hex("300a06082a8648ce3d040302");

	/**
	 * The extension basicConstraints, critical and without the right to be a CA, and the
	 * extension extKeyUsage with serverAuth.
	 */
	private static final byte[] NO_CA = hex("300c0603551d130101ff04023000");

	private static final byte[] SERVER_AUTH = hex("30130603551d25040c300a06082b06010505070301");

	private static final byte[] SUBJECT_ALT_NAME = hex("0603551d11");

	private static final byte[] SUBJECT_KEY = hex("0603551d0e");

	private static final byte[] AUTHORITY_KEY = hex("0603551d23");

	private CertificateIssuer() {
	}

	/**
	 * Issue a certificate.
	 * @param locations the locations of the files that it will be written to
	 * @param names the host names and addresses that it is for
	 * @param ca the CA that issues it, or {@code null} for a self-signed certificate
	 * @param now the current time
	 * @return the certificate and its key
	 * @throws GeneralSecurityException if Java cannot issue the certificate
	 */
	static KeyMaterial issue(KeyMaterial.Locations locations, List<String> names, @Nullable KeyMaterial ca, Instant now)
			throws GeneralSecurityException {
		KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
		generator.initialize(new ECGenParameterSpec("secp256r1"));
		KeyPair keys = generator.generateKeyPair();
		PrivateKey signer = (ca != null) ? ca.privateKey() : keys.getPrivate();
		boolean rsa = signer.getAlgorithm().equals("RSA");
		byte[] algorithm = rsa ? SHA256_WITH_RSA : SHA256_WITH_ECDSA;
		X500Principal issuer = (ca != null) ? ca.certificates().get(0).getSubjectX500Principal() : SUBJECT;
		BigInteger serialNumber = new BigInteger(127, new SecureRandom()).add(BigInteger.ONE);
		Instant notBefore = now.minus(BACKDATED);
		byte[] content = Der.value(Der.SEQUENCE, VERSION, Der.value(Der.INTEGER, serialNumber.toByteArray()), algorithm,
				issuer.getEncoded(), Der.value(Der.SEQUENCE, Der.time(notBefore), Der.time(notBefore.plus(VALIDITY))),
				SUBJECT.getEncoded(), keys.getPublic().getEncoded(), Der.value(0xa3, Der.value(Der.SEQUENCE, NO_CA,
						SERVER_AUTH, subjectAltName(names), keyIdentifiers(keys.getPublic().getEncoded(), ca))));
		Signature signature = Signature.getInstance(rsa ? "SHA256withRSA" : "SHA256withECDSA");
		signature.initSign(signer);
		signature.update(content);
		byte[] certificate = Der.value(Der.SEQUENCE, content, algorithm,
				Der.value(Der.BIT_STRING, new byte[1], signature.sign()));
		return new KeyMaterial(locations, List.of((X509Certificate) CertificateFactory.getInstance("X.509")
			.generateCertificate(new ByteArrayInputStream(certificate))), keys.getPrivate());
	}

	private static byte[] subjectAltName(List<String> names) {
		return extension(SUBJECT_ALT_NAME, Der.SEQUENCE,
				names.stream().map(CertificateIssuer::generalName).toArray(byte[][]::new));
	}

	private static byte[] generalName(String name) {
		byte[] address = SubjectNames.address(name);
		return (address != null) ? Der.value(0x87, address) : Der.value(0x82, name.getBytes(StandardCharsets.US_ASCII));
	}

	// The identifier of the key, and that of the CA's key from the CA's certificate
	private static byte[] keyIdentifiers(byte[] key, @Nullable KeyMaterial ca) throws GeneralSecurityException {
		byte[] subject = extension(SUBJECT_KEY, Der.OCTET_STRING, MessageDigest.getInstance("SHA-256").digest(key));
		byte[] authority = (ca != null) ? ca.certificates().get(0).getExtensionValue(SUBJECT_KEY_IDENTIFIER) : null;
		if (authority == null) {
			return subject;
		}
		// Skips the headers of two octet strings, one inside the other
		byte[] identifier = Arrays.copyOfRange(authority, 4, authority.length);
		return Der.join(subject, extension(AUTHORITY_KEY, Der.SEQUENCE, Der.value(0x80, identifier)));
	}

	private static byte[] extension(byte[] identifier, int tag, byte[]... value) {
		return Der.value(Der.SEQUENCE, identifier, Der.value(Der.OCTET_STRING, Der.value(tag, value)));
	}

	private static byte[] hex(String bytes) {
		return HexFormat.of().parseHex(bytes);
	}

}
