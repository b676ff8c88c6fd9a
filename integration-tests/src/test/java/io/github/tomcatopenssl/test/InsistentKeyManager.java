// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test;

import java.io.IOException;
import java.net.Socket;
import java.security.GeneralSecurityException;
import java.security.Principal;
import java.security.PrivateKey;
import java.security.cert.X509Certificate;

import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.X509ExtendedKeyManager;

import org.jspecify.annotations.Nullable;

/**
 * Presents its certificate even to servers that ask for certificates of other CAs, unlike
 * Java's own key manager.
 */
public final class InsistentKeyManager extends X509ExtendedKeyManager {

	private static final String ALIAS = "client";

	private final PrivateKey key;

	private final X509Certificate[] chain;

	private InsistentKeyManager(String name) {
		this.key = TestCertificates.get().privateKey(name);
		this.chain = TestCertificates.get().chain(name + ".crt");
	}

	/**
	 * Create a client's context.
	 * @param name the name of the client's certificate, or {@code null} if it has none
	 * @param trusted the name of the certificate that it trusts
	 * @return the context
	 */
	public static SSLContext context(@Nullable String name, String trusted) {
		try {
			SSLContext context = SSLContext.getInstance("TLS");
			context.init((name != null) ? new KeyManager[] { new InsistentKeyManager(name) } : null,
					TestCertificates.get().trustManagers(trusted), null);
			return context;
		}
		catch (IOException | GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public String chooseClientAlias(String[] keyType, Principal[] issuers, Socket socket) {
		return ALIAS;
	}

	@Override
	public String chooseEngineClientAlias(String[] keyType, Principal[] issuers, SSLEngine engine) {
		return ALIAS;
	}

	@Override
	public X509Certificate[] getCertificateChain(String alias) {
		return this.chain;
	}

	@Override
	public PrivateKey getPrivateKey(String alias) {
		return this.key;
	}

	@Override
	public String[] getClientAliases(String keyType, Principal[] issuers) {
		return new String[] { ALIAS };
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
