// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

/**
 * Characters that a reader does not see, such as those that come with a text that was
 * copied.
 */
public final class InvisibleText {

	private InvisibleText() {
	}

	/**
	 * Return whether a reader does not see a character.
	 * @param character the code point
	 * @return whether it is white space, or has no shape
	 */
	public static boolean contains(int character) {
		return Character.isWhitespace(character) || Character.isSpaceChar(character)
				|| Character.isISOControl(character) || Character.getType(character) == Character.FORMAT;
	}

	/**
	 * Return the end of a text that has a character that a reader does not see.
	 * @param text the text
	 * @return {@code begins} or {@code ends}, or an empty text if it does neither
	 */
	static String place(String text) {
		if (text.isEmpty()) {
			return "";
		}
		return contains(text.codePointBefore(text.length())) ? "ends" : contains(text.codePointAt(0)) ? "begins" : "";
	}

}
