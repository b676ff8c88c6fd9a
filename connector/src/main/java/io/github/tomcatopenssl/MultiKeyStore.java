// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl;

import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.KeyStoreSpi;
import java.security.Provider;

/**
 * A key store with keys of several types (see {@link KeyAlias}). Its class distinguishes
 * it from the key stores of users, which may have the same aliases.
 */
public final class MultiKeyStore extends KeyStore {

	private MultiKeyStore(KeyStoreSpi keys, Provider provider, String type) {
		super(keys, provider, type);
	}

	/**
	 * Create a key store, which has to be loaded.
	 * @param type the type of the key store
	 * @return the key store
	 * @throws GeneralSecurityException if there is no such type
	 */
	public static MultiKeyStore create(String type) throws GeneralSecurityException {
		Provider provider = KeyStore.getInstance(type).getProvider();
		return new MultiKeyStore((KeyStoreSpi) provider.getService("KeyStore", type).newInstance(null), provider, type);
	}

}
