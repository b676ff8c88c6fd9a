// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

import io.github.tomcatopenssl.internal.host.ForeignText;
import org.jspecify.annotations.Nullable;
import org.shredzone.acme4j.PollableResource;
import org.shredzone.acme4j.Problem;
import org.shredzone.acme4j.Status;
import org.shredzone.acme4j.exception.AcmeException;

/**
 * Waits until a CA has made a decision. acme4j's own waiting trusts the clocks of the CA
 * and of this machine.
 */
final class CaAnswers {

	/**
	 * How long the CA may take for one step, such as verifying a domain.
	 */
	private static final Duration PATIENCE = Duration.ofMinutes(5);

	/**
	 * How long to wait before the CA is asked again about one step, unless it says so
	 * itself.
	 */
	private static final Duration PAUSE = Duration.ofSeconds(3);

	private static final Duration SHORTEST_PAUSE = Duration.ofSeconds(1);

	private static final Duration LONGEST_PAUSE = Duration.ofSeconds(30);

	private CaAnswers() {
	}

	/**
	 * Wait for the decision about an order or a domain.
	 * @param resource the order or the domain
	 * @param wanted what the decision may be, besides invalid
	 * @return the decision
	 * @throws AcmeException if the CA does not answer as it should
	 * @throws InterruptedException if the application stops
	 */
	static Status await(PollableResource resource, Status... wanted) throws AcmeException, InterruptedException {
		Set<Status> ends = EnumSet.of(Status.INVALID, wanted);
		long begin = System.nanoTime();
		Optional<Instant> again = resource.fetch();
		while (!ends.contains(resource.getStatus())) {
			if (System.nanoTime() - begin > PATIENCE.toNanos()) {
				throw new AcmeException("it has made no decision within %d minutes".formatted(PATIENCE.toMinutes()));
			}
			Thread.sleep(pause(again, Instant.now()));
			again = resource.fetch();
		}
		return resource.getStatus();
	}

	/**
	 * Return the time to wait before the CA is asked again.
	 * @param again when the CA wants to be asked
	 * @param now the time of this machine
	 * @return the milliseconds
	 */
	static long pause(Optional<Instant> again, Instant now) {
		Duration asked = again.map((time) -> Duration.between(now, time)).orElse(PAUSE);
		return Math.max(SHORTEST_PAUSE.toMillis(), Math.min(asked.toMillis(), LONGEST_PAUSE.toMillis()));
	}

	static String describe(@Nullable Problem problem) {
		return (problem != null) ? ForeignText.message(problem.toString()) : "it gives no reason";
	}

}
