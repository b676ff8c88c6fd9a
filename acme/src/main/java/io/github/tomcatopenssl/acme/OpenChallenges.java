// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.io.IOException;
import java.time.Duration;
import java.util.Map;

import org.jspecify.annotations.Nullable;

/**
 * The open challenges as they were less than a second ago. Strangers can ask for names as
 * often as they want, and the database is asked once a second.
 */
final class OpenChallenges {

	static final Duration VALIDITY = Duration.ofSeconds(1);

	private final AcmeStore.Work<Map<String, String>> source;

	private Map<String, String> contents = Map.of();

	private long time = System.nanoTime() - VALIDITY.toNanos();

	/**
	 * Create a new instance.
	 * @param source reads all open challenges, by their names
	 */
	OpenChallenges(AcmeStore.Work<Map<String, String>> source) {
		this.source = source;
	}

	/**
	 * Find a challenge.
	 * @param name the name
	 * @return its content, or {@code null} if it is not open
	 * @throws IOException if the challenges cannot be read
	 */
	synchronized @Nullable String find(String name) throws IOException {
		long now = System.nanoTime();
		if (now - this.time >= VALIDITY.toNanos()) {
			this.time = now;
			this.contents = Map.of();
			this.contents = this.source.run();
		}
		return this.contents.get(name);
	}

}
