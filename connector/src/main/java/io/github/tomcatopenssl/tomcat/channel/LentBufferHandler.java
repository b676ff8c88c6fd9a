// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat.channel;

import java.nio.ByteBuffer;

import org.apache.tomcat.util.net.SocketBufferHandler;
import org.jspecify.annotations.Nullable;

/**
 * The application's buffers of a connection, which it has from the first byte of a
 * request until it waits for the next. A response that has filled the buffer once goes on
 * in a large one, whose records leave together.
 * <p>
 * Buffers go to another connection only where no other thread than the one that gives
 * them back has seen them: a thread of the application that still writes, or waits to
 * write, when a timeout has ended its request, holds on to a buffer that nobody else will
 * have.
 */
final class LentBufferHandler extends SocketBufferHandler {

	private static final byte[] ZEROS = new byte[16 * 1024];

	private final TlsBuffers buffers;

	/**
	 * The thread that serves the connection. It alone gives buffers back, so that it may
	 * use them without the lock.
	 */
	private volatile @Nullable Thread server;

	private volatile @Nullable SocketBufferHandler lent;

	/**
	 * For what is written, instead of the other.
	 */
	private volatile @Nullable SocketBufferHandler large;

	/**
	 * Whether another thread has seen the buffers.
	 */
	private boolean shared;

	private boolean released;

	private boolean filled;

	/**
	 * How much of the buffers was written to.
	 */
	private int written;

	/**
	 * Create a handler that has no buffers yet.
	 * @param buffers where it gets them from
	 */
	LentBufferHandler(TlsBuffers buffers) {
		super(0, 0, false);
		this.buffers = buffers;
	}

	/**
	 * Have the current thread serve the connection.
	 */
	void beginService() {
		this.server = Thread.currentThread();
	}

	/**
	 * End the service of the current thread.
	 * @param idle whether the connection waits for a request, or is closed, so that it
	 * needs no buffers
	 */
	synchronized void endService(boolean idle) {
		if (this.released || idle && isReadBufferEmpty() && isWriteBufferEmpty()) {
			giveBack();
		}
		this.server = null;
	}

	/**
	 * Release the buffers of a connection that was closed, or leave it to the thread that
	 * serves it.
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
			reset();
			erase();
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

	// What is sent of a large response ends where the writing ended, and to erase it
	// costs some percent of a response of 100 KB
	private void erase() {
		SocketBufferHandler lent = this.lent;
		if (lent != null) {
			ByteBuffer buffer = lent.getWriteBuffer().duplicate().position(0);
			buffer.limit(Math.min(this.written, buffer.capacity()));
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
		if (newSize > TlsBuffers.MAX_PLAINTEXT) {
			reading().expand(newSize);
		}
	}

	/**
	 * Does nothing: buffers that somebody may still use are left to the garbage
	 * collection.
	 */
	@Override
	public void free() {
	}

}
