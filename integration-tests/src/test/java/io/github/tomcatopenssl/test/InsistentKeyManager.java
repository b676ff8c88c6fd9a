// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test;

import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;
import java.util.Arrays;

import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;

import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundle;

/**
 * Presents its certificate even to servers that ask for certificates of other CAs, unlike
 * Java's own key manager.
 */
public final class InsistentKeyManager extends X509ExtendedKeyManager {

	private final X509ExtendedKeyManager delegate;

	private final String alias;

	private InsistentKeyManager(X509ExtendedKeyManager delegate, String alias) {
		this.delegate = delegate;
		this.alias = alias;
	}

	/**
	 * Create a client's context.
	 * @param bundle the certificate of the client, if it has one, and what it trusts
	 * @return the context
	 */
	public static SSLContext context(SslBundle bundle) {
		try {
			SSLContext context = SSLContext.getInstance("TLS");
			KeyStore keyStore = bundle.getStores().getKeyStore();
			context.init((keyStore != null) ? new InsistentKeyManager[] { of(keyStore) } : null,
					bundle.getManagers().getTrustManagers(), null);
			return context;
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static InsistentKeyManager of(KeyStore keyStore) throws GeneralSecurityException {
		KeyManagerFactory factory = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
		factory.init(keyStore, null);
		X509ExtendedKeyManager delegate = (X509ExtendedKeyManager) Arrays.stream(factory.getKeyManagers())
			.filter(X509ExtendedKeyManager.class::isInstance)
			.findFirst()
			.orElseThrow();
		return new InsistentKeyManager(delegate, delegate.getClientAliases("EC", null)[0]);
	}

	@Override
	public String chooseClientAlias(String[] keyType, Principal[] issuers, Socket socket) {
		return this.alias;
	}

	@Override
	public String chooseEngineClientAlias(String[] keyType, Principal[] issuers, SSLEngine engine) {
		return this.alias;
	}

	@Override
	public X509Certificate[] getCertificateChain(String alias) {
		return this.delegate.getCertificateChain(alias);
	}

	@Override
	public PrivateKey getPrivateKey(String alias) {
		return this.delegate.getPrivateKey(alias);
	}

	@Override
	public String[] getClientAliases(String keyType, Principal[] issuers) {
		return new String[] { this.alias };
	}

	@Override
	public String @Nullable [] getServerAliases(String keyType, Principal[] issuers) {
		return null;
	}

	@Override
	public @Nullable String chooseServerAlias(String keyType, Principal[] issuers, Socket socket) {
		return null;
	}

}
