// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link SharedTicketKey}.
 */
class SharedTicketKeyTests {

	private final SharedTicketKey key = new SharedTicketKey(SessionTicketKey.of(new byte[48]));

	private final SessionTicketKey replacement = SessionTicketKey.of(new byte[80]);

	@Test
	void whenKeyIsReplacedThenEveryUserIsToldOfTheOneInUse() {
		Instant before = this.key.since();
		List<SessionTicketKey> told = new ArrayList<>();
		Consumer<SessionTicketKey> removed = (replaced) -> told.add(null);
		for (int i = 0; i < 2; i++) {
			this.key.addUser((replaced) -> {
				assertThat(this.key.get()).isSameAs(replaced);
				told.add(replaced);
			});
		}
		this.key.addUser(removed);
		this.key.removeUser(removed);
		this.key.replace(this.replacement);
		assertThat(told).containsExactly(this.replacement, this.replacement);
		assertThat(this.key.get()).isSameAs(this.replacement);
		assertThat(this.key.since()).isAfterOrEqualTo(before);
	}

	@Test
	@Timeout(60)
	void whenSomethingIsDoneExclusivelyThenReplacementComesBeforeOrAfter() throws Exception {
		Thread replacing = new Thread(() -> this.key.replace(this.replacement));
		SessionTicketKey old = this.key.get();
		this.key.exclusively(() -> {
			replacing.start();
			while (replacing.getState() != Thread.State.BLOCKED) {
				assertThat(replacing.getState()).isNotEqualTo(Thread.State.TERMINATED);
				Thread.onSpinWait();
			}
			assertThat(this.key.get()).isSameAs(old);
		});
		replacing.join();
		assertThat(this.key.get()).isSameAs(this.replacement);
	}

}
