// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

import io.github.tomcatopenssl.internal.event.FlightRecorderUse;
import org.jspecify.annotations.Nullable;

/**
 * Records one reload for Flight Recorder.
 */
final class ReloadRecording {

	static final String REPLACED = "replaced";

	static final String ADDED = "added";

	static final String REMOVED = "removed";

	static final String REFUSED = "refused";

	private final @Nullable ReloadEvent event = FlightRecorderUse.hasBegun() ? new ReloadEvent() : null;

	/**
	 * Begin to record.
	 */
	ReloadRecording() {
		if (this.event != null) {
			this.event.begin();
		}
	}

	/**
	 * Record the end of the reload.
	 * @param name the name of the files
	 * @param outcome what has become of them
	 * @param problem why they were refused, or {@code null}
	 */
	void end(String name, String outcome, @Nullable String problem) {
		if (this.event != null) {
			this.event.name = name;
			this.event.outcome = outcome;
			this.event.problem = problem;
			this.event.commit();
		}
	}

}
