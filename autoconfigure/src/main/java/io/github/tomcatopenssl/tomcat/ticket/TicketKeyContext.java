// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat.ticket;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

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

import org.springframework.util.function.ThrowingFunction;

/**
 * The contexts of a certificate, one for each session ticket key: a context of OpenSSL
 * has one key, unless native code is called back. A client that offers a ticket gets the
 * context that has its key, all others the first.
 */
public final class TicketKeyContext implements SSLContext {

	private static final Log logger = LogFactory.getLog(TicketKeyContext.class);

	private final OpenSSLContext first;

	private final Map<SessionTicketKey, OpenSSLContext> others;

	private TicketKeyContext(OpenSSLContext first, Map<SessionTicketKey, OpenSSLContext> others) {
		this.first = first;
		this.others = others;
	}

	/**
	 * Return the contexts of OpenSSL that the one of a certificate consists of.
	 * @param context the context of a certificate
	 * @return the contexts of OpenSSL, none for JSSE
	 */
	public static List<OpenSSLContext> openSsl(@Nullable SSLContext context) {
		if (context instanceof TicketKeyContext several) {
			List<OpenSSLContext> all = new ArrayList<>(several.others.values());
			all.add(several.first);
			return all;
		}
		return (context instanceof OpenSSLContext openSsl) ? List.of(openSsl) : List.of();
	}

	/**
	 * Log where the keys are not used for a host.
	 * @param host the virtual host
	 */
	public static void report(SSLHostConfig host) {
		if (identity(host) == null) {
			logger.info(
					"'%s' is not used for the virtual host '%s': it checks revocation, or its trust is not a key store"
						.formatted(SessionTicketKeys.PROPERTY, host.getHostName()));
		}
	}

	/**
	 * Use ticket keys for a host, whose contexts have just been made.
	 * @param host the virtual host
	 * @param keys the keys, the one that encrypts first
	 * @param factory makes the contexts for those that decrypt only
	 * @throws Exception if a context cannot be made
	 */
	public static void apply(SSLHostConfig host, List<SessionTicketKey> keys,
			ThrowingFunction<SSLHostConfigCertificate, SSLContext> factory) throws Exception {
		String identity = identity(host);
		if (identity == null || keys.isEmpty()) {
			return;
		}
		for (SSLHostConfigCertificate certificate : host.getCertificates()) {
			if (!(certificate.getSslContext() instanceof OpenSSLContext first)) {
				continue;
			}
			setKey(first, keys.get(0).derive(identity));
			Map<SessionTicketKey, OpenSSLContext> others = new LinkedHashMap<>();
			for (SessionTicketKey key : keys.subList(1, keys.size())) {
				OpenSSLContext other = (OpenSSLContext) factory.applyWithException(certificate);
				setKey(other, key.derive(identity));
				others.put(key, other);
			}
			if (!others.isEmpty()) {
				certificate.setSslContext(new TicketKeyContext(first, others));
			}
		}
	}

	private static void setKey(OpenSSLContext context, byte[] key) {
		((OpenSSLSessionContext) context.getServerSessionContext()).setTicketKeys(key);
	}

	/**
	 * Give a host back the contexts that Tomcat has made, before it makes them anew or
	 * destroys them.
	 * @param host the virtual host
	 * @return the other contexts
	 */
	public static List<SSLContext> remove(SSLHostConfig host) {
		List<SSLContext> removed = new ArrayList<>();
		for (SSLHostConfigCertificate certificate : host.getCertificates()) {
			if (certificate.getSslContext() instanceof TicketKeyContext several) {
				boolean generated = certificate.getSslContextGenerated() == several.first;
				certificate.setSslContext(generated ? null : several.first);
				removed.addAll(several.others.values());
			}
		}
		return removed;
	}

	// Of two hosts with the same, a session of one may be resumed at the other. No
	// session of a host that checks revocation outlives the server or its contexts
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
			for (Map.Entry<SessionTicketKey, OpenSSLContext> other : this.others.entrySet()) {
				if (other.getKey().isNamed(name)) {
					return other.getValue().createSSLEngine();
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
