// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.pem;

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
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

import javax.crypto.BadPaddingException;
import javax.crypto.NoSuchPaddingException;

import io.github.tomcatopenssl.TlsSettingException;
import org.jspecify.annotations.Nullable;

/**
 * Reads private keys and checks which certificate they belong to.
 */
public final class PrivateKeys {

	/**
	 * The algorithm of ML-DSA keys.
	 */
	public static final String ML_DSA = "ML-DSA";

	private static final List<String> SUPPORTED = List.of("PRIVATE KEY", "ENCRYPTED PRIVATE KEY", "RSA PRIVATE KEY",
			"EC PRIVATE KEY");

	private static final byte[] DATA = "certificate".getBytes(StandardCharsets.US_ASCII);

	private static final Map<String, String> ML_DSA_TYPES = Map.of("2.16.840.1.101.3.4.3.17", "ML-DSA-44",
			"2.16.840.1.101.3.4.3.18", "ML-DSA-65", "2.16.840.1.101.3.4.3.19", "ML-DSA-87");

	private static final String ELLIPTIC_CURVE = "1.2.840.10045.2.1";

	/**
	 * The types of keys that Java can read, by their object identifiers (RFC 3279, 4055,
	 * 5480 and 8410).
	 */
	private static final Map<String, String> READABLE_TYPES = Map.of("1.2.840.113549.1.1.1", "RSA",
			"1.2.840.113549.1.1.10", "RSASSA-PSS", ELLIPTIC_CURVE, "EC", "1.2.840.10040.4.1", "DSA", "1.3.101.110",
			"X25519", "1.3.101.111", "X448", "1.3.101.112", "Ed25519", "1.3.101.113", "Ed448", "1.2.840.113549.1.3.1",
			"DiffieHellman");

	/**
	 * The curves that Java can sign with: P-256, P-384 and P-521 (RFC 5480, 2.1.1.1).
	 */
	private static final Set<String> CURVES = Set.of("1.2.840.10045.3.1.7", "1.3.132.0.34", "1.3.132.0.35");

	private static final String USABLE_TYPES = "a certificate with an EC, RSA or Ed25519 key";

	/**
	 * The version of a PKCS#8 key, and the encoded algorithms of keys in the formats
	 * PKCS#1 and SEC 1.
	 */
	private static final byte[] VERSION = { 2, 1, 0 };

	private static final byte[] RSA_ENCRYPTION = HexFormat.of().parseHex("300d06092a864886f70d0101010500");

	private static final byte[] EC_PUBLIC_KEY = HexFormat.of().parseHex("06072a8648ce3d0201");

	private PrivateKeys() {
	}

