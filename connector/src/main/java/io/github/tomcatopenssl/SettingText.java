// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl;

import java.util.Arrays;
import java.util.function.Function;

import org.jspecify.annotations.Nullable;

/**
 * A text that names settings. Only the code that configures the connector knows the
 * user's names for them.
 */
public final class SettingText {

	private final String format;

	private final @Nullable Object[] arguments;

	/**
	 * Create a new text.
	 * @param format the format, as in {@link String#format}, which contains no value of a
	 * user's
	 * @param arguments the arguments; a {@link SettingName} becomes the user's name of
	 * the setting in quotes, so that its place in the format is {@code %s}, as is that of
	 * another text
	 */
	public SettingText(String format, @Nullable Object... arguments) {
		this.format = format;
		this.arguments = arguments;
	}

	/**
	 * Return the text with the names that users know.
	 * @param names returns the user's name of a setting
	 * @return the text
	 */
	public String with(Function<SettingName, String> names) {
		return this.format
			.formatted(Arrays.stream(this.arguments).map((argument) -> nameIn(argument, names)).toArray());
	}

	private static @Nullable Object nameIn(@Nullable Object argument, Function<SettingName, String> names) {
		return (argument instanceof SettingName setting) ? "'" + names.apply(setting) + "'"
				: (argument instanceof SettingText text) ? text.with(names) : argument;
	}

	/**
	 * Return the text with the connector's own names.
	 */
	@Override
	public String toString() {
		return with(SettingName::toString);
	}

}
