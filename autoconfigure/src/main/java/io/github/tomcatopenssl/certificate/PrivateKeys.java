// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.certificate;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.NoSuchAlgorithmException;
import java.security.PrivateKey;
import java.security.PublicKey;
import java.security.Signature;
import java.security.interfaces.ECKey;
import java.security.interfaces.RSAKey;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.stream.Stream;

import javax.crypto.BadPaddingException;

import io.github.tomcatopenssl.TlsSettingException;
import org.apache.tomcat.util.net.jsse.PEMFile;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.pem.PemContent;
import org.springframework.core.NestedExceptionUtils;
import org.springframework.util.StringUtils;

/**
 * Reads private keys and checks which certificate they belong to.
 */
final class PrivateKeys {

	private static final List<String> SUPPORTED = List.of("PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "RSA PRIVATE KEY",
			"EC PRIVATE KEY");

	static final String ML_DSA = "ML-DSA";

	private static final byte[] DATA = "certificate".getBytes(StandardCharsets.US_ASCII);

	private static final Map<String, String> ML_DSA_TYPES = Map.of("2.16.840.1.101.3.4.3.17", "ML-DSA-44",
			"2.16.840.1.101.3.4.3.18", "ML-DSA-65", "2.16.840.1.101.3.4.3.19", "ML-DSA-87");

	private static final String ELLIPTIC_CURVE = "1.2.840.10045.2.1";

	/**
	 * The object identifiers of the key types that Spring Boot's PEM support can read:
	 * RSA, RSASSA-PSS, EC, DSA, X25519, X448, Ed25519 and Ed448.
	 */
	private static final Set<String> READABLE_TYPES = Set.of("1.2.840.113549.1.1.1", "1.2.840.113549.1.1.10",
			ELLIPTIC_CURVE, "1.2.840.10040.4.1", "1.3.101.110", "1.3.101.111", "1.3.101.112", "1.3.101.113");

	private static final String USABLE_TYPES = "a certificate with an EC, RSA or Ed25519 key";

	private static final int OBJECT_IDENTIFIER = 6;

	private PrivateKeys() {
	}

	static PrivateKey read(PemFile file, PemFile.Block block, @Nullable String password, String passwordProperty) {
		boolean traditional = block.lines()
			.stream()
			.anyMatch((line) -> line.startsWith("Proc-Type:") && line.contains("ENCRYPTED"));
		boolean encrypted = traditional || block.label().equals("ENCRYPTED PRIVATE KEY");
		requireSupportedFormat(file, block);
		if (encrypted && !StringUtils.hasLength(password)) {
			throw file.failure("the private key %s is encrypted, but no password is set".formatted(block),
					"Set '%s' to its password".formatted(passwordProperty));
		}
		if (traditional && !(block.label().equals("RSA PRIVATE KEY") && isKnownCipher(block))) {
			throw traditionalFormat(file, block, passwordProperty);
		}
		String type = algorithm(block);
		try {
			if (ML_DSA_TYPES.containsKey(type)) {
				return readMlDsa(block);
			}
			return Objects.requireNonNull(traditional ? readTraditional(file, block, password, passwordProperty)
					: PemContent.of(block.text()).getPrivateKey(password));
		}
		catch (TlsSettingException ex) {
			throw ex;
		}
		catch (IOException | GeneralSecurityException | RuntimeException ex) {
			throw encrypted ? undecryptable(file, block, passwordProperty, ex) : unreadable(file, block, type, ex);
		}
	}

	private static void requireSupportedFormat(PemFile file, PemFile.Block block) {
		if (SUPPORTED.contains(block.label())) {
			return;
		}
		String action = switch (block.label()) {
			case "OPENSSH PRIVATE KEY" ->
				"Convert a copy of the file with 'ssh-keygen -p -m PKCS8 -f COPY', which asks for a new password, and set '%s' to the copy"
					.formatted(file.property());
			case "DSA PRIVATE KEY" -> "Use " + USABLE_TYPES;
			default -> "Use a key in the format PKCS#8 ('-----BEGIN PRIVATE KEY-----')";
		};
		throw file.failure("the key format of the block " + block + " is not supported", action);
	}

	// With a wrong password, the padding is wrong. Rarely, it looks right by chance
	private static TlsSettingException undecryptable(PemFile file, PemFile.Block block, String passwordProperty,
			Exception ex) {
		Throwable cause = NestedExceptionUtils.getMostSpecificCause(ex);
		if (String.valueOf(cause.getMessage()).contains("named ECParameters")) {
			return curveParameters(file, block, "-aes256 ");
		}
		String reason = "the private key %s cannot be decrypted with the password in '%s'".formatted(block,
				passwordProperty);
		String action = "Correct the password in '%s'".formatted(passwordProperty);
		if (cause instanceof BadPaddingException || !block.label().equals("ENCRYPTED PRIVATE KEY")) {
			return file.failure(reason, action, ex);
		}
		if (!block.isComplete()) {
			return file.failure("the private key %s cannot be read: it is damaged".formatted(block),
					"Write the file again", ex);
		}
		if (cause instanceof NoSuchAlgorithmException || cause instanceof IOException && !isOfContent(ex)) {
			return file.failure("the private key %s is encrypted in a way that Java does not support: %s"
				.formatted(block, cause.getMessage()), convert(file, passwordProperty), ex);
		}
		return file.failure("%s, or its content cannot be read: %s".formatted(reason, cause.getMessage()),
				"%s. If it is right, use %s".formatted(action, USABLE_TYPES), ex);
	}