	/**
	 * Read a private key.
	 * @param file the file
	 * @param block the block of the key
	 * @param password its password, or {@code null}
	 * @param passwordProperty the name of the setting of the password
	 * @return the key
	 * @throws TlsSettingException if it cannot be read
	 */
	public static PrivateKey read(PemFile file, PemFile.Block block, @Nullable String password,
			String passwordProperty) {
		requireSupportedFormat(file, block);
		byte[] der = block.der();
		if (block.dekInfo() != null || block.label().equals("ENCRYPTED PRIVATE KEY")) {
			if (password == null || password.isEmpty()) {
				throw file.failure("the private key %s is encrypted, but no password is set".formatted(block),
						"Set '%s' to its password".formatted(passwordProperty));
			}
			der = decrypt(file, block, password, passwordProperty);
		}
		String type = "";
		try {
			byte[] key = toPkcs8(block.label(), der);
			type = algorithm(key);
			if (ML_DSA_TYPES.containsKey(type)) {
				return readMlDsa(key);
			}
			return KeyFactory.getInstance(READABLE_TYPES.getOrDefault(type, type))
				.generatePrivate(new PKCS8EncodedKeySpec(key));
		}
		catch (IOException | GeneralSecurityException | RuntimeException ex) {
			throw unreadable(file, block, der, type, ex);
		}
		finally {
			Arrays.fill(der, (byte) 0);
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
	private static byte[] decrypt(PemFile file, PemFile.Block block, String password, String passwordProperty) {
		try {
			String dekInfo = block.dekInfo();
			byte[] key = (dekInfo != null) ? KeyEncryption.decryptTraditional(dekInfo, block.der(), password)
					: KeyEncryption.decrypt(block.der(), password);
			Der.ofSequence(key);
			return key;
		}
		catch (NoSuchAlgorithmException | NoSuchPaddingException ex) {
			throw file.failure("the private key %s is encrypted in a way that Java does not support: %s"
				.formatted(block, ex.getMessage()), convert(file, passwordProperty), ex);
		}
		catch (InvalidKeySpecException ex) {
			throw file
				.failure("the private key %s is encrypted in a way for which Java supports only passwords in ASCII"
					.formatted(block), convert(file, passwordProperty), ex);
		}
		catch (IOException | GeneralSecurityException | RuntimeException ex) {
			if (!(ex instanceof BadPaddingException) && !isIntact(block)) {
				throw file.failure("the private key %s cannot be read: it is damaged".formatted(block),
						"Write the file again", ex);
			}
			throw file.failure("the private key %s cannot be decrypted with the password in '%s'".formatted(block,
					passwordProperty), "Correct the password in '%s'".formatted(passwordProperty), ex);
		}
	}

	private static boolean isIntact(PemFile.Block block) {
		return (block.dekInfo() != null) ? block.der().length % 8 == 0 && block.der().length > 0 : block.isComplete();
	}

	private static TlsSettingException curveParameters(PemFile file, PemFile.Block block, String options) {
		return file.failure(
				"the private key %s has the parameters of an elliptic curve instead of its name, which Java does not support"
					.formatted(block),
				"Convert it with '(umask 077 && openssl pkey -in %s -ec_param_enc named_curve %s-out %s)' and set '%s' to that file"
					.formatted(file.source(), options, file.converted(), file.property()));
	}

	private static TlsSettingException unreadable(PemFile file, PemFile.Block block, byte[] der, String type,
			Exception ex) {
		if (PemFile.hasCurveParameters(der)) {
			boolean encrypted = block.dekInfo() != null || block.label().equals("ENCRYPTED PRIVATE KEY");
			return curveParameters(file, block, encrypted ? "-aes256 " : "");
		}
		if (!type.isEmpty() && !READABLE_TYPES.containsKey(type)) {
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

	// RFC 5958, RFC 8017 (A.1.2) and RFC 5915
	private static byte[] toPkcs8(String label, byte[] der) throws IOException {
		byte[] algorithm = switch (label) {
			case "RSA PRIVATE KEY" -> RSA_ENCRYPTION;
			case "EC PRIVATE KEY" -> Der.encode(Der.SEQUENCE, EC_PUBLIC_KEY, curve(der));
			default -> new byte[0];
		};
		return (algorithm.length == 0) ? der
				: Der.encode(Der.SEQUENCE, VERSION, algorithm, Der.encode(Der.OCTET_STRING, der));
	}

	private static byte[] curve(byte[] der) throws IOException {
		Der key = Der.ofSequence(der);
		key.number();
		key.bytes(Der.OCTET_STRING);
		return key.bytes(Der.CONTEXT_0);
	}

	private static String algorithm(byte[] key) throws IOException {
		Der info = Der.ofSequence(key);
		info.number();
		return info.sequence().objectIdentifier();
	}

	// OpenSSL writes the seed and the expanded key (RFC 9881, 6), but Java reads only
	// the latter, which begins at the same offset in all keys. Lengths take two bytes
	private static PrivateKey readMlDsa(byte[] der) throws GeneralSecurityException {
		byte[] key = der;
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
			.formatted(file.source(), file.converted(), file.property(), passwordProperty);
	}

	/**
	 * Require that Java can sign with a key, which it needs for TLS, and to check which
	 * certificate the key belongs to.
	 * @param key the key
	 * @param file its file
	 * @throws TlsSettingException if it cannot
	 */
	public static void requireSupported(PrivateKey key, PemFile file) {
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

	/**
	 * Return whether a key belongs to a certificate.
	 * @param privateKey the key
	 * @param publicKey the public key of the certificate
	 * @return whether it does
	 */
	public static boolean matches(PrivateKey privateKey, PublicKey publicKey) {
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

	/**
	 * Return whether a key says that it belongs to a certificate: the encoding of an EC
	 * key usually contains its public key (RFC 5915, 3). To compare them costs next to
	 * nothing, but proves nothing. A signature of Java takes 70 ms when a JVM starts, and
	 * a trial handshake makes another one.
	 * @param privateKey the key
	 * @param publicKey the public key of the certificate
	 * @return whether it does; {@code false} also if it does not say so, or is on a curve
	 * that Java cannot sign with
	 */
	public static boolean claimsToMatch(PrivateKey privateKey, PublicKey publicKey) {
		byte[] encoded = publicKey.getEncoded();
		if (!(publicKey instanceof ECKey ec) || !CURVES.contains(curveOf(encoded))) {
			return false;
		}
		byte[] key = privateKey.getEncoded();
		if (key == null) {
			return false;
		}
		// The point is the end of the encoded public key
		int length = 1 + 2 * ((ec.getParams().getCurve().getField().getFieldSize() + 7) / 8);
		try {
			return IntStream.rangeClosed(0, key.length - length)
				.anyMatch((start) -> Arrays.equals(key, start, start + length, encoded, encoded.length - length,
						encoded.length));
		}
		finally {
			Arrays.fill(key, (byte) 0);
		}
	}

	private static String curveOf(byte[] publicKey) {
		try {
			Der algorithm = Der.ofSequence(publicKey).sequence();
			algorithm.objectIdentifier();
			return algorithm.objectIdentifier();
		}
		catch (IOException ex) {
			return "";
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
