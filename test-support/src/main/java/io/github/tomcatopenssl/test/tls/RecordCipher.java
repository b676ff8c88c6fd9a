// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test.tls;

import java.security.GeneralSecurityException;
import java.util.Arrays;

import javax.crypto.Cipher;
import javax.crypto.spec.GCMParameterSpec;
import javax.crypto.spec.SecretKeySpec;

import static io.github.tomcatopenssl.test.tls.TlsBytes.concat;
import static io.github.tomcatopenssl.test.tls.TlsBytes.number;
import static io.github.tomcatopenssl.test.tls.TlsBytes.numbers;
import static io.github.tomcatopenssl.test.tls.TlsBytes.vector;

/**
 * AES-128-GCM for the records of one direction.
 */
public abstract class RecordCipher {

	public static final int HEADER = 5;

	private static final int TAG = 16;

	private final SecretKeySpec key;

	private final byte[] iv;

	private long sequence;

	private RecordCipher(byte[] key, byte[] iv) {
		this.key = new SecretKeySpec(key, "AES");
		this.iv = iv;
	}

	public static RecordCipher tls12(byte[] key, byte[] iv) {
		return new Tls12(key, iv);
	}

	public static RecordCipher tls13(byte[] secret) {
		return new Tls13(KeyDerivation.expand(secret, "key", new byte[0], 16),
				KeyDerivation.expand(secret, "iv", new byte[0], 12));
	}

	/**
	 * Encrypt a record.
	 * @param type the type of its content; with TLS 1.3 nothing (not even zero) is
	 * written where it is -1
	 * @param content the content
	 * @return the record
	 */
	public abstract byte[] seal(int type, byte[] content);

	/**
	 * Decrypt a record.
	 * @param record the record
	 * @return the content, followed by its type
	 * @throws GeneralSecurityException where it was not encrypted with this key
	 */
	public abstract byte[] open(byte[] record) throws GeneralSecurityException;

	public byte[] crypt(int mode, byte[] nonce, byte[] additional, byte[] input, int offset)
			throws GeneralSecurityException {
		Cipher cipher = Cipher.getInstance("AES/GCM/NoPadding");
		cipher.init(mode, this.key, new GCMParameterSpec(8 * TAG, nonce));
		cipher.updateAAD(additional);
		this.sequence++;
		return cipher.doFinal(input, offset, input.length - offset);
	}

	public byte[] sealed(byte[] nonce, byte[] additional, byte[] content) {
		try {
			return crypt(Cipher.ENCRYPT_MODE, nonce, additional, content, 0);
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static final class Tls12 extends RecordCipher {

		private static final int NONCE = 8;

		private Tls12(byte[] key, byte[] iv) {
			super(key, iv);
		}

		@Override
		public byte[] seal(int type, byte[] content) {
			byte[] nonce = number(NONCE, super.sequence);
			byte[] sealed = sealed(concat(super.iv, nonce), additional(type, content.length), content);
			return concat(number(1, type), numbers(0x0303), vector(2, nonce, sealed));
		}

		@Override
		public byte[] open(byte[] record) throws GeneralSecurityException {
			byte[] nonce = Arrays.copyOfRange(record, HEADER, HEADER + NONCE);
			int length = record.length - HEADER - NONCE - TAG;
			if (length < 0) {
				throw new GeneralSecurityException("too short");
			}
			byte[] content = crypt(Cipher.DECRYPT_MODE, concat(super.iv, nonce), additional(record[0], length), record,
					HEADER + NONCE);
			return concat(content, number(1, record[0]));
		}

		private byte[] additional(int type, int length) {
			return concat(number(8, super.sequence), number(1, type), numbers(0x0303, length));
		}

	}

	private static final class Tls13 extends RecordCipher {

		private Tls13(byte[] key, byte[] iv) {
			super(key, iv);
		}

		@Override
		public byte[] seal(int type, byte[] content) {
			byte[] inner = (type == -1) ? content : concat(content, number(1, type));
			byte[] header = concat(number(1, TlsBytes.APPLICATION_DATA), numbers(0x0303, inner.length + TAG));
			return concat(header, sealed(nonce(), header, inner));
		}

		@Override
		public byte[] open(byte[] record) throws GeneralSecurityException {
			byte[] inner = crypt(Cipher.DECRYPT_MODE, nonce(), Arrays.copyOf(record, HEADER), record, HEADER);
			int length = inner.length;
			while (length > 0 && inner[length - 1] == 0) {
				length--;
			}
			return Arrays.copyOf(inner, length);
		}

		private byte[] nonce() {
			byte[] nonce = new byte[12];
			System.arraycopy(number(8, super.sequence), 0, nonce, 4, 8);
			for (int i = 0; i < nonce.length; i++) {
				nonce[i] ^= super.iv[i];
			}
			return nonce;
		}

	}

}