	private static boolean isOfContent(Throwable ex) {
		return Stream.iterate(ex, Objects::nonNull, Throwable::getCause)
			.anyMatch((cause) -> cause instanceof InvalidKeySpecException);
	}

	private static TlsSettingException curveParameters(PemFile file, PemFile.Block block, String options) {
		return file.failure(
				"the private key %s has the parameters of an elliptic curve instead of its name, which Java does not support"
					.formatted(block),
				"Convert it with '(umask 077 && openssl pkey -in %s -ec_param_enc named_curve %s-out %s)' and set '%s' to that file"
					.formatted(file.location(), options, file.converted(), file.property()));
	}

	private static TlsSettingException unreadable(PemFile file, PemFile.Block block, String type, Exception ex) {
		if (block.hasCurveParameters()) {
			return curveParameters(file, block, "");
		}
		if (!type.isEmpty() && !READABLE_TYPES.contains(type)) {
			return file.failure(
					"the private key %s is of the type '%s', which Java %s cannot read".formatted(block,
							ML_DSA_TYPES.getOrDefault(type, type), Runtime.version().feature()),
					(ML_DSA_TYPES.containsKey(type) ? "Use Java 24 or later, or " : "Use ") + USABLE_TYPES, ex);
		}
		if (type.equals(ELLIPTIC_CURVE)) {
			return file.failure(
					"the private key %s cannot be read: it is damaged, or Java does not support its curve"
						.formatted(block),
					"Write the file again, or use a certificate with a key on the curve P-256, P-384 or P-521", ex);
		}
		return file.failure("the private key %s cannot be read: it is damaged".formatted(block), "Write the file again",
				ex);
	}

	/**
	 * Return the type of a key that is not encrypted.
	 * @param block the block
	 * @return the object identifier of the algorithm in a PKCS#8 key (RFC 5208, 5), or an
	 * empty string if the block is something else
	 */
	private static String algorithm(PemFile.Block block) {
		if (!block.label().equals("PRIVATE KEY") || !block.isComplete()) {
			return "";
		}
		byte[] der = block.der();
		// A sequence with the version and a sequence, which begins with the identifier
		int version = skipHeader(der, 0);
		int identifier = skipHeader(der, version + 3);
		if (der.length < identifier + 2 || der[identifier] != OBJECT_IDENTIFIER
				|| der.length < identifier + 2 + der[identifier + 1]) {
			return "";
		}
		StringBuilder text = new StringBuilder();
		long number = 0;
		for (int i = identifier + 2; i < identifier + 2 + der[identifier + 1]; i++) {
			number = number << 7 | der[i] & 0x7f;
			if (der[i] >= 0) {
				long first = Math.min(number / 40, 2);
				text.append(text.isEmpty() ? first + "." + (number - first * 40) : "." + number);
				number = 0;
			}
		}
		return text.toString();
	}

	private static int skipHeader(byte[] der, int offset) {
		return (offset + 1 < der.length && der[offset + 1] < 0) ? offset + 2 + (der[offset + 1] & 0x7f) : offset + 2;
	}

	private static boolean isKnownCipher(PemFile.Block block) {
		return block.lines()
			.stream()
			.anyMatch((line) -> line.matches("DEK-Info: (AES|DES)-.*-CBC,.*|DEK-Info: DES-CBC,.*"));
	}

	// The format of encrypted keys in OpenSSL before PKCS#8. Tomcat reads the RSA keys
	private static PrivateKey readTraditional(PemFile file, PemFile.Block block, @Nullable String password,
			String passwordProperty) throws IOException, GeneralSecurityException {
		try {
			return new PEMFile(file.location(), block.stream(), password, "RSA").getPrivateKey();
		}
		catch (NoClassDefFoundError ex) {
			throw traditionalFormat(file, block, passwordProperty);
		}
	}

	private static TlsSettingException traditionalFormat(PemFile file, PemFile.Block block, String passwordProperty) {
		return file.failure("the private key " + block + " is encrypted in OpenSSL's traditional format",
				convert(file, passwordProperty));
	}

	// OpenSSL writes the seed and the expanded key (RFC 9881, 6), but Java reads only
	// the latter, which begins at the same offset in all keys. Lengths take two bytes
	private static PrivateKey readMlDsa(PemFile.Block block) throws GeneralSecurityException {
		byte[] key = block.der();
		int choice = 24;
		int expanded = 62;
		if (key.length > expanded && key[choice] == 0x30) {
			int length = key.length - expanded;
			ByteBuffer alone = ByteBuffer.allocate(choice + length).put(key, 0, choice).put(key, expanded, length);
			key = alone.putShort(2, (short) (alone.capacity() - 4)).putShort(choice - 2, (short) length).array();
		}
		return KeyFactory.getInstance(ML_DSA).generatePrivate(new PKCS8EncodedKeySpec(key));
	}

	private static String convert(PemFile file, String passwordProperty) {
		return "Convert it with '(umask 077 && openssl pkcs8 -topk8 -v2 aes256 -in %s -out %s)', which asks for the old and for a new password. Set '%s' to that file and '%s' to the new password"
			.formatted(file.location(), file.converted(), file.property(), passwordProperty);
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
