// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl;

import java.util.Locale;

/**
 * The aliases of keys of several types in one key store. Tomcat serves a certificate for
 * each of them, although Spring Boot configures a single one with such a key store.
 */
public final class KeyAlias {

	private static final String PREFIX = "server-";

	private KeyAlias() {
	}

	/**
	 * Return the alias of a key.
	 * @param algorithm the algorithm of the key
	 * @return the alias
	 */
	public static String of(String algorithm) {
		return PREFIX + algorithm.toLowerCase(Locale.ROOT);
	}

	/**
	 * Return the type of the key that has an alias.
	 * @param alias the alias
	 * @return the type, as Tomcat spells it
	 */
	public static String typeOf(String alias) {
		return alias.substring(PREFIX.length()).replace("-", "").toUpperCase(Locale.ROOT);
	}

}
