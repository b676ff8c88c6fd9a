// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.nio.ByteBuffer;

import io.github.tomcatopenssl.internal.engine.TlsRecords;
import org.apache.tomcat.util.net.SocketBufferHandler;
import org.jspecify.annotations.Nullable;

/**
 * The application buffers of a connection. The connection borrows them from the first
 * byte of a request until it waits for the next one. After a response has filled the
 * write buffer once, it continues in a large buffer, whose records are sent together.
 * <p>
 * A buffer goes to another connection only if no thread other than the one that gives it
 * back has seen it. An application thread may still write, or wait to write, after a
 * timeout has ended its request: it holds on to a buffer that no other connection gets.
 */
final class LentBufferHandler extends SocketBufferHandler {

	private static final byte[] ZEROS = new byte[TlsRecords.MAX_PLAINTEXT];

	private final TlsBuffers buffers;

	/**
	 * Thread that serves the connection. While it does, no other thread gives the buffers
	 * back, so it may use them without the lock.
	 */
	private volatile @Nullable Thread server;

	private volatile @Nullable SocketBufferHandler lent;

	/**
	 * Large buffer for writing, which replaces the write buffer.
	 */
	private volatile @Nullable SocketBufferHandler large;

	/**
	 * Whether another thread has seen the buffers.
	 */
	private boolean shared;

	private boolean released;

	private boolean filled;

	/**
	 * Largest number of bytes that have been sent from the write buffers at once.
	 */
	private int written;

	/**
	 * Create a handler that has no buffers yet.
	 * @param buffers where the handler gets its buffers from
	 */
	LentBufferHandler(TlsBuffers buffers) {
		super(0, 0, false);
		this.buffers = buffers;
	}

	/**
	 * Serve the connection on the current thread.
	 */
	void beginService() {
		this.server = Thread.currentThread();
	}

	/**
	 * End the service of the current thread.
	 * @param idle whether the connection needs no buffers, because it waits for a request
	 * or is closed
	 */
	synchronized void endService(boolean idle) {
		if (this.released || idle && isReadBufferEmpty() && isWriteBufferEmpty()) {
			giveBack();
		}
		this.server = null;
	}

	/**
	 * Release the buffers of a closed connection. If a thread still serves the
	 * connection, that thread releases them.
	 */
	synchronized void release() {
		this.released = true;
		if (this.server == null) {
			this.shared = true;
			giveBack();
		}
	}

	private void giveBack() {
		SocketBufferHandler lent = this.lent;
		SocketBufferHandler large = this.large;
		if (!this.shared) {
			erase();
			reset();
		}
		this.lent = null;
		this.large = null;
		if (lent != null && !this.shared) {
			this.buffers.giveBack(lent);
		}
		if (large != null) {
			this.buffers.giveBackLarge(this.shared ? null : large);
		}
		this.filled = false;
		this.written = 0;
		this.shared = false;
	}

	// A large buffer is not erased: what is sent from it ends where the writing ended,
	// and erasing it costs a few percent of a response of 100 KB
	private void erase() {
		SocketBufferHandler lent = this.lent;
		if (lent != null) {
			ByteBuffer buffer = lent.getWriteBuffer().duplicate();
			// A response may end before it is sent, with a position behind its last byte
			int end = Math.max(this.written, buffer.position());
			buffer.clear().limit(Math.min(end, buffer.capacity()));
			while (buffer.hasRemaining()) {
				buffer.put(ZEROS, 0, Math.min(ZEROS.length, buffer.remaining()));
			}
		}
	}

	private boolean isServer() {
		return Thread.currentThread() == this.server;
	}

	private SocketBufferHandler reading() {
		SocketBufferHandler lent = this.lent;
		return (lent != null && isServer()) ? lent : lend();
	}

	private SocketBufferHandler writing() {
		if (!isServer()) {
			return share();
		}
		SocketBufferHandler large = this.large;
		return (large != null) ? large : reading();
	}

	private synchronized SocketBufferHandler lend() {
		this.shared |= !isServer();
		SocketBufferHandler lent = this.lent;
		if (lent == null) {
			lent = this.buffers.take();
			this.lent = lent;
		}
		return lent;
	}

	private synchronized SocketBufferHandler share() {
		SocketBufferHandler lent = lend();
		SocketBufferHandler large = this.large;
		return (large != null) ? large : lent;
	}

	@Override
	public void configureReadBufferForWrite() {
		reading().configureReadBufferForWrite();
	}

	@Override
	public void configureReadBufferForRead() {
		reading().configureReadBufferForRead();
	}

	@Override
	public ByteBuffer getReadBuffer() {
		return reading().getReadBuffer();
	}

	@Override
	public boolean isReadBufferEmpty() {
		SocketBufferHandler lent = this.lent;
		return lent == null || lent.isReadBufferEmpty();
	}

	@Override
	public void unReadReadBuffer(ByteBuffer returnedData) {
		reading().unReadReadBuffer(returnedData);
	}

	@Override
	public void configureWriteBufferForWrite() {
		if (this.filled && this.large == null && isServer() && isWriteBufferEmpty()) {
			this.large = this.buffers.takeLarge();
		}
		writing().configureWriteBufferForWrite();
	}

	@Override
	public void configureWriteBufferForRead() {
		SocketBufferHandler writing = writing();
		this.filled = !writing.isWriteBufferWritable();
		writing.configureWriteBufferForRead();
		this.written = Math.max(this.written, writing.getWriteBuffer().limit());
	}

	@Override
	public boolean isWriteBufferWritable() {
		return writing().isWriteBufferWritable();
	}

	@Override
	public ByteBuffer getWriteBuffer() {
		return writing().getWriteBuffer();
	}

	@Override
	public boolean isWriteBufferEmpty() {
		SocketBufferHandler large = this.large;
		SocketBufferHandler writing = (large != null) ? large : this.lent;
		return writing == null || writing.isWriteBufferEmpty();
	}

	@Override
	public void reset() {
		SocketBufferHandler lent = this.lent;
		if (lent != null) {
			lent.reset();
		}
		SocketBufferHandler large = this.large;
		if (large != null) {
			large.reset();
		}
	}

	@Override
	public void expand(int newSize) {
		if (newSize > TlsRecords.MAX_PLAINTEXT) {
			reading().expand(newSize);
		}
	}

}
