// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.certificate;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import org.jspecify.annotations.Nullable;

/**
 * The user that runs the application.
 */
public final class SystemUser {

	private SystemUser() {
	}

	/**
	 * Return the name of the user, for messages.
	 * @return the name; the number of a user without one, as in many containers; or
	 * {@code unknown}
	 */
	public static String name() {
		return name(System.getProperty("user.name"), Path.of("/proc/self"));
	}

	static String name(@Nullable String name, Path self) {
		if (name != null && !name.equals("?")) {
			return name;
		}
		try {
			return String.valueOf(Files.getAttribute(self, "unix:uid"));
		}
		catch (IOException | UnsupportedOperationException | IllegalArgumentException ex) {
			return "unknown";
		}
	}

}
