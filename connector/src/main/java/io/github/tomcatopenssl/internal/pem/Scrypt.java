// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.pem;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.GeneralSecurityException;
import java.security.NoSuchAlgorithmException;

/**
 * The key derivation function scrypt (RFC 7914), which the JDK does not have.
 */
final class Scrypt {

	/**
	 * Maximum memory in bytes, as OpenSSL has it ({@code EVP_PBE_scrypt(3)}): what its
	 * command writes by default takes half of it.
	 */
	private static final long MAX_MEMORY = 32 * 1024 * 1024;

	private static final String PRF = "PBKDF2WithHmacSHA256";

	/**
	 * The integers of a block of Salsa20.
	 */
	private static final int BLOCK = 16;

	private final int cost;

	/**
	 * The integers of a block that is mixed.
	 */
	private final int length;

	private final int parallelization;

	/**
	 * Create a new instance.
	 * @param cost the parameter N, a power of 2
	 * @param blockSize the parameter r
	 * @param parallelization the parameter p
	 * @throws NoSuchAlgorithmException if it takes more memory than OpenSSL uses
	 */
	Scrypt(int cost, int blockSize, int parallelization) throws NoSuchAlgorithmException {
		if (cost < 2 || Integer.bitCount(cost) != 1 || blockSize < 1 || parallelization < 1
				|| 128L * blockSize * (cost + (long) parallelization) > MAX_MEMORY) {
			throw new NoSuchAlgorithmException(
					"scrypt with the parameters N=%d, r=%d, p=%d, which take more than 32 MB or are invalid"
						.formatted(cost, blockSize, parallelization));
		}
		this.cost = cost;
		this.length = 2 * blockSize * BLOCK;
		this.parallelization = parallelization;
	}

	byte[] derive(char[] password, byte[] salt, int bytes) throws GeneralSecurityException {
		int size = this.length * Integer.BYTES;
		ByteBuffer blocks = ByteBuffer.wrap(KeyEncryption.pbkdf2(PRF, password, salt, 1, this.parallelization * size))
			.order(ByteOrder.LITTLE_ENDIAN);
		for (int i = 0; i < this.parallelization; i++) {
			int[] block = new int[this.length];
			blocks.slice(i * size, size).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().get(block);
			mix(block);
			blocks.slice(i * size, size).order(ByteOrder.LITTLE_ENDIAN).asIntBuffer().put(block);
		}
		return KeyEncryption.pbkdf2(PRF, password, blocks.array(), 1, bytes);
	}

	// scryptROMix (RFC 7914, 5)
	private void mix(int[] block) {
		int[][] memory = new int[this.cost][];
		int[] mixed = new int[this.length];
		for (int i = 0; i < this.cost; i++) {
			memory[i] = block.clone();
			mixBlock(block, mixed);
		}
		for (int i = 0; i < this.cost; i++) {
			int[] other = memory[block[this.length - BLOCK] & this.cost - 1];
			for (int j = 0; j < this.length; j++) {
				block[j] ^= other[j];
			}
			mixBlock(block, mixed);
		}
	}

	// scryptBlockMix (RFC 7914, 4)
	private void mixBlock(int[] block, int[] mixed) {
		int[] x = new int[BLOCK];
		System.arraycopy(block, this.length - BLOCK, x, 0, BLOCK);
		for (int i = 0; i < this.length; i += BLOCK) {
			for (int j = 0; j < BLOCK; j++) {
				x[j] ^= block[i + j];
			}
			salsa(x);
			int target = (i / BLOCK % 2 == 0) ? i / 2 : (this.length + i - BLOCK) / 2;
			System.arraycopy(x, 0, mixed, target, BLOCK);
		}
		System.arraycopy(mixed, 0, block, 0, this.length);
	}

	// Salsa20/8 (RFC 7914, 3): columns and rows in turn
	private static void salsa(int[] block) {
		int[] x = block.clone();
		for (int i = 0; i < 4; i++) {
			for (int j = 0; j < 4; j++) {
				quarter(x, 5 * j, (5 * j + 4) % BLOCK, (5 * j + 8) % BLOCK, (5 * j + 12) % BLOCK);
			}
			for (int j = 0; j < 4; j++) {
				int row = 4 * j;
				quarter(x, row + j, row + (j + 1) % 4, row + (j + 2) % 4, row + (j + 3) % 4);
			}
		}
		for (int i = 0; i < BLOCK; i++) {
			block[i] += x[i];
		}
	}

	private static void quarter(int[] x, int a, int b, int c, int d) {
		x[b] ^= Integer.rotateLeft(x[a] + x[d], 7);
		x[c] ^= Integer.rotateLeft(x[b] + x[a], 9);
		x[d] ^= Integer.rotateLeft(x[c] + x[b], 13);
		x[a] ^= Integer.rotateLeft(x[d] + x[c], 18);
	}

}
