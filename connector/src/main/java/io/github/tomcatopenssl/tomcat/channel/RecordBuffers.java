// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat.channel;

import java.nio.ByteBuffer;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;

/**
 * Direct buffers for TLS records. A connection has one during a call that does not wait,
 * so that there are as many as threads were at work at the same time.
 */
final class RecordBuffers {

	/**
	 * Most bytes of a record, as Tomcat's OpenSSL engine has it
	 * ({@code OpenSSLEngine.MAX_ENCRYPTED_PACKET_LENGTH}). It wraps no more at once, and
	 * refuses to unwrap more.
	 */
	static final int MAX_RECORD = 18_713;

	/**
	 * Without room: what a connection has that keeps nothing.
	 */
	static final ByteBuffer NONE = ByteBuffer.allocate(0);

	private final Deque<ByteBuffer> idle = new ConcurrentLinkedDeque<>();

	private final int size;

	RecordBuffers(int size) {
		this.size = size;
	}

	/**
	 * Lend a buffer.
	 * @param kept what the connection has kept, ready to be read
	 * @return a buffer that begins with it, ready to be written to
	 */
	ByteBuffer lend(ByteBuffer kept) {
		ByteBuffer buffer = this.idle.pollFirst();
		return ((buffer != null) ? buffer : allocate()).put(kept);
	}

	private ByteBuffer allocate() {
		try {
			return ByteBuffer.allocateDirect(this.size);
		}
		catch (OutOfMemoryError ex) {
			// Past -XX:MaxDirectMemorySize. One of the heap serves as well
			return ByteBuffer.allocate(this.size);
		}
	}

	/**
	 * Take a lent buffer back.
	 * @param lent the buffer, ready to be read
	 * @return what the connection has to keep of it, ready to be read
	 */
	ByteBuffer takeBack(ByteBuffer lent) {
		ByteBuffer kept = lent.hasRemaining() ? ByteBuffer.allocate(lent.remaining()).put(lent).flip() : NONE;
		// One of the heap takes direct memory of the JDK's whenever it is used
		if (lent.isDirect()) {
			this.idle.addFirst(lent.clear());
		}
		return kept;
	}

}
