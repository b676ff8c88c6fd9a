// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.KeyStoreSpi;
import java.security.Provider;
import java.security.cert.X509Certificate;
import java.util.List;

import org.jspecify.annotations.Nullable;

/**
 * Carries the material of a host through Spring Boot, which hands key stores to Tomcat.
 * Others can use it as an ordinary key store.
 */
public final class HostKeyStore extends KeyStore {

	/**
	 * The alias of the first key. The others have a number behind it.
	 */
	public static final String ALIAS = "server";

	/**
	 * The type of key stores that never leave the memory, as Tomcat has it for PEM files.
	 * PKCS #12 would hash the password 10,000 times whenever a key goes in or out.
	 */
	private static final String TYPE = "JKS";

	private final HostMaterial material;

	private HostKeyStore(KeyStoreSpi store, Provider provider, HostMaterial material) {
		super(store, provider, TYPE);
		this.material = material;
	}

	/**
	 * Create a key store, whose password is empty.
	 * @param material the material of the host
	 * @return the key store
	 */
	public static HostKeyStore of(HostMaterial material) {
		List<HostKey> keys = material.keys();
		try {
			Provider provider = KeyStore.getInstance(TYPE).getProvider();
			HostKeyStore keyStore = new HostKeyStore(
					(KeyStoreSpi) provider.getService("KeyStore", TYPE).newInstance(null), provider, material);
			keyStore.load(null, null);
			for (int i = 0; i < keys.size(); i++) {
				keyStore.setKeyEntry((i == 0) ? ALIAS : ALIAS + "-" + (i + 1), keys.get(i).key(), new char[0],
						keys.get(i).chain().toArray(X509Certificate[]::new));
			}
			return keyStore;
		}
		catch (GeneralSecurityException | IOException ex) {
			throw new IllegalStateException("Unable to create a key store in memory", ex);
		}
	}

	/**
	 * Return the material that a key store carries.
	 * @param keyStore a key store, or {@code null}
	 * @return the material, or {@code null} if the key store is an ordinary one
	 */
	public static @Nullable HostMaterial materialOf(@Nullable KeyStore keyStore) {
		return (keyStore instanceof HostKeyStore carrier) ? carrier.material : null;
	}

}
