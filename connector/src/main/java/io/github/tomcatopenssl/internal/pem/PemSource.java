// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.pem;

import org.jspecify.annotations.Nullable;

/**
 * Where a PEM file comes from, for messages about it.
 *
 * @param property the name of the setting that names the file
 * @param file the file, as messages show it, or {@code null} if they must not show it
 * @param inFileSystem whether the file is in the file system
 * @param content what the file is expected to contain
 * @param keyStoreProperty the name of the setting that names a key store instead, or
 * {@code null} if there is none
 */
public record PemSource(String property, @Nullable String file, boolean inFileSystem, Content content,
		@Nullable String keyStoreProperty) {

	/**
	 * What a file is expected to contain.
	 */
	public enum Content {

		/**
		 * The certificates of a server, and perhaps its private key.
		 */
		CERTIFICATES(4),

		/**
		 * Its private key.
		 */
		PRIVATE_KEY(4),

		/**
		 * CAs. A bundle of all public ones has some 250 KB.
		 */
		CAS(4),

		/**
		 * Certificate revocation lists. An entry takes about 50 bytes, so that a list of
		 * this size has over a million.
		 */
		REVOCATION_LISTS(64);

		private final int megabytes;

		Content(int megabytes) {
			this.megabytes = megabytes;
		}

		/**
		 * Return the maximum size of a file. Larger ones are no PEM file, and would only
		 * take memory.
		 * @return the size in MiB
		 */
		public int megabytes() {
			return this.megabytes;
		}

	}

}
