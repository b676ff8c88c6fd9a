// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.security.GeneralSecurityException;
import java.security.KeyManagementException;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;

import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.TrustManager;

import org.apache.tomcat.util.net.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A context of JSSE whose sessions are not resumed. JSSE has no such setting for one
 * context, but it keeps sessions and ticket keys in a context, and here each connection
 * has its own.
 */
final class UnresumedContext implements SSLContext {

	private final String protocol;

	/**
	 * Tomcat's context, which answers what does not concern a connection.
	 */
	private final SSLContext context;

	private KeyManager @Nullable [] keyManagers;

	private TrustManager @Nullable [] trustManagers;

	UnresumedContext(String protocol, SSLContext context) {
		this.protocol = protocol;
		this.context = context;
	}

	@Override
	public void init(KeyManager @Nullable [] keyManagers, TrustManager @Nullable [] trustManagers,
			@Nullable SecureRandom random) throws KeyManagementException {
		this.context.init(keyManagers, trustManagers, random);
		this.keyManagers = keyManagers;
		this.trustManagers = trustManagers;
	}

	@Override
	public SSLEngine createSSLEngine() {
		try {
			javax.net.ssl.SSLContext own = javax.net.ssl.SSLContext.getInstance(this.protocol);
			own.init(this.keyManagers, this.trustManagers, null);
			return own.createSSLEngine();
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public void destroy() {
		this.context.destroy();
	}

	@Override
	public SSLSessionContext getServerSessionContext() {
		return this.context.getServerSessionContext();
	}

	@Override
	public SSLServerSocketFactory getServerSocketFactory() {
		return this.context.getServerSocketFactory();
	}

	@Override
	public SSLParameters getSupportedSSLParameters() {
		return this.context.getSupportedSSLParameters();
	}

	@Override
	public X509Certificate[] getCertificateChain(String alias) {
		return this.context.getCertificateChain(alias);
	}

	@Override
	public X509Certificate[] getAcceptedIssuers() {
		return this.context.getAcceptedIssuers();
	}

}
