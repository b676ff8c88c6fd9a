// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.apache.juli.logging.Log;
import org.apache.juli.logging.LogFactory;
import org.apache.tomcat.util.net.SocketEvent;
import org.apache.tomcat.util.threads.TaskThreadFactory;

/**
 * The threads that take the steps of handshakes with OpenSSL, one for each core. Each
 * waits for its connections itself, so that a step needs neither the poller nor one of
 * its workers. A worker gets a connection when it can be served, when its next step can
 * block, or when its handshake has failed, which the worker logs before it closes the
 * connection. If the step may verify a client, {@link VerificationThreads} take it.
 */
final class HandshakeThreads {

	/**
	 * A thread is busy if this many connections wait for it. Only then does the next one
	 * get connections: waking up several threads for a few connections costs more than it
	 * saves ({@code benchmark/DECISIONS.md}).
	 */
	private static final int BUSY = 8;

	/**
	 * How often to check for handshakes that take too long, in milliseconds: as often as
	 * Tomcat checks its timeouts.
	 */
	private static final int CHECK_INTERVAL = 1000;

	/**
	 * How long to wait for the end of the threads. A step takes some milliseconds.
	 */
	private static final int STOP_SECONDS = 5;

	private static final Log logger = LogFactory.getLog(HandshakeThreads.class);

	private final TlsNioEndpoint endpoint;

	private final SurvivedErrors survived;

	private final List<HandshakeLoop> loops = new ArrayList<>();

	private int next;

	private volatile boolean stopped;

	/**
	 * Start the threads.
	 * @param endpoint the endpoint
	 * @param buffers the buffers of its connections
	 * @param survived gets errors that the threads survive
	 * @throws IOException if there are not enough file descriptors
	 * @throws OutOfMemoryError if a thread cannot be started
	 */
	HandshakeThreads(TlsNioEndpoint endpoint, TlsBuffers buffers, SurvivedErrors survived) throws IOException {
		this.endpoint = endpoint;
		this.survived = survived;
		int count = Runtime.getRuntime().availableProcessors();
		ThreadFactory factory = new TaskThreadFactory(endpoint.getName() + "-handshake-", true, Thread.NORM_PRIORITY);
		buffers.reserve(count);
		try {
			for (int i = 0; i < count; i++) {
				HandshakeLoop loop = new HandshakeLoop(factory);
				this.loops.add(loop);
				loop.thread.start();
			}
		}
		catch (IOException | OutOfMemoryError ex) {
			stop();
			// The last one may have no thread
			this.loops.forEach(HandshakeLoop::close);
			throw ex;
		}
	}

	/**
	 * Begin with a connection. Called by the thread that accepts connections.
	 * @param connection the connection
	 */
	void add(TlsConnection connection) {
		for (HandshakeLoop loop : this.loops) {
			if (loop.accepted.size() + loop.ready < BUSY) {
				loop.add(connection);
				return;
			}
		}
		this.next = (this.next + 1) % this.loops.size();
		this.loops.get(this.next).add(connection);
	}

	Stream<LastingThread> threads() {
		return this.loops.stream().map((loop) -> loop.thread);
	}

	/**
	 * End the threads. Their connections stay open.
	 */
	void stop() {
		this.stopped = true;
		this.loops.forEach((loop) -> loop.selector.wakeup());
		long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(STOP_SECONDS);
		try {
			for (HandshakeLoop loop : this.loops) {
				loop.thread.join(deadline);
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private final class HandshakeLoop {

		private final Selector selector = Selector.open();

		private final BlockingQueue<TlsConnection> accepted = new LinkedBlockingQueue<>();

		/**
		 * Number of registered connections whose next step has not begun.
		 */
		private volatile int ready;

		private long nextCheck = System.nanoTime();

		private final LastingThread thread;

		private HandshakeLoop(ThreadFactory factory) throws IOException {
			this.thread = new LastingThread(this::run, HandshakeThreads.this.survived, factory);
		}

		private void add(TlsConnection connection) {
			this.accepted.add(connection);
			if (HandshakeThreads.this.stopped) {
				connection.close();
			}
			else {
				this.selector.wakeup();
			}
		}

		private void run() {
			while (!HandshakeThreads.this.stopped) {
				registerAccepted();
				select();
				takeSteps();
				endOverdue();
			}
			close();
		}

		private void select() {
			try {
				this.selector.select(this.selector.keys().isEmpty() ? 0 : CHECK_INTERVAL);
			}
			catch (IOException ex) {
				throw new UncheckedIOException(ex);
			}
		}

		private void close() {
			try {
				this.selector.close();
			}
			catch (IOException ex) {
				logger.debug("A selector could not be closed", ex);
			}
		}

		private void registerAccepted() {
			TlsConnection connection;
			while ((connection = this.accepted.poll()) != null) {
				try {
					connection.register(this.selector, SelectionKey.OP_READ);
				}
				catch (ClosedChannelException ex) {
					connection.close();
				}
				catch (Throwable ex) {
					HandshakeThreads.this.survived.add(ex);
					connection.close();
				}
			}
		}

		private void takeSteps() {
			Iterator<SelectionKey> selected = this.selector.selectedKeys().iterator();
			while (selected.hasNext()) {
				SelectionKey key = selected.next();
				selected.remove();
				this.ready = this.selector.selectedKeys().size();
				proceed(key);
			}
		}

		// An error is that of one connection
		private void proceed(SelectionKey key) {
			try {
				switch (takeStep((TlsConnection) key.attachment())) {
					case READ -> key.interestOps(SelectionKey.OP_READ);
					case FLUSH -> key.interestOps(SelectionKey.OP_WRITE);
					case HAND_OVER, SERVE, END -> handOver(key);
				}
			}
			catch (Throwable ex) {
				HandshakeThreads.this.survived.add(ex);
				key.cancel();
				((TlsConnection) key.attachment()).close();
			}
		}

		private static Handshake.Next takeStep(TlsConnection connection) {
			try {
				return connection.takeHandshakeStep();
			}
			catch (IOException ex) {
				// The worker gets it again, and ends the connection
				return Handshake.Next.HAND_OVER;
			}
		}

		private void handOver(SelectionKey key) {
			TlsConnection connection = (TlsConnection) key.attachment();
			key.cancel();
			if (!HandshakeThreads.this.endpoint.processSocket(connection, SocketEvent.OPEN_READ, true)) {
				connection.close();
			}
		}

		private void endOverdue() {
			if (System.nanoTime() - this.nextCheck < 0) {
				return;
			}
			this.nextCheck = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CHECK_INTERVAL);
			for (SelectionKey key : this.selector.keys()) {
				if (key.isValid() && ((TlsConnection) key.attachment()).isOverdue()) {
					// It fails, unless the client has just sent what was missing
					proceed(key);
				}
			}
		}

	}

}
