// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

import org.apache.juli.logging.Log;
import org.apache.juli.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Sockets of connections that have ended, while their clients may still send something,
 * such as their {@code close_notify}. TCP would reset a connection whose socket is closed
 * by then, and the client could lose the end of the response (RFC 9112, 9.6). So the
 * server ends its direction only, and reads what arrives until the client ends the other
 * one, for a short time. One thread does this for all sockets, without a selector: most
 * clients have finished when it looks for the first time.
 */
final class LingeringSockets implements Runnable {

	/**
	 * How long a socket stays open, in nanoseconds: as long as NGINX waits for more
	 * ({@code lingering_timeout}).
	 */
	private static final long MOST_TIME = TimeUnit.SECONDS.toNanos(5);

	/**
	 * Maximum number of bytes that are read from a socket: more than are usually under
	 * way.
	 */
	private static final int MOST_BYTES = 1024 * 1024;

	/**
	 * Maximum number of sockets. The oldest ones are closed first.
	 */
	private static final int MOST_SOCKETS = 1000;

	/**
	 * How often to read, in milliseconds.
	 */
	private static final int INTERVAL = 100;

	private static final int CROWDED_INTERVAL = 10;

	private static final Log logger = LogFactory.getLog(LingeringSockets.class);

	private final ByteBuffer buffer = ByteBuffer.allocateDirect(16 * 1024);

	private final Queue<Lingering> added = new ConcurrentLinkedQueue<>();

	/**
	 * Number of sockets that the thread has not taken yet.
	 */
	private final AtomicInteger waiting = new AtomicInteger();

	private final List<Lingering> sockets = new ArrayList<>();

	private volatile boolean stopped;

	private volatile @Nullable Thread thread;

	/**
	 * Whether the thread waits for a socket, for as long as there is none.
	 */
	private volatile boolean idle;

	/**
	 * Close a socket when its client has finished, or soon. The caller does not wait.
	 * @param socket the socket, which does not block
	 */
	void close(SocketChannel socket) {
		boolean lingers = false;
		try {
			lingers = linger(socket);
		}
		catch (IOException ex) {
			// For example, the client has reset the connection
		}
		finally {
			if (!lingers) {
				closeNow(socket);
			}
		}
	}

	private boolean linger(SocketChannel socket) throws IOException {
		if (this.waiting.get() >= MOST_SOCKETS) {
			return false;
		}
		socket.shutdownOutput();
		this.added.add(new Lingering(socket));
		this.waiting.incrementAndGet();
		if (this.stopped) {
			take();
			closeAll();
		}
		else if (this.idle) {
			LockSupport.unpark(this.thread);
		}
		return true;
	}

	/**
	 * Close all sockets, and end {@link #run()}.
	 */
	void stop() {
		this.stopped = true;
		LockSupport.unpark(this.thread);
	}

	@Override
	public void run() {
		this.thread = Thread.currentThread();
		while (!this.stopped) {
			if (this.sockets.isEmpty() && this.added.isEmpty()) {
				awaitSocket();
			}
			else {
				boolean crowded = this.sockets.size() > MOST_SOCKETS / 2;
				LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(crowded ? CROWDED_INTERVAL : INTERVAL));
				take();
				closeFinished();
			}
		}
		take();
		closeFinished();
		closeAll();
	}

	private void awaitSocket() {
		this.idle = true;
		if (this.added.isEmpty() && !this.stopped) {
			LockSupport.park();
		}
		this.idle = false;
	}

	private synchronized void take() {
		Lingering socket;
		while ((socket = this.added.poll()) != null) {
			this.waiting.decrementAndGet();
			this.sockets.add(socket);
		}
	}

	private synchronized void closeFinished() {
		long now = System.nanoTime();
		this.sockets.removeIf((socket) -> socket.closeIfFinished(this.buffer, now));
		List<Lingering> oldest = this.sockets.subList(0, Math.max(0, this.sockets.size() - MOST_SOCKETS));
		oldest.forEach((socket) -> closeNow(socket.socket));
		oldest.clear();
	}

	private synchronized void closeAll() {
		this.sockets.forEach((socket) -> closeNow(socket.socket));
		this.sockets.clear();
	}

	private static void closeNow(SocketChannel socket) {
		try {
			socket.close();
		}
		catch (IOException ex) {
			logger.debug("A socket could not be closed", ex);
		}
	}

	private static final class Lingering {

		private final SocketChannel socket;

		private final long end = System.nanoTime() + MOST_TIME;

		private int received;

		private Lingering(SocketChannel socket) {
			this.socket = socket;
		}

		private boolean closeIfFinished(ByteBuffer buffer, long now) {
			boolean finished = true;
			try {
				finished = this.end - now < 0 || isFinished(buffer);
			}
			catch (IOException ex) {
				// For example, the client has reset the connection
			}
			finally {
				if (finished) {
					closeNow(this.socket);
				}
			}
			return finished;
		}

		private boolean isFinished(ByteBuffer buffer) throws IOException {
			int length;
			do {
				length = this.socket.read(buffer.clear());
				this.received += length;
			}
			while (length == buffer.capacity() && this.received < MOST_BYTES);
			return length == -1 || this.received >= MOST_BYTES;
		}

	}

}
