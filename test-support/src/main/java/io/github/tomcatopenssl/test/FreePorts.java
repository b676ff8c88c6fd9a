// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test;

import java.io.IOException;
import java.net.ServerSocket;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Ports that a test has to name before anything listens there. The system gives none of
 * them to others, because they are below its own range, and the JVMs of a test run, whose
 * process IDs follow each other, take different ones.
 */
public final class FreePorts {

	private static final int FIRST = 10_000;

	private static final int FOR_EACH_JVM = 100;

	private static final int JVMS = 200;

	private static final int OFFSET = (int) (ProcessHandle.current().pid() % JVMS) * FOR_EACH_JVM;

	private static final AtomicInteger count = new AtomicInteger();

	private FreePorts() {
	}

	/**
	 * Return another port.
	 */
	public static int next() {
		for (int i = 0; i < FOR_EACH_JVM; i++) {
			int port = FIRST + OFFSET + count.getAndIncrement() % FOR_EACH_JVM;
			try (ServerSocket socket = new ServerSocket(port)) {
				return socket.getLocalPort();
			}
			catch (IOException ex) {
				// In use
			}
		}
		throw new IllegalStateException("No port is free");
	}

}
