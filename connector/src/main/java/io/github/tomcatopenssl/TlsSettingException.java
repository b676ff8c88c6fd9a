// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl;

import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * Thrown if a setting of a connector cannot be enforced. Its texts name settings in
 * braces, because only the code that configures the connector knows what the user calls
 * them. Never contains a password or key material.
 */
public class TlsSettingException extends RuntimeException {

	private final SettingName setting;

	private final String reason;

	private final String action;

	/**
	 * Create a new instance.
	 * @param setting the setting
	 * @param reason what is wrong, as a clause of a sentence
	 * @param action what to do about it, as a sentence without its full stop
	 * @param cause the underlying error, if there is one
	 */
	public TlsSettingException(SettingName setting, String reason, String action, @Nullable Throwable cause) {
		super(SettingName.name("{%s}: %s".formatted(setting.name(), reason), SettingName::toString), cause);
		this.setting = setting;
		this.reason = reason;
		this.action = action;
	}

	/**
	 * Return the setting.
	 * @return the setting
	 */
	public SettingName getSetting() {
		return this.setting;
	}

	/**
	 * Return what is wrong.
	 * @param names returns the user's name of a setting
	 * @return a clause of a sentence
	 */
	public String getReason(Function<SettingName, String> names) {
		return SettingName.name(this.reason, names);
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
