// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
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

import org.apache.juli.logging.Log;
import org.apache.juli.logging.LogFactory;
import org.apache.tomcat.util.net.SocketEvent;
import org.apache.tomcat.util.threads.TaskThreadFactory;

/**
 * The threads that take the steps of handshakes with OpenSSL, one for each core. Each
 * waits for its connections itself, so that a step needs neither Tomcat's poller nor one
 * of its workers. A worker gets a connection when it can be served, when its next step
 * can block, or when its handshake has failed, which the worker logs before it closes the
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

	private final List<HandshakeLoop> loops = new ArrayList<>();

	private final List<Thread> threads = new ArrayList<>();

	private int next;

	private volatile boolean stopped;

	/**
	 * Start the threads.
	 * @param endpoint the endpoint
	 * @param buffers the buffers of its connections
	 * @throws IOException if there are not enough file descriptors
	 * @throws OutOfMemoryError if a thread cannot be started
	 */
	HandshakeThreads(TlsNioEndpoint endpoint, TlsBuffers buffers) throws IOException {
		this.endpoint = endpoint;
		int count = Runtime.getRuntime().availableProcessors();
		ThreadFactory factory = new TaskThreadFactory(endpoint.getName() + "-handshake-", true, Thread.NORM_PRIORITY);
		buffers.reserve(count);
		try {
			for (int i = 0; i < count; i++) {
				HandshakeLoop loop = new HandshakeLoop();
				this.loops.add(loop);
				Thread thread = factory.newThread(loop);
				thread.start();
				this.threads.add(thread);
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

	/**
	 * End the threads. Their connections stay open.
	 */
	void stop() {
		this.stopped = true;
		this.loops.forEach((loop) -> loop.selector.wakeup());
		long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(STOP_SECONDS);
		try {
			for (Thread thread : this.threads) {
				TimeUnit.NANOSECONDS.timedJoin(thread, deadline - System.nanoTime());
			}
		}
		catch (InterruptedException ex) {
			Thread.currentThread().interrupt();
		}
	}

	private final class HandshakeLoop implements Runnable {

		private final Selector selector = Selector.open();

		private final BlockingQueue<TlsConnection> accepted = new LinkedBlockingQueue<>();

		/**
		 * Number of registered connections whose next step has not begun.
		 */
		private volatile int ready;

		private long nextCheck = System.nanoTime();

		private HandshakeLoop() throws IOException {
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

		@Override
		public void run() {
			while (!HandshakeThreads.this.stopped) {
				try {
					registerAccepted();
					this.selector.select(this.selector.keys().isEmpty() ? 0 : CHECK_INTERVAL);
					takeSteps();
					endOverdue();
				}
				catch (Throwable ex) {
					logError(ex);
				}
			}
			close();
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
				boolean registered = false;
				try {
					connection.register(this.selector, SelectionKey.OP_READ);
					registered = true;
				}
				catch (ClosedChannelException ex) {
					logger.debug("A connection was closed before its handshake", ex);
				}
				finally {
					if (!registered) {
						connection.close();
					}
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

		private void proceed(SelectionKey key) {
			TlsConnection connection = (TlsConnection) key.attachment();
			Handshake.Next next = Handshake.Next.HAND_OVER;
			try {
				next = connection.takeHandshakeStep();
			}
			catch (IOException ex) {
				// The worker gets it again, and ends the connection
			}
			finally {
				switch (next) {
					case READ -> key.interestOps(SelectionKey.OP_READ);
					case WRITE -> key.interestOps(SelectionKey.OP_WRITE);
					case HAND_OVER, SERVE, END -> handOver(key);
				}
			}
		}

		private void handOver(SelectionKey key) {
			TlsConnection connection = (TlsConnection) key.attachment();
			key.cancel();
			boolean handedOver = false;
			try {
				handedOver = HandshakeThreads.this.endpoint.processSocket(connection, SocketEvent.OPEN_READ, true);
			}
			finally {
				if (!handedOver) {
					connection.close();
				}
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

		// Without the thread, connections would wait forever, whatever has failed
		private void logError(Throwable failure) {
			try {
				logger.error("A handshake on the port %d ended with an error"
					.formatted(HandshakeThreads.this.endpoint.getLocalPort()), failure);
			}
			catch (Throwable ex) {
				// It cannot be logged: there is no memory, or an appender has failed
			}
		}

	}

}
