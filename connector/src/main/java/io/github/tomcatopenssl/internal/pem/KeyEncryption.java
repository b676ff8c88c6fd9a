// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.pem;

import java.io.IOException;
import java.nio.CharBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.spec.InvalidKeySpecException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.crypto.Cipher;
import javax.crypto.EncryptedPrivateKeyInfo;
import javax.crypto.SecretKeyFactory;
import javax.crypto.spec.IvParameterSpec;
import javax.crypto.spec.PBEKeySpec;
import javax.crypto.spec.SecretKeySpec;

import org.jspecify.annotations.Nullable;

/**
 * Decrypts private keys that OpenSSL has encrypted. Of PBES2, the JDK knows only some
 * combinations, and takes only passwords in ASCII.
 */
final class KeyEncryption {

	private static final String PBES2 = "1.2.840.113549.1.5.13";

	private static final String PBKDF2 = "1.2.840.113549.1.5.12";

	private static final String SCRYPT = "1.3.6.1.4.1.11591.4.11";

	/**
	 * The pseudorandom functions of PBKDF2 (RFC 8018, B.1), of which the first is the
	 * default.
	 */
	private static final Map<String, String> PRFS = Map.of("1.2.840.113549.2.7", "SHA1", "1.2.840.113549.2.8", "SHA224",
			"1.2.840.113549.2.9", "SHA256", "1.2.840.113549.2.10", "SHA384", "1.2.840.113549.2.11", "SHA512");

	private static final String DEFAULT_PRF = "1.2.840.113549.2.7";

	private static final Map<String, BlockCipher> CIPHERS = Map.of("2.16.840.1.101.3.4.1.2", BlockCipher.AES_128,
			"2.16.840.1.101.3.4.1.22", BlockCipher.AES_192, "2.16.840.1.101.3.4.1.42", BlockCipher.AES_256,
			"1.2.840.113549.3.7", BlockCipher.DES_EDE3);

	private static final Pattern DEK_INFO = Pattern.compile("DEK-Info:\\s*([^,]+),\\s*([0-9A-Fa-f]+)\\s*");

	/**
	 * The bytes of the initialization vector that are the salt as well.
	 */
	private static final int SALT = 8;

	private KeyEncryption() {
	}

	/**
	 * Decrypt a key in the format PKCS#8 (RFC 5958, 3).
	 * @param der the {@code EncryptedPrivateKeyInfo}
	 * @param password the password
	 * @return what was encrypted, or something else if the password is wrong and the
	 * padding happens to be right
	 * @throws IOException if the encoding is damaged
	 * @throws javax.crypto.BadPaddingException if the password is wrong
	 * @throws NoSuchAlgorithmException if Java does not have what the key is encrypted
	 * with
	 * @throws GeneralSecurityException if the key cannot be decrypted for another reason
	 */
	static byte[] decrypt(byte[] der, String password) throws IOException, GeneralSecurityException {
		Der info = Der.ofSequence(der);
		Der algorithm = info.sequence();
		String identifier = algorithm.objectIdentifier();
		byte[] encrypted = info.bytes(Der.OCTET_STRING);
		return identifier.equals(PBES2) ? decryptPbes2(algorithm.sequence(), encrypted, password.toCharArray())
				: decryptPbes1(der, password.toCharArray());
	}

	private static byte[] decryptPbes2(Der parameters, byte[] encrypted, char[] password)
			throws IOException, GeneralSecurityException {
		Der derivation = parameters.sequence();
		Der encryption = parameters.sequence();
		String cipherIdentifier = encryption.objectIdentifier();
		BlockCipher cipher = CIPHERS.get(cipherIdentifier);
		if (cipher == null) {
			throw new NoSuchAlgorithmException("cipher " + cipherIdentifier);
		}
		byte[] vector = encryption.bytes(Der.OCTET_STRING);
		return cipher.decrypt(derive(derivation, password, cipher.keyLength()), vector, encrypted);
	}

	private static byte[] derive(Der derivation, char[] password, int length)
			throws IOException, GeneralSecurityException {
		String identifier = derivation.objectIdentifier();
		if (!identifier.equals(PBKDF2) && !identifier.equals(SCRYPT)) {
			throw new NoSuchAlgorithmException("key derivation function " + identifier);
		}
		Der parameters = derivation.sequence();
		byte[] salt = parameters.bytes(Der.OCTET_STRING);
		int cost = parameters.number();
		if (identifier.equals(SCRYPT)) {
			return new Scrypt(cost, parameters.number(), parameters.number()).derive(password, salt, length);
		}
		if (parameters.isNext(Der.INTEGER)) {
			parameters.number();
		}
		String function = parameters.isNext(Der.SEQUENCE) ? parameters.sequence().objectIdentifier() : DEFAULT_PRF;
		String digest = PRFS.get(function);
		if (digest == null || cost < 1) {
			throw new NoSuchAlgorithmException("PBKDF2 with %s and %d iterations".formatted(function, cost));
		}
		return pbkdf2("PBKDF2WithHmac" + digest, password, salt, cost, length);
	}

