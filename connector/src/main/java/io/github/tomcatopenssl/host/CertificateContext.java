// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.Callable;

import javax.net.ssl.KeyManager;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLServerSocketFactory;
import javax.net.ssl.SSLSessionContext;
import javax.net.ssl.TrustManager;

import org.apache.tomcat.util.net.SSLContext;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfig.CertificateVerification;
import org.apache.tomcat.util.net.openssl.OpenSSLSessionContext;
import org.jspecify.annotations.Nullable;

/**
 * The context of a certificate: a context of the engine for each session ticket key,
 * because a context of OpenSSL has only one key unless native code is called back. A
 * client that offers a ticket gets the context that has the ticket's key. All other
 * clients get the first context.
 */
final class CertificateContext implements SSLContext {

	// Tomcat calls createSSLEngine() on the thread that has read the ticket
	private static final ThreadLocal<byte[]> OFFERED = new ThreadLocal<>();

	private final SSLContext first;

	private final Map<SessionTicketKey, SSLContext> contexts;

	private CertificateContext(SSLContext first, Map<SessionTicketKey, SSLContext> contexts) {
		this.first = first;
		this.contexts = contexts;
	}

	/**
	 * Create the context of a certificate.
	 * @param identity the identity of its virtual host, or {@code null} if the host must
	 * not use the keys
	 * @param keys the keys, the one that encrypts first
	 * @param factory creates a context of the engine
	 * @return the context
	 * @throws Exception if a context cannot be created
	 */
	static CertificateContext create(@Nullable String identity, List<SessionTicketKey> keys,
			Callable<SSLContext> factory) throws Exception {
		Map<SessionTicketKey, SSLContext> contexts = new LinkedHashMap<>();
		if (identity != null) {
			for (SessionTicketKey key : keys) {
				SSLContext context = factory.call();
				((OpenSSLSessionContext) context.getServerSessionContext()).setTicketKeys(key.derive(identity));
				contexts.put(key, context);
			}
		}
		SSLContext first = contexts.isEmpty() ? factory.call() : contexts.values().iterator().next();
		return new CertificateContext(first, contexts);
	}

	/**
	 * Return the identity of a virtual host. If two hosts have the same one, a session of
	 * one can be resumed at the other.
	 * @param host the virtual host
	 * @return the identity, or {@code null} if the sessions of the host must not outlive
	 * its contexts, because it checks revocation, or if its trust anchors are unknown
	 */
	static @Nullable String identity(SSLHostConfig host) {
		String name = host.getHostName() + "\n" + host.getCertificateVerification();
		if (host.getCertificateVerification() == CertificateVerification.NONE) {
			return name;
		}
		try {
			KeyStore trustStore = host.getTruststore();
			if (trustStore == null || checksRevocation(host) || host.getTrustManagerClassName() != null
					|| host.getCaCertificateFile() != null || host.getCaCertificatePath() != null) {
				return null;
			}
			TreeSet<String> trusted = new TreeSet<>();
			for (String alias : Collections.list(trustStore.aliases())) {
				byte[] certificate = trustStore.getCertificate(alias).getEncoded();
				trusted.add(HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(certificate)));
			}
			return name + "\n" + host.getCertificateVerificationDepth() + "\n" + String.join("\n", trusted);
		}
		catch (IOException | GeneralSecurityException ex) {
			throw new IllegalStateException("The trust store cannot be read", ex);
		}
	}

	private static boolean checksRevocation(SSLHostConfig host) {
		return host.getOcspEnabled() || host.getCertificateRevocationListFile() != null
				|| host.getCertificateRevocationListPath() != null;
	}

	// Creates an engine for a client that offers a ticket
	static void withTicket(byte[] keyName, Runnable engine) {
		OFFERED.set(keyName);
		try {
			engine.run();
		}
		finally {
			OFFERED.remove();
		}
	}

	@Override
	public SSLEngine createSSLEngine() {
		byte[] offered = OFFERED.get();
		if (offered != null) {
			for (Map.Entry<SessionTicketKey, SSLContext> context : this.contexts.entrySet()) {
				if (context.getKey().isNamed(offered)) {
					return context.getValue().createSSLEngine();
				}
			}
		}
		return this.first.createSSLEngine();
	}

	// Returns the context of the engine: any of them, since all are of one engine
	SSLContext ofEngine() {
		return this.first;
	}

	@Override
	public void init(KeyManager[] kms, TrustManager[] tms, SecureRandom sr) {
		throw new UnsupportedOperationException();
	}

	@Override
	public void destroy() {
		this.first.destroy();
		this.contexts.values().forEach(SSLContext::destroy);
	}

	@Override
	public SSLSessionContext getServerSessionContext() {
		return this.first.getServerSessionContext();
	}

	@Override
	public SSLServerSocketFactory getServerSocketFactory() {
		return this.first.getServerSocketFactory();
	}

	@Override
	public SSLParameters getSupportedSSLParameters() {
		return this.first.getSupportedSSLParameters();
	}

	@Override
	public X509Certificate[] getCertificateChain(String alias) {
		return this.first.getCertificateChain(alias);
	}

	@Override
	public X509Certificate[] getAcceptedIssuers() {
		return this.first.getAcceptedIssuers();
	}

}
