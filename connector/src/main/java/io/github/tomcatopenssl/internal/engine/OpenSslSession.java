// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.engine;

import java.nio.ByteBuffer;
import java.security.cert.CertificateException;
import java.security.cert.X509Certificate;

import javax.net.ssl.SSLException;

import io.github.tomcatopenssl.internal.library.OpenSslError;
import io.github.tomcatopenssl.internal.library.OpenSslErrors;
import org.apache.tomcat.jni.Buffer;
import org.apache.tomcat.jni.SSL;
import org.jspecify.annotations.Nullable;

/**
 * A session of OpenSSL ({@code SSL}), with a pair of BIOs in place of a socket. OpenSSL
 * gets one record at a time, so its answer is about this record. Its bytes for the peer
 * are taken at once, so that it never waits for room. All buffers for records must be
 * direct; those for data need not be. No call leaves an error in the list of OpenSSL,
 * where it would be taken for one of the thread's next connection.
 */
final class OpenSslSession implements TlsSession {

	private static final int RECEIVED_SHUTDOWN = 2;

	private final OpenSslContext context;

	private final long ssl;

	private final long network;

	private boolean complete;

	private boolean shutdown;

	private boolean freed;

	/**
	 * Whether OpenSSL holds data that did not fit.
	 */
	private volatile boolean undelivered;

	/**
	 * Whether OpenSSL may have records for the peer that were not taken yet.
	 */
	private boolean hasOutput;

	private final AddressedBuffer received = new AddressedBuffer();

	private final AddressedBuffer sent = new AddressedBuffer();

	private final AddressedBuffer data = new AddressedBuffer();

	OpenSslSession(OpenSslContext context, long contextAddress, boolean server) {
		this.context = context;
		this.ssl = SSL.newSSL(contextAddress, server);
		boolean created = false;
		try {
			this.network = SSL.makeNetworkBIO(this.ssl);
			created = true;
		}
		finally {
			if (!created) {
				SSL.freeSSL(this.ssl);
			}
			// Tomcat Native looks for a file with random bytes
			OpenSslErrors.clear();
		}
		NativeMemory.sessionCreated();
	}

	long address() {
		return this.ssl;
	}

	@Override
	public synchronized Progress handshake(ByteBuffer in, ByteBuffer out) throws SSLException {
		requireAlive();
		if (this.hasOutput) {
			drain(out);
		}
		int end = in.position() + (this.complete ? 0 : TlsRecords.size(in));
		boolean more = !this.complete;
		while (more && out.hasRemaining()) {
			boolean taken = take(in, end);
			OpenSslErrors.clear();
			this.complete = SSL.doHandshake(this.ssl) > 0;
			if (!this.complete) {
				requireNoError();
			}
			int given = give(out, out.limit());
			// OpenSSL stops early only if a BIO was full: what does not fit is passed in
			// parts
			more = !this.complete && (taken && in.position() < end || given >= TlsRecords.MAX_PLAINTEXT);
		}
		this.hasOutput = !out.hasRemaining();
		if (this.hasOutput) {
			return Progress.NEEDS_ROOM;
		}
		if (this.complete) {
			return Progress.DONE;
		}
		this.shutdown = hasReceivedShutdown();
		return Progress.NEEDS_RECORD;
	}

	@Override
	public synchronized int read(ByteBuffer in, ByteBuffer data) throws SSLException {
		requireAlive();
		int end = this.undelivered ? in.position() : in.position() + TlsRecords.size(in);
		boolean taken;
		do {
			taken = take(in, end);
			int most = data.isDirect() ? data.remaining() : Math.min(room(in), data.remaining());
			int read = data.isDirect() ? readDirect(data) : readStaged(in, data, most);
			if (read > 0) {
				this.undelivered = read == most && read < TlsRecords.MAX_PLAINTEXT
						&& SSL.pendingReadableBytesInSSL(this.ssl) > 0;
				return read;
			}
			this.hasOutput = true;
			requireNoError();
			// A record that does not fit into the BIO is passed in parts
		}
		while (in.position() < end && taken);
		this.undelivered = false;
		this.shutdown = hasReceivedShutdown();
		if (in.position() < end && !this.shutdown) {
			throw new SSLException("OpenSSL takes no more records");
		}
		return 0;
	}

	private int readDirect(ByteBuffer data) {
		int read = SSL.readFromSSL(this.ssl, this.data.address(data) + data.position(), data.remaining());
		if (read > 0) {
			data.position(data.position() + read);
		}
		return read;
	}

	// The data takes the place of its record, which OpenSSL has, and is smaller
	private int readStaged(ByteBuffer in, ByteBuffer data, int most) {
		int start = (in.position() >= in.capacity() - in.limit()) ? 0 : in.limit();
		int read = SSL.readFromSSL(this.ssl, this.received.address(in) + start, most);
		if (read > 0) {
			data.put(in.duplicate().limit(start + read).position(start));
		}
		return read;
	}

	// The larger of the two parts before and behind the remaining bytes
	private static int room(ByteBuffer in) {
		return Math.max(in.position(), in.capacity() - in.limit());
	}

	@Override
	public boolean hasData() {
		return this.undelivered;
	}

	@Override
	public synchronized int write(ByteBuffer[] data, int offset, int length, ByteBuffer out) throws SSLException {
		requireAlive();
		if (this.hasOutput) {
			drain(out);
		}
		int written = 0;
		for (int i = offset; i < offset + length; i++) {
			while (data[i].hasRemaining()) {
				boolean last = data[i].remaining() >= TlsRecords.MAX_PLAINTEXT || i == offset + length - 1;
				int encrypted = (data[i].isDirect() && last) ? writeDirect(data[i], out)
						: writeStaged(data, i, offset + length, out);
				if (encrypted == 0) {
					return written;
				}
				written += encrypted;
			}
		}
		return written;
	}

