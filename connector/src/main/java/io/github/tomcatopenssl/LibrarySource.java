// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl;

/**
 * Where Tomcat Native comes from.
 */
public enum LibrarySource {

	/**
	 * The library path first, then the bundled library.
	 */
	AUTO,

	/**
	 * The library path alone: {@code catalina.home/bin}, where {@code catalina.home} is
	 * set, and {@code java.library.path}.
	 */
	SYSTEM,

	/**
	 * The library that comes as a dependency, alone.
	 */
	BUNDLED

}
