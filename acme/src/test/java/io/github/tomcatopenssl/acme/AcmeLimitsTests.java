// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link AcmeLimits}.
 */
class AcmeLimitsTests {

	private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

	private static final URI CA = URI.create("https://ca.example.com/directory");

	@TempDir
	private Path folder;

	private Instant now = START;

	private AcmeLimits limits;

	@BeforeEach
	void createFolder() throws IOException {
		store().create();
		this.limits = limits();
	}

	@Test
	void whenOrdersOfThreeHoursAreMadeThenTheNextOnesWait() throws IOException {
		for (int i = 0; i < 270; i++) {
			assertThat(this.limits.order(() -> this.limits.next(false))).isBeforeOrEqualTo(this.now);
		}
		assertThat(this.limits.order(() -> this.limits.next(false))).isEqualTo(START.plusSeconds(36));
		assertThat(this.limits.next(false)).isEqualTo(START.plusSeconds(36));
		for (int i = 0; i < 30; i++) {
			assertThat(this.limits.next(true)).isBeforeOrEqualTo(this.now);
			assertThat(limits().order(this.limits::nextRenewal)).isBeforeOrEqualTo(this.now);
		}
		assertThat(limits().nextRenewal()).isEqualTo(START.plusSeconds(36));
		assertThat(limits().next(true)).isEqualTo(START.plusSeconds(36));
		this.now = START.plusSeconds(36);
		assertThat(this.limits.next(true)).isBeforeOrEqualTo(this.now);
		this.now = START.plus(Duration.ofHours(4));
		assertThat(this.limits.next(false)).isBeforeOrEqualTo(this.now);
	}

	@Test
	void whenReplicasOrderAtTheSameTimeThenTheLimitHolds() throws Exception {
		Instant counted = START.plus(Duration.ofHours(3)).minusSeconds(2 * 36);
		store().write(new AcmeStore.Limits(counted, START, 0));
		ExecutorService threads = Executors.newFixedThreadPool(4);
		try {
			List<Callable<Instant>> orders = Collections.nCopies(4, () -> {
				AcmeLimits limits = limits();
				return limits.order(() -> limits.next(true));
			});
			List<Instant> allowed = new ArrayList<>();
			for (Future<Instant> order : threads.invokeAll(orders)) {
				allowed.add(order.get());
			}
			assertThat(allowed).filteredOn((time) -> !time.isAfter(START)).hasSize(2);
		}
		finally {
			threads.shutdownNow();
		}
	}

	@Test
	void whenCaRefusesOrdersThenTheOthersWaitLongerEachTimeUntilOneSucceeds() throws IOException {
		Instant allowed = START.plus(Duration.ofDays(7));
		this.limits.refused(allowed);
		assertThat(limits().next(true)).isEqualTo(START.plus(Duration.ofMinutes(2)));
		limits().refused(allowed);
		assertThat(this.limits.next(false)).isEqualTo(START.plus(Duration.ofMinutes(4)));
		for (int i = 0; i < 30; i++) {
			this.limits.refused(allowed);
		}
		assertThat(this.limits.next(false)).isEqualTo(START.plus(Duration.ofHours(6)));
		assertThat(this.limits.nextRenewal()).isBeforeOrEqualTo(this.now);
		this.limits.succeeded();
		assertThat(this.limits.next(false)).isBeforeOrEqualTo(this.now);
		this.limits.refused(START.plusSeconds(1));
		assertThat(this.limits.next(false)).isEqualTo(START.plusSeconds(1));
	}

	@Test
	void whenClockWasWrongThenNobodyWaits() throws IOException {
		this.now = START.plus(Duration.ofDays(300));
		this.limits.order(this.limits::nextRenewal);
		this.limits.refused(this.now.plus(Duration.ofDays(1)));
		this.now = START;
		assertThat(this.limits.next(false)).isBeforeOrEqualTo(this.now);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "x", "2026-01-01T00:00:00Z", "2026-01-01T00:00:00Z 2026-01-01T00:00:00Z -70" })
	void whenFileIsDamagedThenItCountsAsNone(String content) throws IOException {
		this.limits.order(this.limits::nextRenewal);
		Path file;
		try (Stream<Path> files = Files.walk(this.folder)) {
			file = files.filter((any) -> any.endsWith("limits")).findFirst().orElseThrow();
		}
		Files.writeString(file, content);
		assertThat(this.limits.next(false)).isBeforeOrEqualTo(this.now);
		this.limits.refused(this.now.plusSeconds(1));
		assertThat(this.limits.next(false)).isEqualTo(this.now.plusSeconds(1));
	}

	private AcmeStore store() {
		return new AcmeStore(this.folder, CA, List.of("localhost"));
	}

	// As another replica does
	private AcmeLimits limits() {
		return new AcmeLimits(store(), 100, new Clock() {

			@Override
			public Instant instant() {
				return AcmeLimitsTests.this.now;
			}

			@Override
			public ZoneId getZone() {
				return ZoneId.of("UTC");
			}

			@Override
			public Clock withZone(ZoneId zone) {
				return this;
			}

		}, AcmeSchedule.DEFAULT);
	}

}
