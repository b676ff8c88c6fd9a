// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

import org.apache.tomcat.util.threads.TaskThreadFactory;

/**
 * The threads that take steps of handshakes in which a client may be verified. A
 * verification can block, for example while an OCSP responder does not answer. A step of
 * OpenSSL would hold up the other handshakes of its thread ({@link HandshakeThreads}), or
 * pin the carrier of a virtual thread, and a step of JSSE would take one of Tomcat's
 * workers away from other clients. There is at most one thread for each connection, and
 * it ends soon when there is nothing to do.
 */
final class VerificationThreads {

	private static final int IDLE_SECONDS = 10;

	private final ThreadPoolExecutor executor;

	/**
	 * Create a new instance.
	 * @param name the prefix of the threads' names
	 */
	VerificationThreads(String name) {
		// Daemon threads do not keep the JVM alive: a stop does not wait for a responder
		this.executor = new ThreadPoolExecutor(0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS,
				new SynchronousQueue<>(), new TaskThreadFactory(name, true, Thread.NORM_PRIORITY));
	}

	/**
	 * Take a step on a thread of its own.
	 * @param step the step
	 * @throws RejectedExecutionException after the stop
	 */
	void execute(Runnable step) {
		this.executor.execute(step);
	}

	/**
	 * Stop the threads, without waiting for a verification.
	 */
	void stop() {
		this.executor.shutdownNow();
	}

}
