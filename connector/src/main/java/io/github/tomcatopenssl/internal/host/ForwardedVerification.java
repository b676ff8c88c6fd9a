// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.security.cert.X509Certificate;
import java.util.Collection;
import java.util.List;

import javax.net.ssl.X509TrustManager;

import io.github.tomcatopenssl.SettingName;
import io.github.tomcatopenssl.SettingText;
import io.github.tomcatopenssl.TlsSettingException;
import org.apache.tomcat.util.net.SSLHostConfig;

/**
 * How a host verifies the certificates of clients that a proxy forwards. A reload makes a
 * new one.
 *
 * @param trustManager decides about certificates, and trusts no CA of proxies
 * @param trust the CAs that the trust manager decides by
 */
public record ForwardedVerification(X509TrustManager trustManager, ClientTrust trust) {

	/**
	 * Require that the CAs of a virtual host alone decide about its clients, and without
	 * asking anybody: forwarded certificates are verified by the threads that serve
	 * requests.
	 * @param config the virtual host
	 * @param revocation how client certificates are checked for revocation
	 * @param ownVerifier whether the user provides its context or a trust manager
	 * @throws TlsSettingException if anything else decides
	 */
	static void requirePossible(SSLHostConfig config, RevocationChecks revocation, boolean ownVerifier) {
		if (ownVerifier || config.getTrustManagerClassName() != null
				|| !"PKIX".equalsIgnoreCase(config.getTruststoreAlgorithm())) {
			throw failure(config,
					"has an 'SSLContext' or a trust manager of its own, so that it is unknown to which CAs forwarded certificates must chain",
					new SettingText("Give the host the CAs of its clients with %s instead",
							SettingName.CA_CERTIFICATES));
		}
		if (revocation.ocspEnabled() || config.getOcspEnabled()
				|| config.getRevocationEnabled() && config.getCertificateRevocationListFile() == null) {
			throw failure(config,
					"asks OCSP responders about client certificates, and a slow one would hold up all requests",
					new SettingText("Use %s instead of %s, or remove %s", SettingName.REVOCATION_LISTS,
							SettingName.OCSP, SettingName.FORWARDED_CERTIFICATES));
		}
	}

	/**
	 * Require that no client can pass for a proxy, and no proxy for a client.
	 * @param config the virtual host
	 * @param clients the CAs of the clients
	 * @param proxies the CAs of the proxies
	 * @throws TlsSettingException if a CA is for both, or if one has issued the other
	 */
	static void requireApart(SSLHostConfig config, List<X509Certificate> clients, Collection<X509Certificate> proxies) {
		for (X509Certificate client : clients) {
			for (X509Certificate proxy : proxies) {
				if (client.getPublicKey().equals(proxy.getPublicKey())) {
					throw notApart(config, "the CA '%s' is also one of the clients' CAs".formatted(name(client)),
							"every client of the virtual host '%s' would be a proxy");
				}
				if (TrustAnchors.hasSigned(proxy, client)) {
					throw notApart(config,
							"the CA '%s' has issued the clients' CA '%s'".formatted(name(proxy), name(client)),
							"every client of the virtual host '%s' would be a proxy");
				}
				if (TrustAnchors.hasSigned(client, proxy)) {
					throw notApart(config,
							"the clients' CA '%s' has issued the CA '%s'".formatted(name(client), name(proxy)),
							"every proxy could be a client of the virtual host '%s'");
				}
			}
		}
	}

	private static String name(X509Certificate ca) {
		return ca.getSubjectX500Principal().getName();
	}

	private static TlsSettingException notApart(SSLHostConfig config, String cause, String consequence) {
		return new TlsSettingException(SettingName.PROXY_CA_CERTIFICATES,
				new SettingText("%s, so that %s", cause, consequence.formatted(config.getHostName())),
				new SettingText("Issue the proxies' certificates from a root CA that issues no others"), null);
	}

	private static TlsSettingException failure(SSLHostConfig config, String reason, SettingText action) {
		return new TlsSettingException(SettingName.FORWARDED_CERTIFICATES,
				new SettingText("the virtual host '%s' %s", config.getHostName(), reason), action, null);
	}

}
