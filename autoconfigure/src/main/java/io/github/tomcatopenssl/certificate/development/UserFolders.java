// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.certificate.development;

import java.nio.file.Path;
import java.util.Locale;

import org.springframework.core.env.Environment;
import org.springframework.util.StringUtils;

/**
 * Folders of the user that runs the application. Environment variables and system
 * properties are read from the {@link Environment}.
 *
 * @param environment the environment
 */
public record UserFolders(Environment environment) {

	/**
	 * Return the folder for files that can be created again: {@code XDG_CACHE_HOME} (XDG
	 * Base Directory Specification) if it is set, or the folder that the operating system
	 * provides.
	 * @return the folder; its path is not absolute if the user has no home folder
	 */
	Path cache() {
		return folder("XDG_CACHE_HOME", "Library/Caches", ".cache");
	}

	/**
	 * Return the folder in which the {@code mkcert} command keeps its CA, by the rules of
	 * that command.
	 * @return the folder
	 */
	Path mkcert() {
		String folder = this.environment.getProperty("CAROOT");
		return StringUtils.hasText(folder) ? Path.of(folder) : data().resolve("mkcert");
	}

	/**
	 * Return the folder for files that must not be lost: {@code XDG_DATA_HOME} if it is
	 * set, or the folder that the operating system provides.
	 * @return the folder; its path is not absolute if the user has no home folder
	 */
	public Path data() {
		return folder("XDG_DATA_HOME", "Library/Application Support", ".local/share");
	}

	private Path folder(String variable, String mac, String other) {
		String system = this.environment.getProperty("os.name", "").toLowerCase(Locale.ROOT);
		String folder = this.environment.getProperty(system.startsWith("windows") ? "LOCALAPPDATA" : variable);
		if (StringUtils.hasText(folder) && Path.of(folder).isAbsolute()) {
			return Path.of(folder);
		}
		String home = this.environment.getProperty("HOME");
		return Path.of(StringUtils.hasText(home) ? home : this.environment.getProperty("user.home", ""))
			.resolve(system.startsWith("mac") ? mac : other);
	}

}
