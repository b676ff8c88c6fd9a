// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat.buffer;

import java.nio.ByteBuffer;

import org.apache.tomcat.util.net.SocketBufferHandler;
import org.jspecify.annotations.Nullable;

/**
 * The application's buffers of a connection, which it has from the first byte of a
 * request until it waits for the next. A response that has filled the buffer once goes on
 * in a large one, whose records leave together.
 */
public final class LentBufferHandler extends SocketBufferHandler {

	private static final byte[] ZEROS = new byte[16 * 1024];

	private final ApplicationBuffers buffers;

	private volatile @Nullable SocketBufferHandler lent;

	/**
	 * For what is written, instead of the other.
	 */
	private volatile @Nullable SocketBufferHandler large;

	private boolean filled;

	/**
	 * How much of the buffers was written to.
	 */
	private int written;

	/**
	 * Create a handler that has no buffers yet.
	 * @param buffers where it gets them from
	 */
	public LentBufferHandler(ApplicationBuffers buffers) {
		super(0, 0, false);
		this.buffers = buffers;
	}

	private SocketBufferHandler reading() {
		SocketBufferHandler lent = this.lent;
		return (lent != null) ? lent : lend();
	}

	private synchronized SocketBufferHandler lend() {
		SocketBufferHandler lent = this.lent;
		if (lent == null) {
			lent = this.buffers.take();
			this.lent = lent;
		}
		return lent;
	}

	private SocketBufferHandler writing() {
		SocketBufferHandler large = this.large;
		return (large != null) ? large : reading();
	}

	/**
	 * Give the buffers back, if they are empty. The connection must not be at work.
	 */
	public synchronized void giveBack() {
		SocketBufferHandler lent = this.lent;
		if (lent == null || !isReadBufferEmpty() || !isWriteBufferEmpty()) {
			return;
		}
		reset();
		erase();
		SocketBufferHandler large = this.large;
		if (large != null) {
			this.large = null;
			this.buffers.giveBackLarge(large);
		}
		this.lent = null;
		this.buffers.giveBack(lent);
	}

	/**
	 * Leave a large buffer to the garbage collection: somebody may still use it.
	 */
	public synchronized void dropLarge() {
		if (this.large != null) {
			this.large = null;
			this.buffers.dropLarge();
		}
	}

	/**
	 * Erase what was written, but for a large response: what is sent ends where the
	 * writing ended, and to erase it costs some percent of a response of 100 KB.
	 */
	public void erase() {
		SocketBufferHandler lent = this.lent;
		if (lent != null) {
			ByteBuffer buffer = lent.getWriteBuffer().duplicate().position(0);
			erase(buffer.limit(Math.min(this.written, buffer.capacity())));
		}
		this.written = 0;
	}

	/**
	 * Erase the bytes from the position of a buffer to its limit.
	 * @param buffer the buffer
	 */
	public static void erase(ByteBuffer buffer) {
		while (buffer.hasRemaining()) {
			buffer.put(ZEROS, 0, Math.min(ZEROS.length, buffer.remaining()));
		}
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
		if (this.filled && this.large == null && isWriteBufferEmpty()) {
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
		return (this.lent == null && this.large == null) || writing().isWriteBufferEmpty();
	}

	@Override
	public void reset() {
		this.filled = false;
		if (this.lent != null) {
			this.lent.reset();
		}
		if (this.large != null) {
			this.large.reset();
		}
	}

	@Override
	public void expand(int newSize) {
		if (newSize > ApplicationBuffers.MAX_PLAINTEXT) {
			reading().expand(newSize);
		}
	}

	@Override
	public void free() {
		dropLarge();
		if (this.lent != null) {
			this.lent.free();
		}
	}

}
