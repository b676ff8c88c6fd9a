/*
 * Copyright 2026-present the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.github.tomcatopenssl.certificate;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.cert.X509Certificate;
import java.security.interfaces.ECKey;
import java.security.interfaces.RSAKey;
import java.util.List;
import java.util.Map;

import org.apache.tomcat.util.net.jsse.PEMFile;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.pem.PemContent;
import org.springframework.util.ClassUtils;
import org.springframework.util.StringUtils;

/**
 * Reads private keys, and tells which certificate they belong to.
 */
final class PrivateKeys {

	private static final List<String> SUPPORTED = List.of("PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "RSA PRIVATE KEY",
			"EC PRIVATE KEY");

	private static final byte[] DATA = "certificate".getBytes(StandardCharsets.US_ASCII);

	/**
	 * Those that Spring Boot's PEM support can read.
	 */
	private static final List<String> ALGORITHMS = List.of("RSA", "RSASSA-PSS", "EC", "EdDSA", "DSA", "XDH");

	/**
	 * The names (NIST's registry of object identifiers) of the types that Java knows only
	 * from version 24 on.
	 */
	private static final Map<String, String> NAMES = Map.of("2.16.840.1.101.3.4.3.17", "ML-DSA-44",
			"2.16.840.1.101.3.4.3.18", "ML-DSA-65", "2.16.840.1.101.3.4.3.19", "ML-DSA-87");

	private PrivateKeys() {
	}

	static PrivateKey read(PemFile file, PemFile.Block block, X509Certificate certificate, @Nullable String password,
			String passwordProperty) {
		if (!SUPPORTED.contains(block.label())) {
			throw file.failure("keys in the format of the block " + block + " are not supported", convert(file));
		}
		if (isEncrypted(block) && !StringUtils.hasLength(password)) {
			throw file.failure("the private key " + block + " is encrypted and there is no password",
					"Set '%s' to its password".formatted(passwordProperty));
		}
		try {
			PrivateKey key = isTraditionallyEncrypted(block) ? readTraditional(file, block, password)
					: PemContent.of(block.text()).getPrivateKey(password);
			if (key != null) {
				return key;
			}
		}
		catch (IOException | GeneralSecurityException | RuntimeException ex) {
			if (ex instanceof CertificateFileException failure) {
				throw failure;
			}
			String algorithm = certificate.getPublicKey().getAlgorithm();
			if (ex.getCause() == null && !ALGORITHMS.contains(algorithm)) {
				throw file.failure(
						"the private key %s is of the type '%s', which cannot be read with Java %s".formatted(block,
								NAMES.getOrDefault(algorithm, algorithm), Runtime.version().feature()),
						"Use a certificate with an EC, RSA or Ed25519 key", ex);
			}
			if (isEncrypted(block)) {
				throw file.failure(
						"the private key %s cannot be decrypted with the password of '%s'".formatted(block,
								passwordProperty),
						"Correct the password. If it is right, the encryption is one that Java does not know: "
								+ StringUtils.uncapitalize(convert(file)),
						ex);
			}
			throw file.failure("the private key " + block + " cannot be read: it is damaged or of an unknown kind",
					convert(file), ex);
		}
		throw file.failure("the private key " + block + " cannot be read", convert(file));
	}

	private static boolean isEncrypted(PemFile.Block block) {
		return block.label().equals("ENCRYPTED PRIVATE KEY") || isTraditionallyEncrypted(block);
	}

	private static boolean isTraditionallyEncrypted(PemFile.Block block) {
		return block.lines().stream().anyMatch((line) -> line.startsWith("Proc-Type:") && line.contains("ENCRYPTED"));
	}

	// The form in which OpenSSL encrypted keys before PKCS#8; Tomcat reads the RSA ones
	private static @Nullable PrivateKey readTraditional(PemFile file, PemFile.Block block, @Nullable String password)
			throws IOException, GeneralSecurityException {
		if (!block.label().equals("RSA PRIVATE KEY")
				|| !ClassUtils.isPresent("org.apache.tomcat.util.net.jsse.PEMFile", null)) {
			throw file.failure("the private key " + block + " is encrypted in OpenSSL's traditional format",
					convert(file));
		}
		ByteArrayInputStream in = new ByteArrayInputStream(block.text().getBytes(StandardCharsets.US_ASCII));
		return new PEMFile(file.location(), in, password, "RSA").getPrivateKey();
	}

	private static String convert(PemFile file) {
		return "Convert the key to PKCS#8 with 'openssl pkcs8 -topk8 -v2 aes256 -in %s -out FILE.pem'"
			.formatted(file.location());
	}

	/**
	 * Require that Java can sign with a key, which it needs for TLS and to tell which
	 * certificate the key belongs to.
	 * @param key the key
	 * @param file the file it is in
	 * @throws CertificateFileException if it cannot
	 */
	static void requireSupported(PrivateKey key, PemFile file) {
		try {
			if (!(key instanceof RSAKey)) {
				sign(key);
			}
		}
		catch (GeneralSecurityException ex) {
			String kind = (key instanceof ECKey ec) ? "curve '" + ec.getParams() : "type '" + key.getAlgorithm();
			throw file.failure("the private key is of the " + kind + "', which Java does not support for signatures",
					"Use a certificate with an EC key of the curve P-256, P-384 or P-521, or with an RSA or Ed25519 key",
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
