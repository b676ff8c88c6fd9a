// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.event;

/**
 * The module of Flight Recorder. A Java runtime made by {@code jlink} can be without it.
 * Classes that extend {@code jdk.jfr.Event} are used only if it is present.
 */
public final class FlightRecorderModule {

	private static final boolean PRESENT = ModuleLayer.boot().findModule("jdk.jfr").isPresent();

	private FlightRecorderModule() {
	}

	/**
	 * Return whether the module is present.
	 * @return whether there can be events
	 */
	public static boolean isPresent() {
		return PRESENT;
	}

}
