// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test;

/**
 * Tomcat's home. Tomcat takes it from a system property that the first server of a JVM
 * sets to its own folder, and makes the folder again when it is deleted.
 */
public final class CatalinaHome {

	private CatalinaHome() {
	}

	/**
	 * Forget the folder of a server that may have ended. Called before another starts.
	 */
	public static void forget() {
		System.clearProperty("catalina.home");
	}

}
