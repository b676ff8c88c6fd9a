// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.store;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

import org.jspecify.annotations.Nullable;

/**
 * Encrypts entries with AES-256-GCM, and authenticates their names and versions, so that
 * nobody can exchange them. Each write has a random nonce of 96 bits (NIST SP 800-38D,
 * 8.2.2, which allows 2^32 writes with one key).
 */
public final class EntryCipher {

	/**
	 * The length of a key in bytes.
	 */
	public static final int KEY_LENGTH = 32;

	private static final int NONCE_LENGTH = 12;

	private static final int TAG_BITS = 128;

	private static final int ID_BYTES = 4;

	private static final String TRANSFORMATION = "AES/GCM/NoPadding";

	private final SecureRandom random = new SecureRandom();

	private final Map<String, SecretKeySpec> keys = new LinkedHashMap<>();

	/**
	 * Create a new instance.
	 * @param keys the keys, of which the first one encrypts
	 */
	public EntryCipher(List<byte[]> keys) {
		keys.forEach((key) -> this.keys.put(id(key), new SecretKeySpec(key, "AES")));
	}

	private static String id(byte[] key) {
		try {
			return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(key), 0, ID_BYTES);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Return what names the key that encrypts.
	 * @return the first bytes of its digest
	 */
	String keyId() {
		return this.keys.keySet().iterator().next();
	}

	boolean hasKey(@Nullable String keyId) {
		return this.keys.containsKey(keyId);
	}

	byte[] encrypt(String name, long version, String content) {
		byte[] nonce = new byte[NONCE_LENGTH];
		this.random.nextBytes(nonce);
		try {
			Cipher cipher = cipher(Cipher.ENCRYPT_MODE, keyId(), name, version, nonce);
			byte[] encrypted = cipher.doFinal(content.getBytes(StandardCharsets.UTF_8));
			return ByteBuffer.allocate(nonce.length + encrypted.length).put(nonce).put(encrypted).array();
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	/**
	 * Decrypt an entry.
	 * @param keyId what names its key
	 * @param name its name
	 * @param version its version
	 * @param content what {@link #encrypt} has returned
	 * @return the content
	 * @throws GeneralSecurityException if it is something else
	 */
	String decrypt(String keyId, String name, long version, byte[] content) throws GeneralSecurityException {
		if (content.length < NONCE_LENGTH) {
			throw new GeneralSecurityException("the content is too short");
		}
		byte[] nonce = new byte[NONCE_LENGTH];
		System.arraycopy(content, 0, nonce, 0, nonce.length);
		byte[] decrypted = cipher(Cipher.DECRYPT_MODE, keyId, name, version, nonce).doFinal(content, nonce.length,
				content.length - nonce.length);
		return new String(decrypted, StandardCharsets.UTF_8);
	}

	private Cipher cipher(int mode, String keyId, String name, long version, byte[] nonce)
			throws GeneralSecurityException {
		Cipher cipher = Cipher.getInstance(TRANSFORMATION);
		cipher.init(mode, this.keys.get(keyId), new GCMParameterSpec(TAG_BITS, nonce));
		cipher.updateAAD("%d %s".formatted(version, name).getBytes(StandardCharsets.UTF_8));
		return cipher;
	}

}
