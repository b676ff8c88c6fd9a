// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.store;

import java.io.IOException;

import org.jspecify.annotations.Nullable;

/**
 * A {@link SharedStore} cannot be used, or an entry of it.
 */
public final class StoreException extends IOException {

	private final String action;

	/**
	 * Create a new instance.
	 * @param reason the reason, as a clause about the store or the entry
	 * @param action the remedy, as a sentence without its full stop
	 * @param cause the cause, or {@code null}
	 */
	public StoreException(String reason, String action, @Nullable Throwable cause) {
		super(reason, cause);
		this.action = action;
	}

	/**
	 * Return the remedy.
	 * @return a sentence without its full stop
	 */
	public String action() {
		return this.action;
	}

}
