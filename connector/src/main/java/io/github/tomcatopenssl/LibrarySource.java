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
	 * Only the library path: {@code catalina.home/bin} if {@code catalina.home} is set,
	 * and {@code java.library.path}.
	 */
	SYSTEM,

	/**
	 * Only the bundled library, which comes as a dependency.
	 */
	BUNDLED

}
