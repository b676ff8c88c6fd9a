// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.store;

import java.io.IOException;

import org.jspecify.annotations.Nullable;

/**
 * A {@link SharedStore} in a database cannot be used.
 */
public final class StoreException extends IOException {

	private final String action;

	StoreException(String reason, String action, @Nullable Throwable cause) {
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
