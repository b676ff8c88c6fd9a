// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.time.Instant;

import org.jspecify.annotations.Nullable;
import org.shredzone.acme4j.exception.AcmeProtocolException;

/**
 * An address of the CA cannot be used, or its answer is not one of ACME, such as the page
 * of a proxy. The message names the address, and is complete.
 */
final class CaException extends AcmeProtocolException {

	private static final int NOT_FOUND = 404;

	private static final int GONE = 410;

	static final int TOO_MANY_REQUESTS = 429;

	private final int status;

	private final transient @Nullable Instant askAgain;

	/**
	 * Create a new exception for an address that cannot be used.
	 * @param message the reason and the remedy
	 * @param cause the underlying error, or {@code null}
	 */
	CaException(String message, @Nullable Throwable cause) {
		super(message, cause);
		this.status = 0;
		this.askAgain = null;
	}

	/**
	 * Create a new exception for an answer.
	 * @param message the reason
	 * @param status the HTTP status
	 * @param askAgain the time at which the CA wants to be asked again, or {@code null}
	 * if it names none
	 */
	CaException(String message, int status, @Nullable Instant askAgain) {
		super(message);
		this.status = status;
		this.askAgain = askAgain;
	}

	boolean isLimit() {
		return this.status == TOO_MANY_REQUESTS || this.askAgain != null;
	}

	boolean isGone() {
		return this.status == NOT_FOUND || this.status == GONE;
	}

	/**
	 * Return the time at which the CA wants to be asked again.
	 * @return the time by the clock of the CA, or {@code null} if it names none
	 */
	@Nullable Instant askAgain() {
		return this.askAgain;
	}

}
