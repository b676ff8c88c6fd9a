// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.IOException;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;

/**
 * How many certificates are ordered from a CA, whatever their domains are. All replicas
 * that share the folder share the limits. An order of which the CA says that there were
 * too many makes the others wait, renewals apart: minutes at first, because the limit may
 * be that of its domains, and hours if the CA says so again.
 */
final class AcmeLimits {

	/**
	 * For how long orders can be saved up. Let's Encrypt's limit is for this time.
	 */
	private static final Duration BURST = Duration.ofHours(3);

	/**
	 * How much of that is left for renewals and names that a client waits for.
	 */
	private static final int RESERVED = 10;

	/**
	 * How often a pause is doubled at most.
	 */
	private static final int MOST_DOUBLED = 16;

	private final AcmeStore store;

	private final Duration interval;

	private final Clock clock;

	private final AcmeSchedule schedule;

	/**
	 * Create a new instance.
	 * @param store the folder
	 * @param ordersPerHour how many orders an hour there are on average, at most
	 * @param clock the clock of the CA
	 * @param schedule how long to wait
	 */
	AcmeLimits(AcmeStore store, int ordersPerHour, Clock clock, AcmeSchedule schedule) {
		this.store = store;
		this.interval = Duration.ofHours(1).dividedBy(ordersPerHour);
		this.clock = clock;
		this.schedule = schedule;
	}

	/**
	 * Return when an order for a certificate that is not there yet can be made.
	 * @param clientWaits whether a client waits for the certificate
	 * @return the time, which may have passed
	 * @throws IOException if the folder cannot be read
	 */
	Instant next(boolean clientWaits) throws IOException {
		AcmeStore.Limits limits = limits();
		Instant next = next(limits, clientWaits ? BURST : BURST.minus(BURST.dividedBy(RESERVED)));
		return limits.until().isAfter(next) ? limits.until() : next;
	}

	/**
	 * Return when an order that renews a certificate can be made. It does not wait
	 * because the CA has refused another one, of which there could be any number.
	 * @return the time, which may have passed
	 * @throws IOException if the folder cannot be read
	 */
	Instant nextRenewal() throws IOException {
		return next(limits(), BURST);
	}

	private Instant next(AcmeStore.Limits limits, Duration saved) {
		return limits.counted().plus(this.interval).minus(saved);
	}

	/**
	 * Count an order if it can be made now. Nobody else counts one in the meantime.
	 * @param next returns when it can be made, such as {@link #nextRenewal}
	 * @return when it can be made; if that is later, it was not counted
	 * @throws IOException if the folder cannot be written to
	 */
	Instant order(AcmeStore.Work<Instant> next) throws IOException {
		return this.store.exclusively(() -> {
			Instant allowed = next.run();
			Instant now = this.clock.instant();
			if (!allowed.isAfter(now)) {
				AcmeStore.Limits limits = limits();
				Instant from = limits.counted().isAfter(now) ? limits.counted() : now;
				this.store.write(new AcmeStore.Limits(from.plus(this.interval), limits.until(), limits.refusals()));
			}
			return allowed;
		});
	}

	/**
	 * Wait because the CA has refused an order.
	 * @param allowed when the CA allows the next one for the same domains
	 * @throws IOException if the folder cannot be written to
	 */
	void refused(Instant allowed) throws IOException {
		update((limits, now) -> {
			Duration doubled = this.schedule.firstDelay().multipliedBy(1L << Math.min(limits.refusals(), MOST_DOUBLED));
			Duration longest = this.schedule.longestDelay();
			Instant until = now.plus((doubled.compareTo(longest) < 0) ? doubled : longest);
			until = until.isBefore(allowed) ? until : allowed;
			return new AcmeStore.Limits(limits.counted(), until, limits.refusals() + 1);
		});
	}

	/**
	 * Forget the refusals, because an order has succeeded.
	 * @throws IOException if the folder cannot be written to
	 */
	void succeeded() throws IOException {
		if (limits().refusals() > 0) {
			update((limits, now) -> new AcmeStore.Limits(limits.counted(), now, 0));
		}
	}

	// Times that are too far ahead come from a clock that was wrong
	private AcmeStore.Limits limits() throws IOException {
		AcmeStore.Limits limits = this.store.limits();
		Instant now = this.clock.instant();
		boolean plausible = limits.refusals() >= 0 && !limits.counted().isAfter(now.plus(BURST.multipliedBy(2)))
				&& !limits.until().isAfter(now.plus(AcmeStore.LONGEST_LIMIT));
		return plausible ? limits : AcmeStore.Limits.NONE;
	}

	private void update(Change change) throws IOException {
		this.store.exclusively(() -> {
			AcmeStore.Limits limits = change.apply(limits(), this.clock.instant());
			this.store.write(limits);
			return limits;
		});
	}

	private interface Change {

		AcmeStore.Limits apply(AcmeStore.Limits limits, Instant now);

	}

}
