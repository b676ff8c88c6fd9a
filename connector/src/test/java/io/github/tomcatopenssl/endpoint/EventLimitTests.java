// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link EventLimit}.
 */
class EventLimitTests {

	private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

	private final EventLimit limit = new EventLimit(2);

	@Test
	void whenThereAreTooManyInASecondThenTheNextOneSaysHowManyWereOmitted() {
		long now = Long.MAX_VALUE - SECOND / 2;
		assertThat(this.limit.hasRoom(now)).isTrue();
		assertThat(this.limit.count(now)).isZero();
		assertThat(this.limit.count(now + 1)).isZero();
		assertThat(this.limit.count(now + 2)).isEqualTo(EventLimit.OMITTED);
		assertThat(this.limit.count(now + SECOND - 1)).isEqualTo(EventLimit.OMITTED);
		assertThat(this.limit.hasRoom(now + SECOND - 1)).isFalse();
		assertThat(this.limit.hasRoom(now + SECOND)).isTrue();
		assertThat(this.limit.count(now + SECOND)).isEqualTo(2);
		assertThat(this.limit.count(now + SECOND)).isZero();
		assertThat(this.limit.count(now + SECOND)).isEqualTo(EventLimit.OMITTED);
		assertThat(this.limit.count(now + 5 * SECOND)).isOne();
	}

}
