// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;

import io.github.tomcatopenssl.internal.engine.TlsRecords;
import io.github.tomcatopenssl.internal.engine.TlsSession;
import io.github.tomcatopenssl.internal.host.ForeignText;
import org.apache.juli.logging.Log;
import org.apache.juli.logging.LogFactory;
import org.apache.tomcat.util.net.NioChannel;
import org.apache.tomcat.util.net.NioEndpoint.NioSocketWrapper;
import org.jspecify.annotations.Nullable;

/**
 * The way between the socket of a connection and its TLS session: I/O, locks, and the
 * life of both. The kind of engine makes no difference here.
 * <p>
 * The channel borrows buffers for records while it works. It keeps only what is left
 * over: part of a record, or bytes that the socket did not accept. After an error, the
 * client gets the alert of the session, and the channel is broken: nothing more is read
 * or written.
 * <p>
 * A channel never serves a second connection: code that still uses a closed connection
 * cannot reach another one.
 */
final class TlsChannel extends NioChannel {

	/**
	 * Maximum number of waiting bytes to which answers of the session are added. It has
	 * room for the answers to some 5,000 KeyUpdates, which are longer than their answers.
	 * Java's client may send as many before it reads the first answer
	 * ({@link RecordBudget}).
	 */
	private static final int MOST_KEPT = 128 * 1024;

	private static final Log logger = LogFactory.getLog(TlsChannel.class);

	/**
	 * Lock for reading.
	 */
	private final Object input = new Object();

	/**
	 * Lock for writing. A thread that needs both locks takes {@link #input} first: reads
	 * and writes of a connection can run at the same time, and both write.
	 */
	private final Object output = new Object();

	private final TlsBuffers buffers;

	private final LentBufferHandler application;

	private final Consumer<SocketChannel> closer;

	private final RecordBudget budget = new RecordBudget();

