// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.pem;

import java.util.regex.Pattern;

/**
 * A file in a command that a message advises.
 */
public final class ShellWord {

	private static final Pattern PLAIN = Pattern.compile("[\\p{L}\\p{N}_@%+=:,./-]+");

	// Those that keep their meaning between double quotes (POSIX, 2.2.3)
	private static final Pattern SPECIAL = Pattern.compile("[\"$`\\\\]");

	private ShellWord() {
	}

	/**
	 * Return a file as a user can paste it into a command.
	 * @param file the file
	 * @return the file, in double quotes if it contains a space or another character that
	 * a shell does not take as it is
	 */
	public static String of(String file) {
		return PLAIN.matcher(file).matches() ? file : '"' + SPECIAL.matcher(file).replaceAll("\\\\$0") + '"';
	}

}
