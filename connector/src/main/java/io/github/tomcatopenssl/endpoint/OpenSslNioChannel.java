// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.util.List;
import java.util.function.Function;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;

import org.apache.juli.logging.Log;
import org.apache.juli.logging.LogFactory;
import org.apache.tomcat.util.buf.ByteBufferUtils;
import org.apache.tomcat.util.net.NioEndpoint;
import org.apache.tomcat.util.net.openssl.OpenSSLEngine;
import org.jspecify.annotations.Nullable;

/**
 * The channel of a connection that Tomcat's OpenSSL engine serves. The engine gets one
 * record at a time, because it hides what follows an empty record. After each record that
 * brought no data, the channel asks the engine for an answer, because the engine does not
 * report that it has an alert or another message to send. After an error, the peer gets
 * the alert and the connection is broken: nothing more is read or written, and no buffer
 * is sent that the engine has not filled.
 * <p>
 * The channel borrows record buffers while it works. It keeps only what is left over:
 * part of a record, or bytes that the socket did not accept. Between calls, both buffers
 * are ready to be read.
 * <p>
 * The last messages of a handshake are written immediately. Tomcat would ask the poller
 * first, which costs another turn of the poller and of a worker, although the messages
 * nearly always fit into the socket's buffer.
 */
class OpenSslNioChannel extends TlsNioChannel {

	private static final ByteBuffer[] NOTHING = { ByteBuffer.allocate(0) };

	/**
	 * Maximum number of buffers of received bytes that are read and discarded.
	 */
	private static final int MOST_DRAINS = 4;

	/**
	 * Number of bytes to send up to which the engine's answers are kept with them: to
	 * some 5,000 KeyUpdates, which are longer than their answers. Java's client may send
	 * as many before it reads the first answer ({@link RecordBudget}).
	 */
	private static final int MOST_KEPT = 128 * 1024;

	private static final Log logger = LogFactory.getLog(OpenSslNioChannel.class);

	private final TlsBuffers buffers;

	private final LentBufferHandler application;

	private final RecordBudget budget = new RecordBudget();

	private final RecordReader reader = new RecordReader(this.budget);

	private final RecordReader.Answer answer = new EngineAnswer();

	private volatile boolean broken;

	OpenSslNioChannel(TlsBuffers buffers, NioEndpoint endpoint, List<String> applicationProtocols,
			HandshakeMonitor monitor, Function<String, @Nullable ChallengeEngine> challenges) {
		super(new LentBufferHandler(buffers), endpoint, applicationProtocols, monitor, challenges);
		this.buffers = buffers;
		this.application = (LentBufferHandler) getBufHandler();
		if (this.netInBuffer.isDirect()) {
			// Direct memory that Tomcat's channel allocates for
			// 'socket.directSslBuffer'
			ByteBufferUtils.cleanDirectBuffer(this.netInBuffer);
			ByteBufferUtils.cleanDirectBuffer(this.netOutBuffer);
		}
		this.netInBuffer = RecordBuffers.NONE;
		this.netOutBuffer = RecordBuffers.NONE;
	}

	@Override
	int step(boolean read, boolean write) throws IOException {
		this.netInBuffer = this.buffers.received().lend(this.netInBuffer);
		lendOutput();
		try {
			int interest = super.step(read, true);
			while (interest == SelectionKey.OP_WRITE && getOutboundRemaining() == 0) {
				interest = super.step(read, true);
			}
			return interest;
		}
		finally {
			this.netInBuffer = this.buffers.received().takeBack(this.netInBuffer.flip());
			giveBackOutput();
		}
	}

	@Override
	protected SSLEngineResult handshakeWrap(boolean write) throws IOException {
		synchronized (this.output) {
			SSLEngineResult result = wrap(NOTHING, 0, 1);
			this.handshakeStatus = result.getHandshakeStatus();
			sent(this.netOutBuffer);
			boolean alert = TlsRecords.endsWithAlert(this.netOutBuffer);
			flush(this.netOutBuffer);
			// Tomcat's engine reports a failed handshake as finished, too. Without an
			// alert for the error, OpenSSL has nothing to send
			if (alert || result.bytesProduced() == 0) {
				throw broken(alert ? new RefusedHandshakeException(null, "The handshake failed")
						: new IOException("The handshake failed"));
			}
			return result;
		}
	}

	@Override
	SSLEngineResult unwrapHandshake() throws IOException {
		this.application.configureReadBufferForWrite();
		this.netInBuffer.flip();
		try {
			SSLEngineResult result = this.reader.unwrapHandshake(this.sslEngine, this.netInBuffer,
					this.application.getReadBuffer());
			this.handshakeStatus = result.getHandshakeStatus();
			return result;
		}
		finally {
			this.netInBuffer.compact();
		}
	}

	@Override
	public int read(ByteBuffer data) throws IOException {
		return (int) read(new ByteBuffer[] { data }, 0, 1);
	}

	@Override
	public long read(ByteBuffer[] data, int offset, int length) throws IOException {
		return reading(() -> readRecords(data, offset, length));
	}

	private long readRecords(ByteBuffer[] data, int offset, int length) throws IOException {
		SSLEngine engine = this.sslEngine;
		if (isOver() || !this.handshakeComplete) {
			return -1;
		}
		this.netInBuffer = this.buffers.received().lend(this.netInBuffer);
		boolean readable = false;
		try {
			boolean ended = this.sc.read(this.netInBuffer) == -1;
			this.netInBuffer.flip();
			readable = true;
			long read = this.reader.unwrapAll(engine, this.netInBuffer, data, offset, length, this.answer);
			return (read == 0 && (ended || engine.isInboundDone())) ? -1 : read;
		}
		catch (IOException | RuntimeException ex) {
			throw fail(ex);
		}
		finally {
			if (!readable) {
				this.netInBuffer.flip();
			}
			this.netInBuffer = this.buffers.received().takeBack(this.netInBuffer);
		}
	}