	private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.OPEN);

	/**
	 * The handshake, which has the session; {@code null} when it is complete.
	 */
	private volatile @Nullable Handshake handshake;

	/**
	 * What the handshake waits for. Only a thread that takes a step uses it.
	 */
	private Handshake.Next next = Handshake.Next.READ;

	/**
	 * The session of a complete handshake.
	 */
	private volatile @Nullable TlsSession session;

	private volatile @Nullable NegotiatedTls negotiated;

	/**
	 * Received bytes that no session has taken, ready to be read. The thread that takes a
	 * step of the handshake uses them, and afterwards one that has {@link #input}.
	 */
	private ByteBuffer received = RecordBuffers.NONE;

	/**
	 * Records that the socket has not accepted, ready to be read. The thread that takes a
	 * step of the handshake uses them, and afterwards one that has {@link #output}.
	 */
	private ByteBuffer unsent = RecordBuffers.NONE;

	/**
	 * Whether the handshake, a read or a write has failed.
	 */
	private volatile boolean broken;

	/**
	 * Whether the client has said that it sends nothing more, by TLS or TCP, or has reset
	 * the connection.
	 */
	private volatile boolean finished;

	/**
	 * Whether only records without data were received last time, and nothing was sent
	 * since the time before.
	 */
	private volatile boolean stalled;

	/**
	 * Create a channel.
	 * @param buffers the buffers that all connections share
	 * @param closer closes a socket while its client may still send something
	 */
	TlsChannel(TlsBuffers buffers, Consumer<SocketChannel> closer) {
		super(new LentBufferHandler(buffers));
		this.buffers = buffers;
		this.closer = closer;
		this.application = (LentBufferHandler) getBufHandler();
	}

	/**
	 * Begin with a handshake.
	 * @param handshake the handshake
	 */
	void begin(Handshake handshake) {
		this.handshake = handshake;
	}

	/**
	 * Attach the channel to its connection. Tomcat also calls this method with
	 * {@code null} to prepare a channel for reuse, which does nothing here.
	 */
	@Override
	public void reset(@Nullable SocketChannel channel, @Nullable NioSocketWrapper wrapper) throws IOException {
		if (channel != null) {
			super.reset(channel, wrapper);
		}
	}

	/**
	 * Do nothing. Another thread may still use the buffers, so they are left to the
	 * garbage collector.
	 */
	@Override
	public void free() {
	}

	/**
	 * Return what the handshake has agreed on.
	 * @return what was negotiated, or {@code null} if the handshake is not complete
	 */
	@Nullable NegotiatedTls negotiated() {
		return this.negotiated;
	}

	/**
	 * Return the session.
	 * @return the session, or {@code null} if the handshake is not complete
	 */
	@Nullable TlsSession session() {
		return this.session;
	}

	/**
	 * Return the handshake.
	 * @return the handshake, or {@code null} if it is complete
	 */
	@Nullable Handshake handshake() {
		return this.handshake;
	}

	@Override
	public boolean isHandshakeComplete() {
		return this.negotiated != null;
	}

	@Override
	public int handshake(boolean read, boolean write) throws IOException {
		return switch (takeHandshakeStep()) {
			case READ -> SelectionKey.OP_READ;
			// Tomcat calls this channel again at once, as the socket is writable
			case FLUSH, HAND_OVER -> SelectionKey.OP_WRITE;
			case SERVE -> 0;
			case END -> -1;
		};
	}

	/**
	 * Take the handshake as far as possible.
	 * @return what comes next
	 * @throws IOException if the handshake fails, or has failed
	 */
	Handshake.Next takeHandshakeStep() throws IOException {
		if (isHandshakeComplete()) {
			return Handshake.Next.SERVE;
		}
		if (this.broken) {
			throw failure();
		}
		Handshake handshake = this.handshake;
		if (handshake == null || !this.phase.compareAndSet(Phase.OPEN, Phase.STEP)) {
			throw new ClosedChannelException();
		}
		try {
			handshake.enter();
			if (flushUnsent()) {
				this.next = proceed(handshake);
			}
			handshake.limitTime();
			if (this.next == Handshake.Next.SERVE) {
				serve(Objects.requireNonNull(handshake.session()), Objects.requireNonNull(handshake.negotiated()));
			}
			return this.next;
		}
		catch (IOException | RuntimeException ex) {
			throw failed(handshake, ex);
		}
		catch (OutOfMemoryError ex) {
			throw failed(handshake, new IllegalStateException(noMemory(ex)));
		}
		catch (StackOverflowError ex) {
			// Tomcat swallows it, and leaves the connection open for good
			throw failed(handshake,
					new IllegalStateException("The client has sent something that is nested too deeply"));
		}
		finally {
			try {
				handshake.leave(this.next);
			}
			finally {
				if (this.phase.getAndUpdate(Phase::left) == Phase.RELEASING) {
					release();
				}
			}
		}
	}

	private Handshake.Next proceed(Handshake handshake) throws IOException {
		ByteBuffer in = this.buffers.received().lend(this.received);
		try {
			if (this.next == Handshake.Next.READ && isAtEnd(in)) {
				throw new EOFException("The client closed the connection during the handshake");
			}
			return takeSteps(handshake, in);
		}
		finally {
			this.received = this.buffers.received().takeBack(in.flip());
		}
	}

	private Handshake.Next takeSteps(Handshake handshake, ByteBuffer in) throws IOException {
		ByteBuffer out = this.buffers.sent().lend(RecordBuffers.NONE);
		try {
			Handshake.Next next;
			do {
				try {
					next = handshake.step(in, out.clear());
				}
				finally {
					send(out.flip());
				}
			}
			while (next == Handshake.Next.FLUSH && !out.hasRemaining());
			return next;
		}
		finally {
			this.unsent = this.buffers.sent().takeBack(out);
		}
	}

	// Tomcat can log what is thrown, and the cause can contain what a stranger has sent
	private IOException failed(Handshake handshake, Exception cause) {
		this.broken = true;
		this.received = RecordBuffers.NONE;
		handshake.failed(cause);
		return failure();
	}

	private static IOException failure() {
		return new SSLHandshakeException("The handshake has failed");
	}

	/**
	 * Read and write with a session from now on.
	 * @param session the session
	 * @param negotiated what its handshake has agreed on
	 */
	void serve(TlsSession session, NegotiatedTls negotiated) {
		this.session = session;
		this.negotiated = negotiated;
		this.handshake = null;
	}

	private boolean isAtEnd(ByteBuffer in) throws IOException {
		boolean open = false;
		try {
			open = this.sc.read(in) != -1;
		}
		finally {
			this.finished = !open;
		}
		return !open;
	}

	@Override
	public int read(ByteBuffer data) throws IOException {
		return (int) read(new ByteBuffer[] { data }, 0, 1);
	}

	@Override
	public long read(ByteBuffer[] data, int offset, int length) throws IOException {
		synchronized (this.input) {
			try {
				return readRecords(data, offset, length);
			}
			catch (OutOfMemoryError ex) {
				throw noMemory(ex);
			}
		}
	}

	private long readRecords(ByteBuffer[] data, int offset, int length) throws IOException {
		TlsSession session = this.session;
		if (isOver() || session == null || this.negotiated == null) {
			return -1;
		}
		// The rest of a record needs the room that its record had
		boolean enough = session.hasData() || TlsRecords.size(this.received) > 0;
		ByteBuffer in = this.buffers.received().lend(this.received);
		boolean readable = false;
		try {
			boolean ended = !enough && isAtEnd(in);
			in.flip();
			readable = true;
			long read = decrypt(session, in, data, offset, length);
			return (read == 0 && (ended || session.isShutdown())) ? -1 : read;
		}
		catch (IOException | RuntimeException ex) {
			throw fail(session, ex);
		}
		finally {
			this.received = this.buffers.received().takeBack(readable ? in : in.flip());
		}
	}

	private long decrypt(TlsSession session, ByteBuffer in, ByteBuffer[] data, int offset, int length)
			throws IOException {
		long total = 0;
		int records = 0;
		int target = offset;
		while (target < offset + length && (session.hasData() || TlsRecords.size(in) > 0)) {
			if (!data[target].hasRemaining()) {
				target++;
				continue;
			}
			boolean begun = session.hasData();
			int read = session.read(in, data[target]);
			records++;
			total += read;
			if (read > 0) {
				this.budget.receivedData();
			}
			else if (!begun) {
				answer(session);
				if (session.isShutdown()) {
					break;
				}
				this.budget.receivedNoData();
			}
		}
		boolean sent = this.budget.hasSent();
		this.stalled = records > 0 && total == 0 && !sent;
		return total;
	}

	/**
	 * Return whether the last records of the client were no progress.
	 * @return whether it is no reason to keep the connection open for another timeout
	 */
	boolean isStalled() {
		return this.stalled;
	}

	// Sends what the session has for the client after a record without data, or keeps it
	// while the client reads slowly
	private void answer(TlsSession session) throws IOException {
		synchronized (this.output) {
			boolean flushed = flushUnsent();
			ByteBuffer out = this.buffers.sent().lend(RecordBuffers.NONE);
			try {
				session.drain(out);
				out.flip();
				if (flushed) {
					send(out);
				}
				else if (out.hasRemaining()) {
					keep(out);
				}
			}
			finally {
				ByteBuffer rest = this.buffers.sent().takeBack(out);
				this.unsent = flushed ? rest : this.unsent;
			}
		}
	}

	private void keep(ByteBuffer out) throws IOException {
		int kept = this.unsent.remaining();
		if (kept > MOST_KEPT) {
			throw new IOException("The client does not read what it makes the server send");
		}
		if (this.unsent.capacity() - this.unsent.limit() >= out.remaining()) {
			int position = this.unsent.position();
			int limit = this.unsent.limit();
			this.unsent.limit(limit + out.remaining()).position(limit);
			this.unsent.put(out).position(position);
		}
		else {
			this.unsent = ByteBuffer.allocate(2 * (kept + out.remaining())).put(this.unsent).put(out).flip();
		}
	}

	@Override
	public int write(ByteBuffer data) throws IOException {
		return (int) write(new ByteBuffer[] { data }, 0, 1);
	}

	@Override
	public long write(ByteBuffer[] data, int offset, int length) throws IOException {
		synchronized (this.output) {
			try {
				return writeRecords(data, offset, length);
			}
			catch (OutOfMemoryError ex) {
				throw noMemory(ex);
			}
		}
	}

	private long writeRecords(ByteBuffer[] data, int offset, int length) throws IOException {
		checkInterruptStatus();
		TlsSession session = this.session;
		if (isOver() || session == null) {
			throw new IOException("The connection is closed");
		}
		if (!flushUnsent() || !hasRemaining(data, offset, length)) {
			return 0;
		}
		ByteBuffer out = this.buffers.sent().lend(RecordBuffers.NONE);
		boolean readable = false;
		try {
			int written = session.write(data, offset, length, out);
			out.flip();
			readable = true;
			if (written > 0) {
				this.budget.sent(TlsRecords.count(out));
			}
			send(out);
			return written;
		}
		catch (IOException | RuntimeException ex) {
			throw broken(ex);
		}
		finally {
			// Nothing is sent that the session has not completed
			this.unsent = this.buffers.sent().takeBack(readable ? out : out.limit(0));
		}
	}

	private static boolean hasRemaining(ByteBuffer[] buffers, int offset, int length) {
		for (int i = offset; i < offset + length; i++) {
			if (buffers[i].hasRemaining()) {
				return true;
			}
		}
		return false;
	}

	@Override
	public int getOutboundRemaining() {
		synchronized (this.output) {
			return this.unsent.remaining();
		}
	}

	@Override
	public boolean flushOutbound() throws IOException {
		synchronized (this.output) {
			int before = this.unsent.remaining();
			flushUnsent();
			return this.unsent.remaining() < before;
		}
	}

	// Sends what the socket did not accept earlier
	private boolean flushUnsent() throws IOException {
		boolean flushed = send(this.unsent);
		if (flushed) {
			this.unsent = RecordBuffers.NONE;
		}
		return flushed;
	}

	private boolean send(ByteBuffer records) throws IOException {
		while (records.hasRemaining() && this.sc.write(records) > 0) {
			continue;
		}
		return !records.hasRemaining();
	}

	private boolean isOver() {
		return isClosing() || this.broken;
	}

	// Sends the alert of the session for an error
	private IOException fail(TlsSession session, Exception ex) {
		synchronized (this.output) {
			if (!this.broken) {
				try {
					answer(session);
				}
				catch (IOException suppressed) {
					// The first failure counts
				}
			}
			return broken(ex);
		}
	}

	// Tomcat and applications can log what is thrown
	private IOException broken(Exception ex) {
		this.broken = true;
		if (ex instanceof IOException io && !(ex instanceof SSLException)) {
			return io;
		}
		SSLException safe = new SSLException(ForeignText.of(ex));
		safe.setStackTrace(ex.getStackTrace());
		return safe;
	}

	// Tomcat closes a connection after an exception, but leaves it open after an error
	private static IOException noMemory(OutOfMemoryError ex) {
		return new IOException("Not enough memory for the connection: " + ex.getMessage(), ex);
	}

	@Override
	public boolean isClosing() {
		return this.phase.get().isClosed();
	}

	@Override
	public void close(boolean force) throws IOException {
		try {
			close();
		}
		finally {
			if (force) {
				closeSocket();
			}
		}
	}

	private void closeSocket() throws IOException {
		if (this.finished || this.phase.get() != Phase.ENDED) {
			this.sc.close();
		}
		else {
			this.closer.accept(this.sc);
		}
	}

	/**
	 * Send {@code close_notify} to the client, as far as the socket accepts it, unless a
	 * step of the handshake is being taken. That step can block for a long time, for
	 * example while it waits for an OCSP responder, and the thread that closes the
	 * connection does not wait for it.
	 */
	@Override
	public void close() throws IOException {
		if (this.phase.getAndUpdate(Phase::closed) != Phase.OPEN) {
			return;
		}
		synchronized (this.output) {
			try {
				sendCloseNotify();
			}
			catch (IOException ex) {
				// For example, the client has reset the connection
				logger.debug("The close_notify of a connection could not be sent", ex);
			}
			finally {
				this.unsent = RecordBuffers.NONE;
			}
		}
	}

	private void sendCloseNotify() throws IOException {
		Handshake handshake = this.handshake;
		TlsSession session = (handshake != null) ? handshake.session() : this.session;
		if (flushUnsent() && session != null && !this.broken) {
			this.finished |= session.isShutdown();
			ByteBuffer out = this.buffers.sent().lend(RecordBuffers.NONE);
			try {
				session.shutdown();
				session.drain(out);
				send(out.flip());
			}
			finally {
				this.buffers.sent().takeBack(out.limit(0));
			}
		}
	}

	/**
	 * Release what the channel holds, after the connection was closed: immediately, or
	 * when the step of the handshake returns.
	 */
	void release() {
		if (this.phase.updateAndGet(Phase::released) == Phase.RELEASING) {
			return;
		}
		Handshake handshake = this.handshake;
		TlsSession session = this.session;
		if (session != null) {
			session.close();
		}
		this.application.release();
		if (handshake != null) {
			handshake.close();
		}
	}

	/**
	 * Start to serve the connection on the current thread.
	 */
	void beginService() {
		this.application.beginService();
	}

	/**
	 * Stop serving the connection on the current thread.
	 * @param idle whether the connection has no request in progress
	 */
	void endService(boolean idle) {
		this.application.endService(idle);
	}

	/**
	 * The phase of a channel.
	 */
	private enum Phase {

		/**
		 * No thread takes a step of the handshake.
		 */
		OPEN,

		/**
		 * A thread takes a step of the handshake.
		 */
		STEP,

		/**
		 * The connection is closed, and ends when the step returns.
		 */
		ENDING,

		/**
		 * The thread that takes the step releases the channel.
		 */
		RELEASING,

		/**
		 * The connection is closed.
		 */
		ENDED;

		Phase left() {
			return (this == STEP) ? OPEN : ENDED;
		}

		Phase closed() {
			return switch (this) {
				case OPEN -> ENDED;
				case STEP -> ENDING;
				case ENDING, RELEASING, ENDED -> this;
			};
		}

		Phase released() {
			return switch (this) {
				case OPEN, ENDED -> ENDED;
				case STEP, ENDING, RELEASING -> RELEASING;
			};
		}

		boolean isClosed() {
			return this != OPEN && this != STEP;
		}

	}

}
