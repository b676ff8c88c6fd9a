// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.IOException;
import java.nio.file.Path;
import java.security.KeyPair;
import java.util.List;
import java.util.function.Supplier;

import org.shredzone.acme4j.Authorization;
import org.shredzone.acme4j.challenge.TlsAlpn01Challenge;
import org.shredzone.acme4j.exception.AcmeException;

import org.springframework.util.function.SingletonSupplier;

/**
 * Puts a certificate into the store, with which all replicas answer (TLS-ALPN-01, RFC
 * 8737).
 *
 * @param store the store
 */
record TlsAlpnSolver(AcmeStore store) implements ChallengeSolver {

	/**
	 * The key of all certificates for challenges, whose signature is RSA's. What proves
	 * the control of a name is the content of its certificate, and nobody trusts the key.
	 * To make one takes more CPU than the rest of an order.
	 */
	private static final Supplier<KeyPair> KEY = SingletonSupplier.of(AcmeKeyType.RSA::createKey);

	@Override
	public Published publish(Authorization authorization) throws AcmeException, IOException, InterruptedException {
		TlsAlpn01Challenge challenge = ChallengeSolver.find(authorization, TlsAlpn01Challenge.class,
				TlsAlpn01Challenge.TYPE);
		Path file = this.store
			.challenge(AcmeNames.serverName(AcmeNames.canonical(authorization.getIdentifier().getValue())));
		KeyPair key = KEY.get();
		this.store.open(file, AcmeStore.pem(key.getPrivate(),
				List.of(challenge.createCertificate(key, authorization.getIdentifier()))));
		return new Published(challenge, () -> this.store.delete(file));
	}

	@Override
	public String advice() {
		return "Check that the name or the address is that of this server, and that the CA reaches it on port 443 without a proxy that ends TLS";
	}

}
