// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import io.github.tomcatopenssl.internal.event.FlightRecorderUse;
import org.jspecify.annotations.Nullable;

/**
 * Records the handshakes of a connector for Flight Recorder.
 */
final class HandshakeRecorder {

	/**
	 * Maximum number of events of each kind in a second. One takes about 100 bytes, and
	 * at most 1 KB.
	 */
	static final int MOST = 100;

	private final EventLimit completed = new EventLimit(MOST);

	private final EventLimit failed = new EventLimit(MOST);

	/**
	 * Begin with a handshake.
	 * @return its recording, or {@code null} if it is not recorded
	 */
	@Nullable HandshakeRecording begin() {
		try {
			return FlightRecorderUse.hasBegun() ? HandshakeRecording.begin(this.completed, this.failed) : null;
		}
		catch (LinkageError ex) {
			// Memory was exhausted when the first recorded handshake loaded the classes
			return null;
		}
	}

}
