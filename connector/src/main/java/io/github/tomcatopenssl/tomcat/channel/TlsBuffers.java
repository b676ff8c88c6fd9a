// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat.channel;

import java.util.concurrent.Semaphore;

import org.apache.tomcat.util.collections.SynchronizedStack;
import org.apache.tomcat.util.net.SocketBufferHandler;
import org.apache.tomcat.util.net.SocketProperties;
import org.jspecify.annotations.Nullable;

/**
 * The buffers that the connections of a server share while OpenSSL serves them: for the
 * records, and for the requests and responses of those that are at work.
 */
public final class TlsBuffers {

	/**
	 * Most bytes of data in a record (RFC 8446, 5.1).
	 */
	static final int MAX_PLAINTEXT = 1 << 14;

	/**
	 * For a large response: two records of the greatest size. Four cost 7 % more than one
	 * with responses of 1 MB ({@code benchmark/DECISIONS.md}).
	 */
	private static final int LARGE = 2 * MAX_PLAINTEXT;

	/**
	 * As much of the heap as Tomcat has for the buffers of closed connections
	 * ({@code SocketProperties.getActualBufferPool}), for each of the two kinds.
	 */
	private static final int HEAP_TO_BUFFERS = 32;

	/**
	 * Two records of the usual size and some small ones.
	 */
	private static final int SENT_AT_ONCE = 40 * 1024;

	/**
	 * For what is received: no more than a record, so that little is left over where the
	 * application reads a record at a time.
	 */
	private final RecordBuffers received = new RecordBuffers(RecordBuffers.MAX_RECORD);

	private final RecordBuffers sent = new RecordBuffers(SENT_AT_ONCE);

	private final SocketProperties properties;

	private final SynchronizedStack<SocketBufferHandler> idle;

	private final SynchronizedStack<SocketBufferHandler> idleLarge;

	/**
	 * How many large ones there may be more.
	 */
	private final Semaphore large;

	/**
	 * Create the buffers of a server.
	 * @param properties the settings of its sockets
	 */
	public TlsBuffers(SocketProperties properties) {
		this.properties = properties;
		long size = Runtime.getRuntime().maxMemory() / HEAP_TO_BUFFERS;
		int most = (int) Math.max(1, Math.min(size / LARGE, Short.MAX_VALUE));
		// Of the same size, one to read and one to write
		this.idle = new SynchronizedStack<>(SynchronizedStack.DEFAULT_SIZE, most);
		this.idleLarge = new SynchronizedStack<>(SynchronizedStack.DEFAULT_SIZE, most);
		this.large = new Semaphore(most);
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
		return Math.max(size, MAX_PLAINTEXT);
	}

	void giveBack(SocketBufferHandler buffers) {
		this.idle.push(buffers);
	}

	/**
	 * Take a large buffer.
	 * @return the buffer, or {@code null} where there are as many as may be, or the
	 * settings have larger ones
	 */
	@Nullable SocketBufferHandler takeLarge() {
		if (this.properties.getAppWriteBufSize() >= LARGE || !this.large.tryAcquire()) {
			return null;
		}
		SocketBufferHandler buffer = this.idleLarge.pop();
		try {
			return (buffer != null) ? buffer : new SocketBufferHandler(0, LARGE, true);
		}
		catch (OutOfMemoryError ex) {
			// Past -XX:MaxDirectMemorySize
			this.large.release();
			return null;
		}
	}

	/**
	 * Take a large buffer back.
	 * @param buffer the buffer, or {@code null} if it is left to the garbage collection
	 */
	void giveBackLarge(@Nullable SocketBufferHandler buffer) {
		if (buffer != null) {
			this.idleLarge.push(buffer);
		}
		this.large.release();
	}

}
