// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl;

import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * OpenSSL cannot serve TLS. Says why, and what to do about it.
 */
public class OpenSslUnavailableException extends RuntimeException {

	private final String reason;

	private final String action;

	/**
	 * Create a new exception.
	 * @param reason why OpenSSL cannot serve TLS, as a clause of a sentence
	 * @param action what to do about it, a sentence without its full stop, which may name
	 * a {@link TlsSetting} in braces
	 * @param cause the error behind it, if there is one
	 */
	public OpenSslUnavailableException(String reason, String action, @Nullable Throwable cause) {
		super(reason, cause);
		this.reason = reason;
		this.action = action;
	}

	/**
	 * Return why OpenSSL cannot serve TLS.
	 * @return a clause of a sentence
	 */
	public String getReason() {
		return this.reason;
	}

	/**
	 * Return what to do about it.
	 * @param names the names of the settings
	 * @return a sentence without its full stop
	 */
	public String getAction(Function<TlsSetting, String> names) {
		return TlsSetting.name(this.action, names);
	}

}
