// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of {@link IdleBuffers}.
 */
class IdleBuffersTests {

	private final IdleBuffers<String> idle = new IdleBuffers<>(1);

	@Test
	void whenThreadTakesThenItGetsItsOwnBufferBeforeOthers() {
		this.idle.giveBack("own");
		this.idle.giveBack("other");
		assertThat(this.idle.take()).isEqualTo("own");
		assertThat(this.idle.take()).isEqualTo("other");
		assertThat(this.idle.take()).isNull();
	}

	@Test
	void whenThereAreMoreThanTheLimitThenTheyAreLeftToTheGarbageCollector() {
		this.idle.giveBack("own");
		this.idle.giveBack("other");
		this.idle.giveBack("too many");
		assertThat(this.idle.take()).isNotNull();
		assertThat(this.idle.take()).isNotNull();
		assertThat(this.idle.take()).isNull();
	}

	@Test
	void whenOnlyOtherThreadsHaveGivenBuffersBackThenOneOfThemIsTaken() throws InterruptedException {
		for (int i = 0; i < 100; i++) {
			Thread other = new Thread(() -> this.idle.giveBack("other"));
			other.start();
			other.join();
			assertThat(this.idle.take()).isEqualTo("other");
			assertThat(this.idle.take()).isNull();
		}
	}

}
