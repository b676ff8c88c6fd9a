// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.io.IOException;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.MessageDigest;
import java.util.Collections;
import java.util.HexFormat;
import java.util.TreeSet;

import org.apache.tomcat.util.net.SSLHostConfig;
import org.apache.tomcat.util.net.SSLHostConfig.CertificateVerification;
import org.jspecify.annotations.Nullable;

/**
 * Where a session ticket of a virtual host is valid: at hosts of the same name that
 * verify clients in the same way.
 */
final class TicketScope {

	private TicketScope() {
	}

	/**
	 * Derive the ticket key of a virtual host.
	 * @param key the key that replicas share
	 * @param host the virtual host
	 * @return the key, or {@code null} if the host must not use the shared key
	 */
	static byte @Nullable [] derive(SessionTicketKey key, SSLHostConfig host) {
		String scope = of(host);
		return (scope != null) ? key.derive(scope) : null;
	}

	/**
	 * Return the scope of the tickets of a virtual host. If two hosts have the same one,
	 * a session of one can be resumed at the other.
	 * @param host the virtual host
	 * @return the scope, or {@code null} if the sessions of the host must not outlive its
	 * contexts, because it checks revocation, or if its trust anchors are unknown
	 */
	static @Nullable String of(SSLHostConfig host) {
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

}