	private int writeDirect(ByteBuffer data, ByteBuffer out) throws SSLException {
		int length = Math.min(data.remaining(), TlsRecords.MAX_PLAINTEXT);
		if (out.remaining() < ROOM) {
			return 0;
		}
		encrypt(this.data.address(data) + data.position(), length, out, out.limit());
		data.position(data.position() + length);
		return length;
	}

	// Small buffers, such as the header of a frame and its content, become one record.
	// Its data is put at the end of the buffer, and the record at its start
	private int writeStaged(ByteBuffer[] data, int from, int to, ByteBuffer out) throws SSLException {
		int length = 0;
		for (int i = from; i < to && length < TlsRecords.MAX_PLAINTEXT; i++) {
			length = Math.min(length + data[i].remaining(), TlsRecords.MAX_PLAINTEXT);
		}
		if (out.remaining() < ROOM + length) {
			return 0;
		}
		int start = out.limit() - length;
		ByteBuffer staged = out.duplicate().position(start);
		for (int i = from; staged.hasRemaining(); i++) {
			ByteBuffer part = data[i].duplicate();
			part.limit(part.position() + Math.min(part.remaining(), staged.remaining()));
			data[i].position(part.limit());
			staged.put(part);
		}
		encrypt(this.sent.address(out) + start, length, out, start);
		return length;
	}

	// OpenSSL writes all of it, or nothing and has to be asked again with the same data.
	// A client may have asked for small records, whose headers fill the BIO
	private void encrypt(long address, int length, ByteBuffer out, int limit) throws SSLException {
		while (SSL.writeToSSL(this.ssl, address, length) <= 0) {
			requireNoError();
			if (give(out, limit) == 0) {
				throw new SSLException("OpenSSL does not write");
			}
		}
		give(out, limit);
	}

	@Override
	public synchronized void drain(ByteBuffer out) {
		if (!this.freed) {
			give(out, out.limit());
			this.hasOutput = !out.hasRemaining();
		}
	}

	@Override
	public synchronized void shutdown() {
		if (!this.freed && this.complete) {
			SSL.shutdownSSL(this.ssl);
			this.hasOutput = true;
			OpenSslErrors.clear();
		}
	}

	@Override
	public synchronized boolean isShutdown() {
		return this.shutdown;
	}

	@Override
	public synchronized @Nullable String applicationProtocol() {
		return this.freed ? null : SSL.getAlpnSelected(this.ssl);
	}

	@Override
	public synchronized X509Certificate[] peerCertificates() {
		byte[] leaf = (!this.freed && this.context.verifiesClients()) ? SSL.getPeerCertificate(this.ssl) : null;
		if (leaf == null) {
			return new X509Certificate[0];
		}
		byte[][] issuers = SSL.getPeerCertChain(this.ssl);
		byte[][] chain = new byte[1 + ((issuers != null) ? issuers.length : 0)][];
		chain[0] = leaf;
		for (int i = 1; i < chain.length; i++) {
			chain[i] = issuers[i - 1];
		}
		try {
			return OpenSslContext.certificates(chain);
		}
		catch (CertificateException ex) {
			throw new IllegalStateException("A certificate that was accepted cannot be read", ex);
		}
	}

	@Override
	public synchronized byte[] id() {
		byte[] id = this.freed ? null : SSL.getSessionId(this.ssl);
		return (id != null) ? id : new byte[0];
	}

	@Override
	public void invalidate() {
	}

	@Override
	public synchronized void close() {
		if (!this.freed) {
			this.freed = true;
			this.context.forget(this.ssl);
			SSL.freeBIO(this.network);
			SSL.freeSSL(this.ssl);
			OpenSslErrors.clear();
			NativeMemory.sessionFreed();
			this.context.release();
		}
	}

	private boolean hasReceivedShutdown() {
		return (SSL.getShutdown(this.ssl) & RECEIVED_SHUTDOWN) != 0;
	}

	// Gives bytes of the peer to OpenSSL, and returns whether it took any
	private boolean take(ByteBuffer in, int end) {
		int length = end - in.position();
		int taken = (length > 0) ? SSL.writeToBIO(this.network, this.received.address(in) + in.position(), length) : 0;
		if (taken > 0) {
			in.position(in.position() + taken);
		}
		return taken > 0;
	}

	// Takes bytes for the peer from OpenSSL, and returns their number
	private int give(ByteBuffer out, int limit) {
		int room = limit - out.position();
		int given = (room > 0)
				? Math.max(0, SSL.readFromBIO(this.network, this.sent.address(out) + out.position(), room)) : 0;
		out.position(out.position() + given);
		return given;
	}

	private static void requireNoError() throws OpenSslException {
		OpenSslError error = OpenSslErrors.take();
		if (error != null) {
			throw new OpenSslException(error);
		}
	}

	private void requireAlive() throws SSLException {
		if (this.freed) {
			throw new SSLException("The session is closed");
		}
	}

	/**
	 * An error of OpenSSL that has ended a session.
	 */
	static final class OpenSslException extends SSLException {

		private static final long serialVersionUID = 1L;

		private final transient OpenSslError error;

		OpenSslException(OpenSslError error) {
			super(error.text());
			this.error = error;
		}

		OpenSslError error() {
			return this.error;
		}

	}

	/**
	 * Remembers the address of the buffer that was used last: connections share a few.
	 */
	private static final class AddressedBuffer {

		private @Nullable ByteBuffer buffer;

		private long address;

		long address(ByteBuffer buffer) {
			if (this.buffer != buffer) {
				this.address = Buffer.address(buffer);
				this.buffer = buffer;
			}
			return this.address;
		}

	}

}
