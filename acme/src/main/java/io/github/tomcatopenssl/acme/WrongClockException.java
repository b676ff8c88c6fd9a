// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.time.Instant;

/**
 * The clock of this machine is so far behind that the server could not use a new
 * certificate. The message is complete.
 */
final class WrongClockException extends RuntimeException {

	WrongClockException(Instant machine, Instant ca) {
		super("The clock of this machine shows %s, but the clock of the CA shows %s: a new certificate would not be valid yet on this machine, and is not requested. Correct the clock of this machine"
			.formatted(machine, ca));
	}

}
