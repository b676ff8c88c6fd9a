// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.net.InetAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.MessageDigest;
import java.security.PrivateKey;
import java.security.SecureRandom;
import java.security.Signature;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;

import javax.security.auth.x500.X500Principal;

import io.github.tomcatopenssl.internal.host.HostNames;
import org.jspecify.annotations.Nullable;

/**
 * Issues server certificates (RFC 5280), encoded by the Distinguished Encoding Rules
 * (ITU-T X.690). They have no key usage extension: OpenSSL before 3.0 does not trust a
 * self-signed certificate that must not sign other certificates.
 */
public final class CertificateIssuer {

	// For clients whose clock is slow
	private static final Duration BACKDATED = Duration.ofHours(1);

	private static final String SUBJECT_KEY_IDENTIFIER = "2.5.29.14";

	private static final int INTEGER = 0x02;

	private static final int BIT_STRING = 0x03;

	private static final int OCTET_STRING = 0x04;

	private static final int SEQUENCE = 0x30;

	// From this length on, the number of the length's bytes precedes it
	private static final int LONG_LENGTH = 0x80;

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

	// RFC 5280, 4.1.2.5: before this time, a year has two digits
	private static final Instant UTC_TIME_ENDS = Instant.parse("2050-01-01T00:00:00Z");

	private final X500Principal subject;

	private final Duration validity;

	/**
	 * Create a new issuer.
	 * @param subject the subject of the certificates
	 * @param validity how long the certificates are valid
	 */
	public CertificateIssuer(X500Principal subject, Duration validity) {
		this.subject = subject;
		this.validity = validity;
	}

	/**
	 * Issue a self-signed certificate.
	 * @param keys the keys of the server
	 * @param names the host names and addresses that the certificate is for
	 * @param now the current time
	 * @return the certificate
	 * @throws GeneralSecurityException if Java cannot issue the certificate
	 */
	public X509Certificate selfSign(KeyPair keys, List<String> names, Instant now) throws GeneralSecurityException {
		return issue(keys, names, null, now);
	}

	/**
	 * Issue a certificate.
	 * @param keys the keys of the server
	 * @param names the host names and addresses that the certificate is for
	 * @param ca the CA that issues it, or {@code null} for a self-signed certificate
	 * @param now the current time
	 * @return the certificate
	 * @throws GeneralSecurityException if Java cannot issue the certificate
	 */
	X509Certificate issue(KeyPair keys, List<String> names, @Nullable KeyMaterial ca, Instant now)
			throws GeneralSecurityException {
		PrivateKey signer = (ca != null) ? ca.privateKey() : keys.getPrivate();
		boolean rsa = signer.getAlgorithm().equals("RSA");
		byte[] algorithm = rsa ? SHA256_WITH_RSA : SHA256_WITH_ECDSA;
		X500Principal issuer = (ca != null) ? ca.certificates().get(0).getSubjectX500Principal() : this.subject;
		BigInteger serialNumber = new BigInteger(127, new SecureRandom()).add(BigInteger.ONE);
		Instant notBefore = now.minus(BACKDATED);
		byte[] publicKey = keys.getPublic().getEncoded();
		byte[] content = der(SEQUENCE, VERSION, der(INTEGER, serialNumber.toByteArray()), algorithm,
				issuer.getEncoded(), der(SEQUENCE, time(notBefore), time(notBefore.plus(this.validity))),
				this.subject.getEncoded(), publicKey, der(0xa3, der(SEQUENCE, NO_CA, SERVER_AUTH, subjectAltName(names),
						subjectKeyIdentifier(publicKey), authorityKeyIdentifier(ca))));
		Signature signature = Signature.getInstance(rsa ? "SHA256withRSA" : "SHA256withECDSA");
		signature.initSign(signer);
		signature.update(content);
		byte[] certificate = der(SEQUENCE, content, algorithm, der(BIT_STRING, new byte[1], signature.sign()));
		return (X509Certificate) CertificateFactory.getInstance("X.509")
			.generateCertificate(new ByteArrayInputStream(certificate));
	}

	private static byte[] time(Instant time) {
		boolean utcTime = time.isBefore(UTC_TIME_ENDS);
		String text = DateTimeFormatter.ofPattern(utcTime ? "uuMMddHHmmss'Z'" : "uuuuMMddHHmmss'Z'")
			.format(time.atOffset(ZoneOffset.UTC));
		return der(utcTime ? 0x17 : 0x18, text.getBytes(StandardCharsets.US_ASCII));
	}

	private static byte[] subjectAltName(List<String> names) {
		return extension(SUBJECT_ALT_NAME,
				der(SEQUENCE, names.stream().map(CertificateIssuer::generalName).toArray(byte[][]::new)));
	}

	private static byte[] generalName(String name) {
		InetAddress address = HostNames.address(name);
		return (address != null) ? der(0x87, address.getAddress())
				: der(0x82, name.getBytes(StandardCharsets.US_ASCII));
	}

	private static byte[] subjectKeyIdentifier(byte[] key) throws GeneralSecurityException {
		return extension(SUBJECT_KEY, der(OCTET_STRING, MessageDigest.getInstance("SHA-256").digest(key)));
	}

	// The identifier of the CA's key from the CA's certificate, or nothing
	private static byte[] authorityKeyIdentifier(@Nullable KeyMaterial ca) {
		byte[] extension = (ca != null) ? ca.certificates().get(0).getExtensionValue(SUBJECT_KEY_IDENTIFIER) : null;
		if (extension == null) {
			return new byte[0];
		}
		// Skips the headers of two octet strings, one inside the other
		byte[] identifier = Arrays.copyOfRange(extension, 4, extension.length);
		return extension(AUTHORITY_KEY, der(SEQUENCE, der(0x80, identifier)));
	}

	private static byte[] extension(byte[] identifier, byte[] value) {
		return der(SEQUENCE, identifier, der(OCTET_STRING, value));
	}

	private static byte[] der(int tag, byte[]... parts) {
		int length = Stream.of(parts).mapToInt((part) -> part.length).sum();
		int bytesOfLength = (Integer.SIZE - Integer.numberOfLeadingZeros(length | 1) + 7) / Byte.SIZE;
		ByteArrayOutputStream value = new ByteArrayOutputStream();
		value.write(tag);
		if (length >= LONG_LENGTH) {
			value.write(LONG_LENGTH | bytesOfLength);
		}
		for (int i = bytesOfLength - 1; i >= 0; i--) {
			value.write(length >> i * Byte.SIZE);
		}
		Stream.of(parts).forEach(value::writeBytes);
		return value.toByteArray();
	}

	private static byte[] hex(String bytes) {
		return HexFormat.of().parseHex(bytes);
	}

}
