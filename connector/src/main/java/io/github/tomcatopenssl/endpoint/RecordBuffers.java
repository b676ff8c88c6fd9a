// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.nio.ByteBuffer;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;

/**
 * Direct buffers for TLS records. A connection has one only during a call that does not
 * block, so there are as many buffers as there were threads at work at the same time.
 */
final class RecordBuffers {

	/**
	 * Maximum size of a record in Tomcat's OpenSSL engine, in bytes
	 * ({@code OpenSSLEngine.MAX_ENCRYPTED_PACKET_LENGTH}). The engine wraps no more at
	 * once, and refuses to unwrap more.
	 */
	static final int MAX_RECORD = 18_713;

	/**
	 * Empty buffer of a connection that keeps no bytes.
	 */
	static final ByteBuffer NONE = ByteBuffer.allocate(0);

	private final Deque<ByteBuffer> idle = new ConcurrentLinkedDeque<>();

	private final int size;

	RecordBuffers(int size) {
		this.size = size;
	}

	/**
	 * Lend a buffer.
	 * @param kept the bytes that the connection has kept, ready to be read
	 * @return a buffer that starts with these bytes, ready to be written to. It is not
	 * one of these buffers if they are smaller
	 */
	ByteBuffer lend(ByteBuffer kept) {
		if (kept.remaining() > this.size) {
			return ByteBuffer.allocate(kept.remaining() + this.size).put(kept);
		}
		ByteBuffer buffer = this.idle.pollFirst();
		return ((buffer != null) ? buffer : allocate()).put(kept);
	}

	private ByteBuffer allocate() {
		try {
			return ByteBuffer.allocateDirect(this.size);
		}
		catch (OutOfMemoryError ex) {
			// A heap buffer works if direct memory is exhausted
			// (-XX:MaxDirectMemorySize)
			return ByteBuffer.allocate(this.size);
		}
	}

	/**
	 * Take a lent buffer back.
	 * @param lent the buffer, ready to be read
	 * @return the bytes that the connection has to keep, ready to be read
	 */
	ByteBuffer takeBack(ByteBuffer lent) {
		ByteBuffer kept = lent.hasRemaining() ? ByteBuffer.allocate(lent.remaining()).put(lent).flip() : NONE;
		// A heap buffer is not reused: each use takes direct memory of the JDK
		if (lent.isDirect()) {
			this.idle.addFirst(lent.clear());
		}
		return kept;
	}

}