	/**
	 * Derive a key with PBKDF2 (RFC 8018, 5.2).
	 * @param algorithm the algorithm
	 * @param password the password, which is encoded in UTF-8
	 * @param salt the salt
	 * @param iterations how often the function is applied
	 * @param length the length of the key in bytes
	 * @return the key
	 * @throws GeneralSecurityException if Java does not have the algorithm
	 */
	static byte[] pbkdf2(String algorithm, char[] password, byte[] salt, int iterations, int length)
			throws GeneralSecurityException {
		PBEKeySpec key = new PBEKeySpec(password, salt, iterations, length * Byte.SIZE);
		try {
			return SecretKeyFactory.getInstance(algorithm).generateSecret(key).getEncoded();
		}
		finally {
			key.clearPassword();
		}
	}

	// Of PBES1 and PKCS #12, the JDK has what OpenSSL writes without its legacy provider.
	// Before 25, it refuses other passwords, and since then it encodes them differently
	private static byte[] decryptPbes1(byte[] der, char[] password) throws IOException, GeneralSecurityException {
		if (!StandardCharsets.US_ASCII.newEncoder().canEncode(CharBuffer.wrap(password))) {
			throw new InvalidKeySpecException("The password is not ASCII");
		}
		EncryptedPrivateKeyInfo info = new EncryptedPrivateKeyInfo(der);
		Cipher cipher = Cipher.getInstance(info.getAlgName());
		cipher.init(Cipher.DECRYPT_MODE,
				SecretKeyFactory.getInstance(info.getAlgName()).generateSecret(new PBEKeySpec(password)),
				info.getAlgParameters());
		return cipher.doFinal(info.getEncryptedData());
	}

	/**
	 * Decrypt a key in OpenSSL's traditional format (RFC 1421, 4.6.1.3).
	 * @param dekInfo the header that names the cipher
	 * @param encrypted the encrypted key
	 * @param password the password
	 * @return what was encrypted, or something else if the password is wrong and the
	 * padding happens to be right
	 * @throws javax.crypto.BadPaddingException if the password is wrong
	 * @throws NoSuchAlgorithmException if Java does not have the cipher
	 * @throws GeneralSecurityException if the key cannot be decrypted for another reason
	 */
	static byte[] decryptTraditional(String dekInfo, byte[] encrypted, String password)
			throws GeneralSecurityException {
		Matcher info = DEK_INFO.matcher(dekInfo);
		BlockCipher cipher = info.matches() ? BlockCipher.ofTraditional(info.group(1)) : null;
		if (cipher == null || info.group(2).length() != 2 * cipher.blockLength()) {
			throw new NoSuchAlgorithmException(info.matches() ? "cipher " + info.group(1) : "no cipher is named");
		}
		byte[] vector = HexFormat.of().parseHex(info.group(2));
		return cipher.decrypt(deriveTraditionally(password, vector, cipher.keyLength()), vector, encrypted);
	}

	// EVP_BytesToKey(3) with MD5 and one iteration
	private static byte[] deriveTraditionally(String password, byte[] vector, int length)
			throws NoSuchAlgorithmException {
		MessageDigest digest = MessageDigest.getInstance("MD5");
		byte[] key = new byte[0];
		byte[] part = new byte[0];
		while (key.length < length) {
			digest.update(part);
			digest.update(StandardCharsets.UTF_8.encode(CharBuffer.wrap(password)));
			digest.update(vector, 0, SALT);
			part = digest.digest();
			key = Arrays.copyOf(key, key.length + part.length);
			System.arraycopy(part, 0, key, key.length - part.length, part.length);
		}
		return Arrays.copyOf(key, length);
	}

	/**
	 * A cipher with cipher block chaining.
	 *
	 * @param algorithm the JDK's name of the algorithm
	 * @param keyLength the length of its keys in bytes
	 * @param blockLength the length of its blocks in bytes
	 */
	private record BlockCipher(String algorithm, int keyLength, int blockLength) {

		private static final BlockCipher AES_128 = new BlockCipher("AES", 16, 16);

		private static final BlockCipher AES_192 = new BlockCipher("AES", 24, 16);

		private static final BlockCipher AES_256 = new BlockCipher("AES", 32, 16);

		private static final BlockCipher DES_EDE3 = new BlockCipher("DESede", 24, 8);

		private static final BlockCipher DES = new BlockCipher("DES", 8, 8);

		static @Nullable BlockCipher ofTraditional(String name) {
			return switch (name) {
				case "AES-128-CBC" -> AES_128;
				case "AES-192-CBC" -> AES_192;
				case "AES-256-CBC" -> AES_256;
				case "DES-EDE3-CBC" -> DES_EDE3;
				case "DES-CBC" -> DES;
				default -> null;
			};
		}

		byte[] decrypt(byte[] key, byte[] vector, byte[] encrypted) throws GeneralSecurityException {
			Cipher cipher = Cipher.getInstance(this.algorithm + "/CBC/PKCS5Padding");
			cipher.init(Cipher.DECRYPT_MODE, new SecretKeySpec(key, this.algorithm), new IvParameterSpec(vector));
			return cipher.doFinal(encrypted);
		}

	}

}
