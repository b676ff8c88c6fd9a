// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.engine;

import java.security.SecureRandom;
import java.security.cert.X509Certificate;

import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

import io.github.tomcatopenssl.internal.host.TlsHost;
import org.apache.tomcat.util.net.SSLContext;
import org.jspecify.annotations.Nullable;

/**
 * A context that shows a host to Tomcat's manager, log and JMX. It serves no connection.
 */
final class ShownContext implements SSLContext {

	private final TlsHost host;

	ShownContext(TlsHost host) {
		this.host = host;
	}

	@Override
	public X509Certificate @Nullable [] getCertificateChain(String alias) {
		return this.host.keys().isEmpty() ? null : this.host.keys().get(0).chain().toArray(X509Certificate[]::new);
	}

	@Override
	public X509Certificate[] getAcceptedIssuers() {
		X509TrustManager manager = this.host.clients().trustManager();
		return (manager != null) ? manager.getAcceptedIssuers() : new X509Certificate[0];
	}

	@Override
	public SSLParameters getSupportedSSLParameters() {
		return new SSLParameters(new String[0], this.host.policy().versionNames().toArray(String[]::new));
	}

	@Override
	public void init(KeyManager[] keyManagers, TrustManager[] trustManagers, SecureRandom random) {
		throw new UnsupportedOperationException();
	}

	@Override
	public void destroy() {
	}

	@Override
	public @Nullable SSLSessionContext getServerSessionContext() {
		return null;
	}

	@Override
	public SSLEngine createSSLEngine() {
		throw new UnsupportedOperationException();
	}

	@Override
	public SSLServerSocketFactory getServerSocketFactory() {
		throw new UnsupportedOperationException();
	}

}
