// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.engine;

import java.nio.ByteBuffer;
import java.security.cert.Certificate;
import java.security.cert.X509Certificate;
import java.util.Arrays;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;
import javax.net.ssl.SSLPeerUnverifiedException;

import org.jspecify.annotations.Nullable;

/**
 * A session of JSSE.
 */
final class JsseSession implements TlsSession {

	/**
	 * Size of an unencrypted alert (RFC 8446, 6), in bytes with the header.
	 */
	private static final int UNENCRYPTED_ALERT = TlsRecords.HEADER + 2;

	private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

	private final SSLEngine engine;

	private boolean begun;

	/**
	 * Data that did not fit.
	 */
	private volatile ByteBuffer rest = NOTHING;

	JsseSession(SSLEngine engine) {
		this.engine = engine;
	}

	@Override
	public Progress handshake(ByteBuffer in, ByteBuffer out) throws SSLException {
		try {
			if (!this.begun) {
				this.begun = true;
				this.engine.beginHandshake();
			}
			boolean taken = false;
			while (true) {
				switch (this.engine.getHandshakeStatus()) {
					case NEED_TASK -> runTasks();
					case NEED_WRAP -> {
						if (!wrap(out)) {
							return Progress.NEEDS_ROOM;
						}
					}
					case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
						if (taken || TlsRecords.size(in) == 0) {
							return Progress.NEEDS_RECORD;
						}
						taken = true;
						unwrap(in);
					}
					default -> {
						return Progress.DONE;
					}
				}
			}
		}
		catch (RuntimeException ex) {
			// A provider cannot use the key, or the list of CAs is too long
			SSLException failure = new SSLHandshakeException(String.valueOf(ex.getMessage()));
			failure.initCause(ex);
			throw failure;
		}
	}

	// JSSE throws what a task has thrown at the next call
	private void runTasks() throws SSLException {
		Runnable task;
		while ((task = this.engine.getDelegatedTask()) != null) {
			task.run();
		}
		this.engine.unwrap(NOTHING, NOTHING);
	}

	// Returns whether there was room
	private boolean wrap(ByteBuffer out) throws SSLException {
		if (out.remaining() < this.engine.getSession().getPacketBufferSize()) {
			return false;
		}
		SSLEngineResult result = this.engine.wrap(NOTHING, out);
		if (result.getStatus() == Status.BUFFER_OVERFLOW) {
			return false;
		}
		if (result.getStatus() == Status.CLOSED && result.bytesProduced() == 0) {
			throw new SSLException("The session is closed");
		}
		return true;
	}

	// OpenSSL's clients refuse a certificate before they encrypt anything, also with
	// TLS 1.3, where JSSE fails to decrypt it
	private void unwrap(ByteBuffer in) throws SSLException {
		int start = in.position();
		boolean encrypted = in.get(start) != TlsRecords.ALERT || TlsRecords.size(in) != UNENCRYPTED_ALERT;
		int alert = encrypted ? -1 : in.get(start + UNENCRYPTED_ALERT - 1) & 0xFF;
		try {
			unwrap(in, NOTHING);
		}
		catch (SSLException ex) {
			throw encrypted ? ex : new UnencryptedAlertException(alert, ex);
		}
	}

	private SSLEngineResult unwrap(ByteBuffer in, ByteBuffer data) throws SSLException {
		int limit = in.limit();
		in.limit(in.position() + TlsRecords.size(in));
		try {
			return this.engine.unwrap(in, data);
		}
		finally {
			in.limit(limit);
		}
	}

	@Override
	public int read(ByteBuffer in, ByteBuffer data) throws SSLException {
		if (!this.rest.hasRemaining()) {
			int before = in.position();
			ByteBuffer target = data;
			boolean renegotiates = in.hasRemaining() && in.get(before) == TlsRecords.HANDSHAKE;
			SSLEngineResult result = unwrap(in, target);
			if (renegotiates) {
				// JSSE refuses it only if the system property was set before the first
				// handshake in the JVM, which can be one of a client
				this.engine.closeOutbound();
				throw new SSLException("The client asks to renegotiate");
			}
			if (result.getStatus() == Status.BUFFER_OVERFLOW) {
				target = ByteBuffer.allocate(this.engine.getSession().getApplicationBufferSize());
				result = unwrap(in, target);
			}
			if (result.getHandshakeStatus() == HandshakeStatus.NEED_TASK) {
				runTasks();
			}
			if (in.position() == before && !isShutdown()) {
				throw new SSLException("JSSE takes no more records");
			}
			if (target == data) {
				return result.bytesProduced();
			}
			this.rest = target.flip();
		}
		int length = Math.min(this.rest.remaining(), data.remaining());
		data.put(this.rest.duplicate().limit(this.rest.position() + length));
		this.rest.position(this.rest.position() + length);
		if (!this.rest.hasRemaining()) {
			this.rest = NOTHING;
		}
		return length;
	}

	@Override
	public boolean hasData() {
		return this.rest.hasRemaining();
	}

	@Override
	public int write(ByteBuffer[] data, int offset, int length, ByteBuffer out) throws SSLException {
		int written = 0;
		while (hasRemaining(data, offset, length)
				&& out.remaining() >= this.engine.getSession().getPacketBufferSize()) {
			SSLEngineResult result = this.engine.wrap(data, offset, length, out);
			if (result.getStatus() != Status.OK || result.bytesProduced() == 0) {
				throw new SSLException("JSSE returned the status " + result.getStatus());
			}
			written += result.bytesConsumed();
		}
		return written;
	}

	private static boolean hasRemaining(ByteBuffer[] buffers, int offset, int length) {
		return Arrays.stream(buffers, offset, offset + length).anyMatch(ByteBuffer::hasRemaining);
	}

	@Override
	public void drain(ByteBuffer out) {
		try {
			while (this.engine.getHandshakeStatus() == HandshakeStatus.NEED_WRAP && wrap(out)) {
				continue;
			}
		}
		catch (SSLException | RuntimeException ex) {
			// The failure is known, and there is no alert for it
		}
	}

	@Override
	public void shutdown() {
		this.engine.closeOutbound();
	}

	@Override
	public boolean isShutdown() {
		return this.engine.isInboundDone();
	}

	@Override
	public @Nullable String applicationProtocol() {
		String protocol = this.engine.getApplicationProtocol();
		return (protocol == null || protocol.isEmpty()) ? null : protocol;
	}

	@Override
	public X509Certificate[] peerCertificates() {
		try {
			Certificate[] chain = this.engine.getSession().getPeerCertificates();
			return (chain != null) ? Arrays.copyOf(chain, chain.length, X509Certificate[].class)
					: new X509Certificate[0];
		}
		catch (SSLPeerUnverifiedException ex) {
			return new X509Certificate[0];
		}
	}

	@Override
	public byte[] id() {
		return this.engine.getSession().getId();
	}

	@Override
	public void invalidate() {
		this.engine.getSession().invalidate();
	}

	@Override
	public void close() {
	}

	/**
	 * The peer has ended a handshake with an unencrypted alert.
	 */
	static final class UnencryptedAlertException extends SSLHandshakeException {

		private static final long serialVersionUID = 1L;

		private final int number;

		UnencryptedAlertException(int number, SSLException cause) {
			super("Received the unencrypted alert " + number);
			initCause(cause);
			this.number = number;
		}

		int number() {
			return this.number;
		}

	}

}
