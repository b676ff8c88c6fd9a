// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.X509Certificate;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import javax.net.ssl.TrustManagerFactory;
import javax.net.ssl.X509TrustManager;
import javax.security.auth.x500.X500Principal;

import org.jspecify.annotations.Nullable;

/**
 * The CAs that Java trusts by default, by their names.
 */
final class JavaTrustedCas {

	private static final Set<X500Principal> NAMES = read();

	private JavaTrustedCas() {
	}

	/**
	 * Return whether Java trusts a CA.
	 * @param name the name of the CA
	 * @return whether it does, or its CAs cannot be read
	 */
	static boolean contains(X500Principal name) {
		return NAMES.isEmpty() || NAMES.contains(name);
	}

	private static Set<X500Principal> read() {
		try {
			TrustManagerFactory factory = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
			factory.init((@Nullable KeyStore) null);
			return Arrays.stream(factory.getTrustManagers())
				.flatMap((manager) -> (manager instanceof X509TrustManager x509)
						? Arrays.stream(x509.getAcceptedIssuers()) : Stream.empty())
				.map(X509Certificate::getSubjectX500Principal)
				.collect(Collectors.toUnmodifiableSet());
		}
		catch (GeneralSecurityException ex) {
			return Set.of();
		}
	}

}
