// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.security.KeyPair;
import java.security.cert.X509Certificate;
import java.time.Clock;
import java.time.DateTimeException;
import java.time.Duration;
import java.time.Instant;
import java.util.Random;

import io.github.tomcatopenssl.internal.host.ForeignText;
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
	 * not later than after five sixths of the time for which it can be in use; or else
	 * after two thirds of it. In any case not before the certificate has been kept for a
	 * while, whatever its dates are. The time differs between certificates, but is the
	 * same for all replicas.
	 * @param certificate the certificate
	 * @param session the session with the CA
	 * @param clock the clock of the CA
	 * @param schedule how long to wait after an order, and not to ask the CA again
	 * @return the time
	 */
	static RenewalTime of(AcmeCertificate certificate, Session session, Clock clock, AcmeSchedule schedule) {
		Instant begin = certificate.begin();
		Duration third = Duration.between(begin, certificate.expiry()).dividedBy(3);
		Instant earliest = later(begin.plus((third.compareTo(KEPT) < 0) ? third : KEPT), schedule.nextOrder(begin, 0));
		try {
			if (session.resourceUrlOptional(Resource.RENEWAL_INFO).isPresent()) {
				RenewalInfo info = anybody(session).bindRenewalInfo(certificate.leaf());
				Instant now = clock.instant();
				Instant askAgain = info.fetch()
					.filter((time) -> time.isAfter(now.plus(SHORTEST)))
					.orElse(now.plus(schedule.longestDelay()));
				Instant suggested = between(info.getSuggestedWindowStart(), info.getSuggestedWindowEnd(),
						random(certificate.leaf()));
				// Whatever the CA says, there has to be time for another attempt
				Instant latest = certificate.expiry().minus(third.dividedBy(2));
				return new RenewalTime(later(suggested.isBefore(latest) ? suggested : latest, earliest), askAgain);
			}
		}
		catch (AcmeException | AcmeProtocolException | DateTimeException ex) {
			// acme4j does not check whether the parts of a time can be right
			logger.debug("The CA does not say when to renew the certificate: " + ForeignText.of(ex));
		}
		return new RenewalTime(later(withoutSuggestion(certificate), earliest),
				clock.instant().plus(schedule.longestDelay()));
	}

	private static Instant later(Instant one, Instant other) {
		return one.isBefore(other) ? other : one;
	}

	/**
	 * Return when to renew a certificate if the CA suggests nothing.
	 * @param certificate the certificate
	 * @return after about two thirds of the time for which it can be in use
	 */
	static Instant withoutSuggestion(AcmeCertificate certificate) {
		return withoutSuggestion(certificate.leaf(), certificate.begin());
	}

	/**
	 * Return when to renew a certificate that counts from another time.
	 * @param certificate the certificate
	 * @param begin the time
	 * @return after about two thirds of what is left then
	 */
	static Instant withoutSuggestion(X509Certificate certificate, Instant begin) {
		Duration lifetime = Duration.between(begin, certificate.getNotAfter().toInstant());
		Instant latest = begin.plus(lifetime.multipliedBy(2).dividedBy(3));
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
	 * Return this time, or a later one.
	 * @param earliest the earliest time to renew the certificate
	 * @return the times
	 */
	RenewalTime notBefore(Instant earliest) {
		return new RenewalTime(later(this.at, earliest), this.askAgain);
	}

	/**
	 * Return when to look again.
	 * @return the earlier one of the two times
	 */
	Instant next() {
		return this.at.isBefore(this.askAgain) ? this.at : this.askAgain;
	}

}
