// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.util.Random;

import io.github.tomcatopenssl.host.ForeignText;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.shredzone.acme4j.Login;
import org.shredzone.acme4j.RenewalInfo;
import org.shredzone.acme4j.Session;
import org.shredzone.acme4j.connector.Resource;
import org.shredzone.acme4j.exception.AcmeException;
import org.shredzone.acme4j.exception.AcmeProtocolException;

/**
 * When to renew a certificate, by the clock of the CA.
 *
 * @param at when to renew it
 * @param askAgain when to ask the CA again
 */
record RenewalTime(Instant at, Instant askAgain) {

	private static final Log logger = LogFactory.getLog(RenewalTime.class);

	/**
	 * Shortest time after which the CA may want to be asked again about the renewal. RFC
	 * 9773, 4.3.2 recommends limiting it.
	 */
	private static final Duration SHORTEST = Duration.ofMinutes(1);

	/**
	 * How long to keep a certificate at least, unless a third of its lifetime is less:
	 * Let's Encrypt issues five for the same names in a week. A CA that has to revoke a
	 * certificate suggests renewing it at once.
	 */
	private static final Duration KEPT = Duration.ofDays(2);

	/**
	 * Return when to renew a certificate: when the CA suggests it (ARI, RFC 9773), but
	 * not later than after five sixths of its lifetime; or else after two thirds of its
	 * lifetime. In any case not before the certificate has been kept for a while. The
	 * time differs between certificates, but is the same for all replicas.
	 * @param certificate the certificate
	 * @param session the session with the CA
	 * @param clock the clock of the CA
	 * @param longest how long not to ask the CA again
	 * @return the time
	 */
	static RenewalTime of(X509Certificate certificate, Session session, Clock clock, Duration longest) {
		Instant notBefore = certificate.getNotBefore().toInstant();
		Duration lifetime = Duration.between(notBefore, certificate.getNotAfter().toInstant());
		Duration third = lifetime.dividedBy(3);
		Instant earliest = notBefore.plus((third.compareTo(KEPT) < 0) ? third : KEPT);
		try {
			if (session.resourceUrlOptional(Resource.RENEWAL_INFO).isPresent()) {
				RenewalInfo info = anybody(session).bindRenewalInfo(certificate);
				Instant now = clock.instant();
				Instant askAgain = info.fetch()
					.filter((time) -> time.isAfter(now.plus(SHORTEST)))
					.orElse(now.plus(longest));
				Instant suggested = between(info.getSuggestedWindowStart(), info.getSuggestedWindowEnd(),
						random(certificate));
				// Whatever the CA says, there has to be time for another attempt
				Instant latest = notBefore.plus(lifetime.multipliedBy(5).dividedBy(6));
				Instant at = suggested.isBefore(latest) ? suggested : latest;
				return new RenewalTime(at.isBefore(earliest) ? earliest : at, askAgain);
			}
		}
		catch (AcmeException | AcmeProtocolException ex) {
			logger.debug("The CA does not say when to renew the certificate: " + ForeignText.of(ex));
		}
		return new RenewalTime(withoutSuggestion(certificate), clock.instant().plus(longest));
	}

	/**
	 * Return when to renew a certificate if the CA suggests nothing.
	 * @param certificate the certificate
	 * @return after about two thirds of its lifetime
	 */
	static Instant withoutSuggestion(X509Certificate certificate) {
		Instant notBefore = certificate.getNotBefore().toInstant();
		Duration lifetime = Duration.between(notBefore, certificate.getNotAfter().toInstant());
		Instant latest = notBefore.plus(lifetime.multipliedBy(2).dividedBy(3));
		return between(latest.minus(lifetime.dividedBy(30)), latest, random(certificate));
	}

	private static double random(X509Certificate certificate) {
		return new Random(certificate.getSerialNumber().hashCode()).nextDouble();
	}

	// Anyone may ask, with or without an account; nothing is signed
	private static Login anybody(Session session) throws AcmeException {
		KeyPair key = AcmeKeyType.EC.createKey();
		return session.login(session.resourceUrl(Resource.RENEWAL_INFO), key);
	}

	private static Instant between(Instant start, Instant end, double random) {
		return start.plusMillis((long) (random * Math.max(0, Duration.between(start, end).toMillis())));
	}

	/**
	 * Return when to look again.
	 * @return the earlier one of the two times
	 */
	Instant next() {
		return this.at.isBefore(this.askAgain) ? this.at : this.askAgain;
	}

}
