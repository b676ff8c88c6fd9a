// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.IOException;

import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.shredzone.acme4j.Authorization;
import org.shredzone.acme4j.challenge.Dns01Challenge;
import org.shredzone.acme4j.exception.AcmeException;

/**
 * Publishes a DNS record (DNS-01, RFC 8555, 8.4).
 *
 * @param dns publishes it
 */
record DnsSolver(DnsChallengeProvider dns) implements ChallengeSolver {

	private static final Log logger = LogFactory.getLog(DnsSolver.class);

	@Override
	public Published publish(Authorization authorization) throws AcmeException, IOException, InterruptedException {
		Dns01Challenge challenge = ChallengeSolver.find(authorization, Dns01Challenge.class, Dns01Challenge.TYPE);
		String name = challenge.getRRName(authorization.getIdentifier());
		String value = challenge.getDigest();
		try {
			this.dns.publish(name, value);
		}
		catch (IOException | InterruptedException | RuntimeException ex) {
			remove(name, value);
			throw ex;
		}
		return new Published(challenge, () -> remove(name, value));
	}

	private void remove(String name, String value) {
		try {
			this.dns.remove(name, value);
		}
		catch (IOException | RuntimeException ex) {
			logger.warn("The DNS record '%s' could not be removed. Remove it by hand".formatted(name), ex);
		}
	}

	@Override
	public String advice() {
		return "Check that the name servers of the domain answer with the record";
	}

}
