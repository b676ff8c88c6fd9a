// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.util.Locale;

import org.jspecify.annotations.Nullable;

/**
 * Makes what strangers have written safe to show in a log line, a message or a tag, such
 * as the names in a certificate. Only printable characters of ASCII stay, all others
 * become <code>&#92;uXXXX</code>, and the length is limited. Text that is safe already
 * stays as it is.
 */
public final class ForeignText {

	/**
	 * Maximum length of a text, in characters.
	 */
	private static final int MOST_CHARACTERS = 200;

	/**
	 * Maximum length of a message, in characters.
	 */
	private static final int MOST_OF_MESSAGE = 1000;

	/**
	 * Maximum number of exceptions that a failure is described by.
	 */
	private static final int MOST_CAUSES = 10;

	private ForeignText() {
	}

	/**
	 * Return a text that can be put in single quotes.
	 * @param text what a stranger has written
	 * @return the text without unsafe characters and single quotes, and of at most some
	 * 200 characters
	 */
	public static String of(@Nullable String text) {
		return safe(String.valueOf(text), MOST_CHARACTERS, true);
	}

	/**
	 * Return a message in the words of a stranger.
	 * @param message what a stranger has written
	 * @return the message without unsafe characters, and of at most some 1,000 characters
	 */
	public static String message(@Nullable String message) {
		return safe(String.valueOf(message), MOST_OF_MESSAGE, false);
	}

	/**
	 * Describe a failure that a stranger has caused: its message can contain what the
	 * stranger has sent, and the exception itself whatever was searched through.
	 * @param failure the failure
	 * @return its message and those of its causes, in at most about 1,000 characters
	 */
	public static String of(Throwable failure) {
		StringBuilder described = new StringBuilder();
		Throwable cause = failure;
		for (int i = 0; cause != null && i < MOST_CAUSES; i++) {
			String type = cause.getClass().getSimpleName();
			String message = (cause.getMessage() != null) ? message(cause.getMessage()) : "";
			// Many exceptions repeat the message of their cause
			boolean repeated = described.indexOf(message) != -1;
			if (!repeated || described.indexOf(type) == -1) {
				described.append(described.isEmpty() ? "" : "; caused by ")
					.append(type)
					.append(repeated ? "" : ": " + message);
			}
			cause = cause.getCause();
		}
		return message(described.toString());
	}

	private static String safe(String text, int most, boolean quoted) {
		StringBuilder safe = new StringBuilder();
		for (int i = 0; i < text.length(); i++) {
			char character = text.charAt(i);
			boolean printable = character >= ' ' && character <= '~' && !(quoted && character == '\'');
			String shown = printable ? String.valueOf(character)
					: String.format(Locale.ROOT, "\\u%04X", (int) character);
			if (safe.length() + shown.length() > most) {
				return safe.append("...").toString();
			}
			safe.append(shown);
		}
		return safe.toString();
	}

}
