// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import org.jspecify.annotations.Nullable;

/**
 * Buffers for TLS records. A connection has one only during a call that does not block,
 * so there are as many buffers as there were threads at work at the same time.
 */
final class RecordBuffers {

	/**
	 * Empty buffer of a connection that keeps no bytes.
	 */
	static final ByteBuffer NONE = ByteBuffer.allocate(0);

	/**
	 * How often to look for a buffer that another thread gives back if memory is
	 * exhausted, and how long to wait in between, in nanoseconds.
	 */
	private static final int MOST_WAITS = 1000;

	private static final long WAIT = TimeUnit.MILLISECONDS.toNanos(1);

	/**
	 * Lock-free: one with a lock costs 5 % more CPU for a request and a response of 1 KB.
	 */
	private final Deque<ByteBuffer> idle = new ConcurrentLinkedDeque<>();

	private final int size;

	private final boolean direct;

	/**
	 * Create a new instance.
	 * @param size the size of a buffer, in bytes
	 * @param direct whether the buffers are direct, as OpenSSL needs them
	 */
	RecordBuffers(int size, boolean direct) {
		this.size = size;
		this.direct = direct;
	}

	/**
	 * Allocate buffers in advance, so that they exist whatever takes the memory later.
	 * @param count the number of buffers; fewer if there is not enough memory
	 */
	void reserve(int count) {
		try {
			for (int i = 0; i < count; i++) {
				this.idle.addFirst(create());
			}
		}
		catch (OutOfMemoryError ex) {
			// The buffers that exist have to be enough
		}
	}

	/**
	 * Lend a buffer.
	 * @param kept the bytes that the connection has kept, ready to be read, which must
	 * fit
	 * @return a buffer that starts with these bytes, ready to be written to
	 * @throws IOException if memory is exhausted
	 */
	ByteBuffer lend(ByteBuffer kept) throws IOException {
		ByteBuffer buffer = this.idle.pollFirst();
		return ((buffer != null) ? buffer : allocate()).put(kept);
	}

	private ByteBuffer allocate() throws IOException {
		try {
			return create();
		}
		catch (OutOfMemoryError ex) {
			// Direct memory is exhausted (-XX:MaxDirectMemorySize)
			ByteBuffer buffer = awaitIdle();
			if (buffer == null) {
				throw new IOException("Not enough memory for the records of a connection: " + ex.getMessage(), ex);
			}
			return buffer;
		}
	}

	private ByteBuffer create() {
		return this.direct ? ByteBuffer.allocateDirect(this.size) : ByteBuffer.allocate(this.size);
	}

	private @Nullable ByteBuffer awaitIdle() {
		ByteBuffer buffer = this.idle.pollFirst();
		for (int i = 0; buffer == null && i < MOST_WAITS; i++) {
			LockSupport.parkNanos(WAIT);
			buffer = this.idle.pollFirst();
		}
		return buffer;
	}

	/**
	 * Take a lent buffer back.
	 * @param lent the buffer, ready to be read
	 * @return the bytes that the connection has to keep, ready to be read
	 */
	ByteBuffer takeBack(ByteBuffer lent) {
		ByteBuffer kept = lent.hasRemaining() ? ByteBuffer.allocate(lent.remaining()).put(lent).flip() : NONE;
		this.idle.addFirst(lent.clear());
		return kept;
	}

}
