// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl;

import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if OpenSSL cannot serve TLS. Contains the reason and the remedy.
 */
public class OpenSslUnavailableException extends RuntimeException {

	private final String reason;

	private final String action;

	/**
	 * Create a new exception.
	 * @param reason why OpenSSL cannot serve TLS, as a clause of a sentence
	 * @param action what to do about it, as a sentence without its full stop, which may
	 * name a {@link SettingName} in braces
	 * @param cause the underlying error, if there is one
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
	 * @param names returns the user's name of a setting
	 * @return a sentence without its full stop
	 */
	public String getAction(Function<SettingName, String> names) {
		return SettingName.name(this.action, names);
	}

}
