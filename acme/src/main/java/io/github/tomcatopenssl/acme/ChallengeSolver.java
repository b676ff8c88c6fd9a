// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.Closeable;
import java.io.IOException;

import org.shredzone.acme4j.Authorization;
import org.shredzone.acme4j.challenge.Challenge;
import org.shredzone.acme4j.exception.AcmeException;

/**
 * Proves to a CA that a domain belongs to this server.
 */
interface ChallengeSolver {

	/**
	 * Publish the answer to a challenge.
	 * @param authorization the challenges of a domain
	 * @return the challenge, which the CA can verify until it is closed
	 * @throws AcmeRefusedException if the CA does not offer the challenge
	 * @throws AcmeException if the CA does not answer as it should
	 * @throws IOException if the answer cannot be published
	 * @throws InterruptedException if the application stops
	 */
	Published publish(Authorization authorization) throws AcmeException, IOException, InterruptedException;

	/**
	 * Return the remedy if the CA cannot verify the answer.
	 * @return a sentence without its full stop
	 */
	String advice();

	/**
	 * Return the challenge of a type.
	 * @param authorization the challenges of a domain
	 * @param type the type
	 * @param name the name of the type
	 * @param <C> the type
	 * @return the challenge
	 */
	static <C extends Challenge> C find(Authorization authorization, Class<C> type, String name) {
		return authorization.findChallenge(type)
			.orElseThrow(() -> new AcmeRefusedException(
					"The CA does not offer the challenge '%s' for '%s'".formatted(name,
							authorization.getIdentifier().getValue()),
					"Use a CA that offers it, or, unless it is an IP address, define a bean of type 'DnsChallengeProvider' for 'dns-01'"));
	}

	/**
	 * A challenge whose answer is published.
	 *
	 * @param challenge the challenge
	 * @param removal removes the answer
	 */
	record Published(Challenge challenge, Closeable removal) implements Closeable {

		@Override
		public void close() throws IOException {
			this.removal.close();
		}

	}

}
