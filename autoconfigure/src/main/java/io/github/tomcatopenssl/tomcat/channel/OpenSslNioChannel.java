// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat.channel;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.List;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;

import io.github.tomcatopenssl.tomcat.buffer.TlsBuffers;
import org.apache.tomcat.util.net.NioEndpoint;
import org.apache.tomcat.util.net.NioEndpoint.NioSocketWrapper;
import org.apache.tomcat.util.net.SocketBufferHandler;
import org.apache.tomcat.util.net.openssl.OpenSSLEngine;
import org.jspecify.annotations.Nullable;

/**
 * The channel of a connection that Tomcat's OpenSSL engine serves. The engine gets one
 * record at a time, and is asked for an answer after each that brought no data: it does
 * not tell that it has an alert or another message to send, and hides what stands behind
 * an empty record. After an error the peer gets the alert, and the connection is broken:
 * nothing else is read or written, and no buffer is sent that the engine has not filled.
 * <p>
 * The last messages of a handshake are written at once. Tomcat would ask the poller
 * first, a turn of the poller and of a worker more, although they nearly always fit.
 */
class OpenSslNioChannel extends LeanNioChannel {

	private static final ByteBuffer[] NOTHING = { ByteBuffer.allocate(0) };

	private HandshakeProgress progress = new HandshakeProgress();

	private RecordReader reader = new RecordReader();

	private volatile boolean broken;

	OpenSslNioChannel(SocketBufferHandler own, TlsBuffers buffers, NioEndpoint endpoint,
			List<String> applicationProtocols, HandshakeObserver observer) {
		super(own, buffers, endpoint, applicationProtocols, observer);
	}

	@Override
	public void reset(@Nullable SocketChannel channel, @Nullable NioSocketWrapper wrapper) throws IOException {
		synchronized (this.input) {
			super.reset(channel, wrapper);
			this.progress = new HandshakeProgress();
			this.reader = new RecordReader();
			this.broken = false;
		}
	}

	@Override
	public int handshake(boolean read, boolean write) throws IOException {
		int interest = super.handshake(read, true);
		while (interest == SelectionKey.OP_WRITE && getOutboundRemaining() == 0) {
			interest = super.handshake(read, true);
		}
		return interest;
	}

	@Override
	protected SSLEngineResult handshakeWrap(boolean write) throws IOException {
		synchronized (this.output) {
			SSLEngineResult result = wrap(NOTHING, 0, 1);
			this.handshakeStatus = result.getHandshakeStatus();
			boolean failed = this.progress.hasFailed(this.sslEngine, result, this.netOutBuffer);
			monitor().sent(this.netOutBuffer);
			flush(this.netOutBuffer);
			if (failed) {
				monitor().refused(result.bytesProduced() > 0);
				throw broken(new IOException("The handshake has failed"));
			}
			return result;
		}
	}

	@Override
	protected SSLEngineResult handshakeUnwrap(boolean read) throws IOException {
		int received = read ? this.sc.read(this.netInBuffer) : 0;
		monitor().received(received);
		if (received == -1) {
			throw new EOFException("The client has closed the connection during the handshake");
		}
		getBufHandler().configureReadBufferForWrite();
		this.netInBuffer.flip();
		try {
			SSLEngineResult result = this.reader.unwrapHandshake(this.sslEngine, this.netInBuffer,
					getBufHandler().getReadBuffer());
			this.handshakeStatus = result.getHandshakeStatus();
			return result;
		}
		finally {
			this.netInBuffer.compact();
		}
	}

	@Override
	public long read(ByteBuffer[] data, int offset, int length) throws IOException {
		synchronized (this.input) {
			SSLEngine engine = this.sslEngine;
			if (isOver() || !this.handshakeComplete) {
				return -1;
			}
			lendInput();
			try {
				boolean ended = receive();
				long read = this.reader.unwrapAll(engine, this.netInBuffer, data, offset, length, this::answer);
				return (read == 0 && (ended || engine.isInboundDone())) ? -1 : read;
			}
			catch (IOException | RuntimeException ex) {
				throw fail(ex);
			}
			finally {
				giveBackInput();
			}
		}
	}

	@Override
	void answer() throws IOException {
		synchronized (this.output) {
			if (flush(this.netOutBuffer)) {
				send(NOTHING, 0, 1);
			}
		}
	}

	private boolean isOver() {
		return this.closing || this.closed || this.broken || this.sslEngine == null;
	}

	@Override
	public long write(ByteBuffer[] data, int offset, int length) throws IOException {
		checkInterruptStatus();
		synchronized (this.output) {
			if (isOver()) {
				throw new IOException("The connection is closed");
			}
			if (!flush(this.netOutBuffer) || !RecordReader.hasRemaining(data, offset, length)) {
				return 0;
			}
			return send(data, offset, length);
		}
	}

	private long send(ByteBuffer[] data, int offset, int length) throws IOException {
		lendOutput();
		try {
			long written = wrap(data, offset, length).bytesConsumed();
			flush(this.netOutBuffer);
			return written;
		}
		finally {
			giveBackOutput();
		}
	}

	private SSLEngineResult wrap(ByteBuffer[] data, int offset, int length) throws IOException {
		try {
			return RecordWriter.wrap(this.sslEngine, data, offset, length, this.netOutBuffer);
		}
		catch (IOException | RuntimeException ex) {
			throw broken(ex);
		}
	}

	// Sends the alert that the engine has for an error, and nothing else from now on
	private IOException fail(Exception ex) {
		synchronized (this.output) {
			if (!this.broken) {
				try {
					answer();
				}
				catch (IOException suppressed) {
					ex.addSuppressed(suppressed);
				}
			}
			return broken(ex);
		}
	}

	private IOException broken(Exception ex) {
		this.broken = true;
		return (ex instanceof IOException io) ? io : new IOException(ex);
	}

	/**
	 * Close the connection, and free what OpenSSL has for it: the engine itself does so
	 * only where a {@code close_notify} was sent, and leaves the rest to the garbage
	 * collection.
	 */
	@Override
	public void close() throws IOException {
		synchronized (this.output) {
			try {
				if (this.broken && !this.closing) {
					this.closing = true;
					flush(this.netOutBuffer);
					// Unread bytes would reset the connection before the alert is read
					this.sc.read(ByteBuffer.allocate(64 * 1024));
				}
				super.close();
			}
			finally {
				if (this.sslEngine instanceof OpenSSLEngine engine) {
					engine.shutdown();
				}
			}
		}
	}

}
