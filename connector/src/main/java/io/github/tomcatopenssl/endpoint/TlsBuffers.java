// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.util.concurrent.Semaphore;

import io.github.tomcatopenssl.internal.engine.TlsRecords;
import org.apache.tomcat.util.collections.SynchronizedStack;
import org.apache.tomcat.util.net.SocketBufferHandler;
import org.apache.tomcat.util.net.SocketProperties;
import org.jspecify.annotations.Nullable;

/**
 * The buffers that the connections of a server share: for records, and for the requests
 * and responses of busy connections.
 */
final class TlsBuffers {

	/**
	 * Size of the buffer for a large response, in bytes: two records of maximum size.
	 * Four records cost 7 % more than one with responses of 1 MB
	 * ({@code benchmark/DECISIONS.md}).
	 */
	private static final int LARGE = 2 * TlsRecords.MAX_PLAINTEXT;

	/**
	 * Ratio of the heap to the buffers, for each of the two kinds. Tomcat uses the same
	 * ratio for the buffers of closed connections
	 * ({@code SocketProperties.getActualBufferPool}).
	 */
	private static final int HEAP_TO_BUFFERS = 32;

	/**
	 * Size of a buffer for sent records, in bytes: two records of the usual size and some
	 * small ones.
	 */
	private static final int SENT_AT_ONCE = 40 * 1024;

	/**
	 * Buffers for received bytes. Each holds a single record, so that little is left over
	 * if the application reads one record at a time.
	 */
	private final RecordBuffers received;

	private final RecordBuffers sent;

	private final SocketProperties properties;

	private final boolean direct;

	private final SynchronizedStack<SocketBufferHandler> idle;

	private final SynchronizedStack<SocketBufferHandler> idleLarge;

	/**
	 * Number of large buffers that may still be handed out.
	 */
	private final Semaphore large;

	/**
	 * Create the buffers of a server.
	 * @param properties the socket settings of the server
	 * @param direct whether buffers for records are direct, as OpenSSL needs them
	 */
	TlsBuffers(SocketProperties properties, boolean direct) {
		this.properties = properties;
		this.direct = direct;
		this.received = new RecordBuffers(TlsRecords.MAX_SIZE, direct);
		this.sent = new RecordBuffers(SENT_AT_ONCE, direct);
		long size = Runtime.getRuntime().maxMemory() / HEAP_TO_BUFFERS;
		int most = (int) Math.max(1, Math.min(size / LARGE, Short.MAX_VALUE));
		// A pair, one buffer to read and one to write, has the same size
		this.idle = new SynchronizedStack<>(SynchronizedStack.DEFAULT_SIZE, most);
		this.idleLarge = new SynchronizedStack<>(SynchronizedStack.DEFAULT_SIZE, most);
		this.large = new Semaphore(most);
	}

	/**
	 * Allocate buffers for records in advance, so that there are some whatever takes the
	 * memory later.
	 * @param threads the number of threads that need them
	 */
	void reserve(int threads) {
		this.received.reserve(threads);
		this.sent.reserve(threads);
	}

	RecordBuffers received() {
		return this.received;
	}

	RecordBuffers sent() {
		return this.sent;
	}

	SocketBufferHandler take() {
		SocketBufferHandler buffers = this.idle.pop();
		return (buffers != null) ? buffers
				: new SocketBufferHandler(atLeastARecord(this.properties.getAppReadBufSize()),
						atLeastARecord(this.properties.getAppWriteBufSize()), this.properties.getDirectBuffer());
	}

	private static int atLeastARecord(int size) {
		return Math.max(size, TlsRecords.MAX_PLAINTEXT);
	}

	void giveBack(SocketBufferHandler buffers) {
		this.idle.push(buffers);
	}

	/**
	 * Take a large buffer.
	 * @return the buffer, or {@code null} if the maximum number is in use or if the
	 * configured buffers are at least as large
	 */
	@Nullable SocketBufferHandler takeLarge() {
		if (this.properties.getAppWriteBufSize() >= LARGE || !this.large.tryAcquire()) {
			return null;
		}
		SocketBufferHandler buffer = this.idleLarge.pop();
		try {
			return (buffer != null) ? buffer : new SocketBufferHandler(0, LARGE, this.direct);
		}
		catch (OutOfMemoryError ex) {
			// Direct memory is exhausted (-XX:MaxDirectMemorySize)
			this.large.release();
			return null;
		}
	}

	/**
	 * Take a large buffer back.
	 * @param buffer the buffer, or {@code null} if it is left to the garbage collector
	 */
	void giveBackLarge(@Nullable SocketBufferHandler buffer) {
		if (buffer != null) {
			this.idleLarge.push(buffer);
		}
		this.large.release();
	}

}
