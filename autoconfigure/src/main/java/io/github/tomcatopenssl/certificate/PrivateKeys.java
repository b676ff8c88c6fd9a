// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.certificate;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECKey;
import java.security.interfaces.RSAKey;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import org.apache.tomcat.util.net.jsse.PEMFile;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.pem.PemContent;
import org.springframework.util.StringUtils;

/**
 * Reads private keys and checks which certificate they belong to.
 */
final class PrivateKeys {

	private static final List<String> SUPPORTED = List.of("PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "RSA PRIVATE KEY",
			"EC PRIVATE KEY");

	static final String ML_DSA = "ML-DSA";

	private static final byte[] DATA = "certificate".getBytes(StandardCharsets.US_ASCII);

	/**
	 * The algorithms of keys that Spring Boot's PEM support can read.
	 */
	private static final List<String> ALGORITHMS = List.of("RSA", "RSASSA-PSS", "EC", "EdDSA", "DSA", "XDH", ML_DSA);

	/**
	 * The names of the key types that Java knows only since version 24, by object
	 * identifier (from NIST's registry).
	 */
	private static final Map<String, String> NAMES = Map.of("2.16.840.1.101.3.4.3.17", "ML-DSA-44",
			"2.16.840.1.101.3.4.3.18", "ML-DSA-65", "2.16.840.1.101.3.4.3.19", "ML-DSA-87");

	private PrivateKeys() {
	}

	static PrivateKey read(PemFile file, PemFile.Block block, X509Certificate certificate, @Nullable String password,
			String passwordProperty) {
		boolean traditional = block.lines()
			.stream()
			.anyMatch((line) -> line.startsWith("Proc-Type:") && line.contains("ENCRYPTED"));
		boolean encrypted = traditional || block.label().equals("ENCRYPTED PRIVATE KEY");
		if (!SUPPORTED.contains(block.label())) {
			throw file.failure("the key format of the block " + block + " is not supported", convert(file));
		}
		if (encrypted && !StringUtils.hasLength(password)) {
			throw file.failure("the private key " + block + " is encrypted, but no password is set",
					"Set '%s' to its password".formatted(passwordProperty));
		}
		if (traditional && !block.label().equals("RSA PRIVATE KEY")) {
			throw traditionalFormat(file, block);
		}
		try {
			if (certificate.getPublicKey().getAlgorithm().equals(ML_DSA) && !encrypted) {
				return readMlDsa(block);
			}
			return Objects.requireNonNull(traditional ? readTraditional(file, block, password)
					: PemContent.of(block.text()).getPrivateKey(password));
		}
		catch (CertificateFileException ex) {
			throw ex;
		}
		catch (IOException | GeneralSecurityException | RuntimeException ex) {
			String algorithm = certificate.getPublicKey().getAlgorithm();
			if (ex.getCause() == null && !ALGORITHMS.contains(algorithm)) {
				throw file.failure(
						"the private key %s is of the type '%s', which Java %s cannot read".formatted(block,
								NAMES.getOrDefault(algorithm, algorithm), Runtime.version().feature()),
						(NAMES.containsKey(algorithm) ? "Use Java 24 or later, or" : "Use")
								+ " a certificate with an EC, RSA or Ed25519 key",
						ex);
			}
			if (encrypted) {
				throw file.failure(
						"the private key %s cannot be decrypted with the password in '%s'".formatted(block,
								passwordProperty),
						"Correct the password. If it is right, Java does not support the encryption: "
								+ StringUtils.uncapitalize(convert(file)),
						ex);
			}
			throw file.failure("the private key " + block + " cannot be read: it is damaged or its format is unknown",
					convert(file), ex);
		}
	}

	// The format of encrypted keys in OpenSSL before PKCS#8. Tomcat reads the RSA keys
	private static PrivateKey readTraditional(PemFile file, PemFile.Block block, @Nullable String password)
			throws IOException, GeneralSecurityException {
		try {
			return new PEMFile(file.location(), block.stream(), password, "RSA").getPrivateKey();
		}
		catch (NoClassDefFoundError ex) {
			throw traditionalFormat(file, block);
		}
	}

	private static CertificateFileException traditionalFormat(PemFile file, PemFile.Block block) {
		return file.failure("the private key " + block + " is encrypted in OpenSSL's traditional format",
				convert(file));
	}

	// OpenSSL writes the seed and the expanded key (RFC 9881, 6), but Java reads only
	// the latter, which begins at the same offset in all keys. Lengths take two bytes
	private static PrivateKey readMlDsa(PemFile.Block block) throws GeneralSecurityException {
		byte[] key = Base64.getMimeDecoder().decode(String.join("", block.lines()));
		int choice = 24;
		int expanded = 62;
		if (key.length > expanded && key[choice] == 0x30) {
			int length = key.length - expanded;
			ByteBuffer alone = ByteBuffer.allocate(choice + length).put(key, 0, choice).put(key, expanded, length);
			key = alone.putShort(2, (short) (alone.capacity() - 4)).putShort(choice - 2, (short) length).array();
		}
		return KeyFactory.getInstance(ML_DSA).generatePrivate(new PKCS8EncodedKeySpec(key));
	}

	private static String convert(PemFile file) {
		return "Convert the key to PKCS#8 with 'openssl pkcs8 -topk8 -v2 aes256 -in %s -out FILE.pem', which asks for a new password, and set 'certificate-key-password' to that password"
			.formatted(file.location());
	}

	// Java needs signatures for TLS, and to check which certificate the key belongs to
	static void requireSupported(PrivateKey key, PemFile file) {
		try {
			if (!(key instanceof RSAKey)) {
				sign(key);
			}
		}
		catch (GeneralSecurityException ex) {
			String kind = (key instanceof ECKey ec) ? "curve '" + ec.getParams() : "type '" + key.getAlgorithm();
			throw file.failure("the private key has the " + kind + "', which Java does not support for signatures",
					"Use a certificate with an EC key on the curve P-256, P-384 or P-521, or with an RSA or Ed25519 key",
					ex);
		}
	}

	static boolean matches(PrivateKey privateKey, PublicKey publicKey) {
		try {
			if (privateKey instanceof RSAKey rsaPrivate && publicKey instanceof RSAKey rsaPublic) {
				return rsaPrivate.getModulus().equals(rsaPublic.getModulus());
			}
			Signature verifier = signature(privateKey.getAlgorithm());
			verifier.initVerify(publicKey);
			verifier.update(DATA);
			return verifier.verify(sign(privateKey));
		}
		catch (GeneralSecurityException ex) {
			return false;
		}
	}

	private static byte[] sign(PrivateKey key) throws GeneralSecurityException {
		Signature signer = signature(key.getAlgorithm());
		signer.initSign(key);
		signer.update(DATA);
		return signer.sign();
	}

	private static Signature signature(String keyAlgorithm) throws GeneralSecurityException {
		return Signature.getInstance(keyAlgorithm.equals("EC") ? "SHA256withECDSA" : keyAlgorithm);
	}

}
