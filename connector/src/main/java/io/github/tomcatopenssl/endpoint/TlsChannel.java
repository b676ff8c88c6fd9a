// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.function.Consumer;

import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;

import io.github.tomcatopenssl.engine.TlsRecords;
import io.github.tomcatopenssl.engine.TlsSession;
import io.github.tomcatopenssl.engine.TlsSession.Progress;
import io.github.tomcatopenssl.host.ForeignText;
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

	/**
	 * Lock for the phase.
	 */
	private final Object life = new Object();

	private final TlsBuffers buffers;

	private final LentBufferHandler application;

	private final Consumer<SocketChannel> closer;

	private final RecordBudget budget = new RecordBudget();

	/**
	 * The handshake; {@code null} when it is complete.
	 */
	private volatile @Nullable Handshake handshake;

	/**
	 * Says that the handshake has failed. It is thrown again to the thread that closes
	 * the connection.
	 */
	private volatile @Nullable IOException failure;

	private volatile @Nullable TlsSession session;

	private volatile @Nullable NegotiatedTls negotiated;

	/**
	 * Received bytes that no session has taken, ready to be read.
	 */
	private ByteBuffer received = RecordBuffers.NONE;

	/**
	 * Records that the socket has not accepted, ready to be read.
	 */
	private ByteBuffer unsent = RecordBuffers.NONE;

	private Phase phase = Phase.OPEN;

	private volatile boolean closing;

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
	 * Whether to release the channel when the step of the handshake returns.
	 */
	private boolean releaseLater;

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
	 * @return the session, or {@code null} if there is none yet
	 */
	@Nullable TlsSession session() {
		return this.session;
	}

	/**
	 * Return whether the client may be verified in the next step of the handshake.
	 * @return whether the step must be taken on a thread that may block
	 */
	boolean isVerifying() {
		Handshake handshake = this.handshake;
		return handshake != null && handshake.isVerifying();
	}

	/**
	 * Return whether the handshake takes too long.
	 * @return whether it does
	 */
	boolean isOverdue() {
		Handshake handshake = this.handshake;
		return handshake != null && handshake.isOverdue();
	}

	@Override
	public boolean isHandshakeComplete() {
		return this.handshake == null && this.negotiated != null;
	}

	@Override
	public int handshake(boolean read, boolean write) throws IOException {
		return switch (handshake()) {
			case READ -> SelectionKey.OP_READ;
			// Tomcat calls this channel again at once, as the socket is writable
			case WRITE, HAND_OVER -> SelectionKey.OP_WRITE;
			case SERVE -> 0;
			case END -> -1;
		};
	}

	/**
	 * Take the handshake as far as possible.
	 * @return what comes next
	 * @throws IOException if the handshake fails, or has failed
	 */
	Handshake.Next handshake() throws IOException {
		Handshake handshake = this.handshake;
		IOException failure = this.failure;
		if (isHandshakeComplete()) {
			return Handshake.Next.SERVE;
		}
		if (failure != null) {
			throw failure;
		}
		synchronized (this.life) {
			if (this.phase == Phase.ENDED || handshake == null) {
				throw new ClosedChannelException();
			}
			this.phase = Phase.STEP;
		}
		try {
			return step(handshake);
		}
		finally {
			leaveStep();
		}
	}

	private Handshake.Next step(Handshake handshake) throws IOException {
		try {
			Handshake.Next next = proceed(handshake);
			if (next == Handshake.Next.SERVE) {
				this.negotiated = handshake.negotiated();
				this.handshake = null;
			}
			else if (next == Handshake.Next.END) {
				this.handshake = null;
			}
			return next;
		}
		catch (IOException ex) {
			throw failed(handshake, ex);
		}
		catch (RuntimeException ex) {
			// Tomcat would log it as an error of its own, with a stack trace
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
	}

	// Tomcat can log what is thrown, and the cause can contain what a stranger has sent
	private IOException failed(Handshake handshake, Exception cause) {
		IOException failure = new SSLHandshakeException("The handshake has failed");
		this.broken = true;
		this.failure = failure;
		handshake.failed(cause);
		closeSession();
		return failure;
	}

	private void closeSession() {
		TlsSession session = this.session;
		if (session != null) {
			session.close();
		}
	}

	private Handshake.Next proceed(Handshake handshake) throws IOException {
		ByteBuffer in = this.buffers.received().lend(this.received);
		try {
			return handshake.proceed(this, in);
		}
		finally {
			this.received = this.buffers.received().takeBack(in.flip());
		}
	}

	/**
	 * Read from the socket, during the handshake.
	 * @param in where the bytes are appended
	 * @throws IOException if the client has closed the connection
	 */
	void receive(ByteBuffer in) throws IOException {
		if (isAtEnd(in)) {
			throw new EOFException("The client closed the connection during the handshake");
		}
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

	/**
	 * Use a session from now on.
	 * @param session the session
	 */
	void begin(TlsSession session) {
		this.session = session;
	}

	/**
	 * Take a step with the session, during the handshake, and send what it has for the
	 * client. No other thread uses the channel then.
	 * @param in the bytes of the client, ready to be read
	 * @param sent accepts the records that are sent, ready to be read
	 * @return what the session needs, which is room until all is sent
	 * @throws IOException if the handshake fails
	 */
	Progress advance(ByteBuffer in, Consumer<ByteBuffer> sent) throws IOException {
		TlsSession session = this.session;
		if (session == null) {
			throw new ClosedChannelException();
		}
		if (!flushUnsent()) {
			return Progress.NEEDS_ROOM;
		}
		ByteBuffer out = this.buffers.sent().lend(RecordBuffers.NONE);
		boolean advanced = false;
		try {
			Progress progress = session.handshake(in, out);
			advanced = true;
			return progress;
		}
		finally {
			if (!advanced) {
				session.drain(out);
			}
			sent.accept(out.flip());
			try {
				send(out);
			}
			finally {
				this.unsent = this.buffers.sent().takeBack(out);
			}
		}
	}

	/**
	 * Return whether all records were accepted by the socket.
	 * @return whether nothing waits to be sent
	 */
	boolean isFlushed() {
		return getOutboundRemaining() == 0;
	}

	/**
	 * Answer a client without a session, and break the channel.
	 * @param answer the bytes
	 * @param in a buffer with bytes of the client, which are discarded
	 * @throws IOException if the answer cannot be sent
	 */
	void refuse(byte[] answer, ByteBuffer in) throws IOException {
		synchronized (this.output) {
			send(in.clear().put(answer).flip());
		}
		in.clear();
	}

	private void leaveStep() {
		boolean release;
		synchronized (this.life) {
			this.phase = (this.phase == Phase.ENDING) ? Phase.ENDED : Phase.OPEN;
			release = this.releaseLater;
		}
		if (release) {
			release();
		}
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
		return this.closing || this.broken;
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
		return this.closing;
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
		boolean inStep;
		synchronized (this.life) {
			inStep = this.phase != Phase.ENDED;
		}
		if (this.finished || inStep) {
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
		synchronized (this.life) {
			if (this.phase == Phase.ENDING || this.phase == Phase.ENDED) {
				return;
			}
			this.closing = true;
			if (this.phase == Phase.STEP) {
				this.phase = Phase.ENDING;
				return;
			}
			this.phase = Phase.ENDED;
		}
		synchronized (this.output) {
			try {
				sayGoodbye();
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

	private void sayGoodbye() throws IOException {
		TlsSession session = this.session;
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
		synchronized (this.life) {
			this.closing = true;
			if (this.phase == Phase.STEP || this.phase == Phase.ENDING) {
				this.phase = Phase.ENDING;
				this.releaseLater = true;
				return;
			}
			this.phase = Phase.ENDED;
		}
		try {
			Handshake handshake = this.handshake;
			if (handshake != null) {
				handshake.closed();
			}
		}
		finally {
			closeSession();
			this.application.release();
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
		 * The connection is closed.
		 */
		ENDED

	}

}
