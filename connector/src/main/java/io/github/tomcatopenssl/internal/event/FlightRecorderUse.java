// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.event;

import jdk.jfr.FlightRecorder;

/**
 * The use of Flight Recorder in this JVM. Classes that extend {@code jdk.jfr.Event} are
 * loaded only if it is in use: without a recording, the first of them takes some tenths
 * of a second. A Java runtime made by {@code jlink} can be without the module.
 */
public final class FlightRecorderUse {

	private static final boolean PRESENT = ModuleLayer.boot().findModule("jdk.jfr").isPresent();

	private FlightRecorderUse() {
	}

	/**
	 * Return whether there has been a recording in this JVM.
	 * @return whether an event may be recorded
	 */
	public static boolean hasBegun() {
		return PRESENT && FlightRecorder.isInitialized();
	}

}