	@Override
	boolean isStalled() {
		return this.reader.isWithoutData();
	}

	private boolean isOver() {
		return this.closing || this.closed || this.broken || this.sslEngine == null;
	}

	@Override
	public int write(ByteBuffer data) throws IOException {
		return (int) write(new ByteBuffer[] { data }, 0, 1);
	}

	@Override
	public long write(ByteBuffer[] data, int offset, int length) throws IOException {
		return writing(() -> writeRecords(data, offset, length));
	}

	private long writeRecords(ByteBuffer[] data, int offset, int length) throws IOException {
		checkInterruptStatus();
		if (isOver()) {
			throw new IOException("The connection is closed");
		}
		if (!flushKept() || !RecordReader.hasRemaining(data, offset, length)) {
			return 0;
		}
		return send(data, offset, length);
	}

	@Override
	public boolean flushOutbound() throws IOException {
		synchronized (this.output) {
			int before = this.netOutBuffer.remaining();
			flushKept();
			return this.netOutBuffer.remaining() < before;
		}
	}

	// Sends what the socket did not accept earlier
	private boolean flushKept() throws IOException {
		boolean flushed = flush(this.netOutBuffer);
		if (flushed) {
			this.netOutBuffer = RecordBuffers.NONE;
		}
		return flushed;
	}

	private long send(ByteBuffer[] data, int offset, int length) throws IOException {
		lendOutput();
		try {
			long written = wrap(data, offset, length).bytesConsumed();
			if (written > 0) {
				this.budget.sent(TlsRecords.count(this.netOutBuffer));
			}
			flush(this.netOutBuffer);
			return written;
		}
		finally {
			giveBackOutput();
		}
	}

	// Returns whether there was something to keep, and room for it
	private boolean keepMore() throws IOException {
		int kept = this.netOutBuffer.remaining();
		if (kept > MOST_KEPT) {
			return false;
		}
		ByteBuffer more = this.buffers.sent().lend(RecordBuffers.NONE);
		try {
			int added = wrap(NOTHING, 0, 1, more).bytesProduced();
			this.netOutBuffer = ByteBuffer.allocate(kept + added).put(this.netOutBuffer).put(more).flip();
			return added > 0;
		}
		finally {
			empty(more);
			this.buffers.sent().takeBack(more);
		}
	}

	private SSLEngineResult wrap(ByteBuffer[] data, int offset, int length) throws IOException {
		return wrap(data, offset, length, this.netOutBuffer);
	}

	private SSLEngineResult wrap(ByteBuffer[] data, int offset, int length, ByteBuffer out) throws IOException {
		try {
			return RecordWriter.wrap(this.sslEngine, data, offset, length, out);
		}
		catch (IOException | RuntimeException ex) {
			throw broken(ex);
		}
	}

	private void lendOutput() {
		this.netOutBuffer = this.buffers.sent().lend(this.netOutBuffer).flip();
	}

	private void giveBackOutput() {
		this.netOutBuffer = this.buffers.sent().takeBack(this.netOutBuffer);
	}

	// Sends the engine's alert for an error. Nothing else is sent from then on
	private IOException fail(Exception ex) {
		synchronized (this.output) {
			if (!this.broken) {
				try {
					this.answer.send();
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

	@Override
	void sendCloseNotify() {
		lendOutput();
		try {
			if (this.broken) {
				this.closing = true;
				flush(this.netOutBuffer);
				drain();
			}
			else {
				super.sendCloseNotify();
			}
		}
		catch (IOException ex) {
			// For example, the client has reset the connection
			logger.debug("The close_notify of a connection could not be sent", ex);
		}
		finally {
			// Nothing more is sent
			empty(this.netOutBuffer);
			giveBackOutput();
		}
	}

	// If unread bytes were left, the close would reset the connection before the client
	// has read the alert
	private void drain() throws IOException {
		ByteBuffer buffer = this.buffers.received().lend(RecordBuffers.NONE);
		try {
			for (int i = 0; i < MOST_DRAINS && this.sc.read(buffer.clear()) == buffer.capacity(); i++) {
				continue;
			}
		}
		finally {
			empty(buffer);
			this.buffers.received().takeBack(buffer);
		}
	}

	/**
	 * Free the memory that OpenSSL holds for the connection. The engine itself frees it
	 * only if a {@code close_notify} was sent, and otherwise leaves it to the garbage
	 * collector.
	 */
	@Override
	void releaseEngine() {
		try {
			if (this.sslEngine instanceof OpenSSLEngine engine) {
				engine.shutdown();
			}
		}
		finally {
			this.application.release();
		}
	}

	@Override
	void beginService() {
		this.application.beginService();
	}

	@Override
	void endService(boolean idle) {
		this.application.endService(idle);
	}

	/**
	 * Sends what the engine has for the client, or keeps it while the client reads
	 * slowly.
	 */
	private final class EngineAnswer implements RecordReader.Answer {

		@Override
		public void send() throws IOException {
			synchronized (OpenSslNioChannel.this.output) {
				if (flushKept()) {
					OpenSslNioChannel.this.send(NOTHING, 0, 1);
				}
			}
		}

		@Override
		public boolean keep() throws IOException {
			synchronized (OpenSslNioChannel.this.output) {
				return keepMore();
			}
		}

	}

}
