// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.IOException;
import java.util.Locale;
import java.util.Set;

import javax.net.ssl.SSLContext;

import io.github.tomcatopenssl.TlsAlpnChallenges;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.pem.PemSslStoreBundle;
import org.springframework.boot.ssl.pem.PemSslStoreDetails;

/**
 * The open challenges in the {@link AcmeStore folder}, whichever replica has put them
 * there.
 *
 * @param store the folder
 * @param domains the domains of the certificate, the only ones that are looked up
 */
record AcmeChallenges(AcmeStore store, Set<String> domains) implements TlsAlpnChallenges {

	private static final Log logger = LogFactory.getLog(AcmeChallenges.class);

	@Override
	public @Nullable SSLContext find(String serverName) {
		String domain = serverName.toLowerCase(Locale.ROOT);
		if (!this.domains.contains(domain)) {
			return null;
		}
		try {
			String pem = AcmeStore.read(this.store.challenge(domain));
			if (pem == null) {
				return null;
			}
			PemSslStoreDetails details = PemSslStoreDetails.forCertificate(pem).withPrivateKey(pem);
			return SslBundle.of(new PemSslStoreBundle(details, null)).createSslContext();
		}
		catch (IOException | RuntimeException ex) {
			// Strangers can repeat it
			logger.debug("The challenge for '%s' cannot be answered".formatted(domain), ex);
			return null;
		}
	}

}
