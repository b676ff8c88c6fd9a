// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.IOException;
import java.util.List;

import io.github.tomcatopenssl.internal.host.ForeignText;
import org.jspecify.annotations.Nullable;
import org.shredzone.acme4j.Authorization;
import org.shredzone.acme4j.Status;
import org.shredzone.acme4j.challenge.Challenge;
import org.shredzone.acme4j.exception.AcmeException;

/**
 * Lets the CA verify that domains belong to this server.
 */
final class DomainVerifier {

	private final List<String> domains;

	private final ChallengeSolver addresses;

	private final ChallengeSolver names;

	/**
	 * Create a new instance.
	 * @param domains the domains of the certificate
	 * @param store the folder with the open challenges
	 * @param dns publishes DNS records, or {@code null} if the CA reaches the server
	 */
	DomainVerifier(List<String> domains, AcmeStore store, @Nullable DnsChallengeProvider dns) {
		this.domains = domains;
		// There is no DNS record for an address (RFC 8738, 7)
		this.addresses = new TlsAlpnSolver(store);
		this.names = (dns != null) ? new DnsSolver(dns) : this.addresses;
	}

	/**
	 * Answer the challenge of a domain, and wait for the CA.
	 * @param authorization the challenges of the domain
	 * @throws AcmeRefusedException if the CA cannot verify the domain
	 * @throws AcmeException if the CA does not answer as it should
	 * @throws IOException if the answer cannot be published
	 * @throws InterruptedException if the application stops
	 */
	void verify(Authorization authorization) throws AcmeException, IOException, InterruptedException {
		String domain = AcmeNames.canonical(authorization.getIdentifier().getValue());
		// What the CA names becomes the name of a file or of a DNS record
		if (!this.domains.contains(domain) && !this.domains.contains("*." + domain)) {
			throw new AcmeRefusedException(
					"The CA wants to verify '%s', for which no certificate was requested"
						.formatted(ForeignText.of(domain)),
					"Check that '%s' is the CA that you want".formatted(AcmeProperties.DIRECTORY_URL));
		}
		ChallengeSolver solver = AcmeNames.isAddress(domain) ? this.addresses : this.names;
		try (ChallengeSolver.Published published = solver.publish(authorization)) {
			verify(authorization, published.challenge(), solver.advice());
		}
	}

	private static void verify(Authorization authorization, Challenge challenge, String action)
			throws AcmeException, InterruptedException {
		challenge.trigger();
		if (CaAnswers.await(authorization, Status.VALID) != Status.VALID) {
			challenge.fetch();
			throw new AcmeRefusedException(
					"The CA could not verify '%s': %s".formatted(authorization.getIdentifier().getValue(),
							CaAnswers.describe(challenge.getError().orElse(null))),
					action);
		}
	}

}
