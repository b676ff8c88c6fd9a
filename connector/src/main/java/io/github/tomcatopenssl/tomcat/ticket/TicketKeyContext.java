// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat.ticket;

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

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.apache.tomcat.util.net.SSLContext;
import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfig.CertificateVerification;
import org.apache.tomcat.util.net.SSLHostConfigCertificate;
import org.apache.tomcat.util.net.openssl.OpenSSLContext;
import org.apache.tomcat.util.net.openssl.OpenSSLSessionContext;
import org.jspecify.annotations.Nullable;

/**
 * The contexts of a certificate, one for each session ticket key, because an OpenSSL
 * context has only one key unless native code is called back. A client that offers a
 * ticket gets the context that has the ticket's key. All other clients get the first
 * context.
 */
public final class TicketKeyContext implements SSLContext {

	private static final Log logger = LogFactory.getLog(TicketKeyContext.class);

	private final OpenSSLContext first;

	private final Map<SessionTicketKey, OpenSSLContext> contexts;

	private TicketKeyContext(OpenSSLContext first, Map<SessionTicketKey, OpenSSLContext> contexts) {
		this.first = first;
		this.contexts = contexts;
	}

	/**
	 * Return the OpenSSL contexts that the context of a certificate consists of.
	 * @param context the context of a certificate
	 * @return the OpenSSL contexts, or an empty list for JSSE
	 */
	public static List<OpenSSLContext> openSsl(@Nullable SSLContext context) {
		if (context instanceof TicketKeyContext several) {
			return several.contexts.isEmpty() ? List.of(several.first) : List.copyOf(several.contexts.values());
		}
		return (context instanceof OpenSSLContext openSsl) ? List.of(openSsl) : List.of();
	}

	/**
	 * Log if a virtual host does not use the keys.
	 * @param host the virtual host
	 */
	public static void report(SSLHostConfig host) {
		if (identity(host) == null) {
			logger.info(
					"The session ticket keys are not used for the virtual host '%s': it checks revocation, or its trust anchors are not in a key store"
						.formatted(host.getHostName()));
		}
	}

	/**
	 * Create the context of a certificate.
	 * @param host the virtual host
	 * @param keys the keys, the one that encrypts first
	 * @param factory creates a context
	 * @return the context, which has the keys if the host can use them
	 * @throws Exception if a context cannot be created
	 */
	public static SSLContext create(SSLHostConfig host, List<SessionTicketKey> keys, Callable<SSLContext> factory)
			throws Exception {
		if (keys.isEmpty()) {
			return factory.call();
		}
		String identity = identity(host);
		if (identity == null) {
			return new TicketKeyContext((OpenSSLContext) factory.call(), Map.of());
		}
		Map<SessionTicketKey, OpenSSLContext> contexts = new LinkedHashMap<>();
		for (SessionTicketKey key : keys) {
			OpenSSLContext context = (OpenSSLContext) factory.call();
			((OpenSSLSessionContext) context.getServerSessionContext()).setTicketKeys(key.derive(identity));
			contexts.put(key, context);
		}
		return new TicketKeyContext(contexts.values().iterator().next(), contexts);
	}

	/**
	 * Return whether the context of a certificate can be replaced.
	 * @param certificate the certificate
	 * @return whether it is the only certificate of its host and has no context that the
	 * user has set
	 */
	public static boolean isReplaceable(SSLHostConfigCertificate certificate) {
		return certificate.getSSLHostConfig().getCertificates().size() == 1
				&& (certificate.getSslContext() == null || certificate.getSslContext() instanceof TicketKeyContext);
	}

	/**
	 * Destroy the contexts of a virtual host.
	 * @param host the virtual host
	 */
	public static void destroy(SSLHostConfig host) {
		for (SSLHostConfigCertificate certificate : host.getCertificates()) {
			if (certificate.getSslContext() instanceof TicketKeyContext context) {
				context.destroy();
			}
		}
	}

	// If two hosts have the same identity, a session of one can be resumed at the
	// other. A host that checks revocation has none: its sessions must not outlive the
	// server or its contexts
	private static @Nullable String identity(SSLHostConfig host) {
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

	@Override
	public SSLEngine createSSLEngine() {
		byte[] name = OfferedTicket.keyName();
		if (name != null) {
			for (Map.Entry<SessionTicketKey, OpenSSLContext> context : this.contexts.entrySet()) {
				if (context.getKey().isNamed(name)) {
					return context.getValue().createSSLEngine();
				}
			}
		}
		return this.first.createSSLEngine();
	}

	@Override
	public void init(KeyManager[] kms, TrustManager[] tms, SecureRandom sr) {
		throw new UnsupportedOperationException();
	}

	@Override
	public void destroy() {
		openSsl(this).forEach(OpenSSLContext::destroy);
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
