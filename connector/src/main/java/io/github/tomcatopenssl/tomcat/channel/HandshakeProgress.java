// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat.channel;

import java.nio.ByteBuffer;
import java.util.Arrays;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;

import org.jspecify.annotations.Nullable;

/**
 * Tells a handshake that failed from one that was completed, which Tomcat's OpenSSL
 * engine calls finished both. The engine gets one record at a time, so that what it sends
 * answers that record. A server that sends something last has completed the handshake
 * with session tickets, or ended it with an alert:
 * <ul>
 * <li>up to TLS 1.2, and before the ServerHello of TLS 1.3, the type of the last record
 * tells an alert;
 * <li>later in TLS 1.3, where the types are encrypted, OpenSSL gives the session a new ID
 * for each ticket that it sends ({@code tls_construct_new_session_ticket}), and leaves it
 * as it was with an alert. The client cannot have finished before the server has.
 * </ul>
 */
final class HandshakeProgress {

	private final ByteBuffer lastHeader = ByteBuffer.allocate(TlsRecords.HEADER);

	private int left;

	private boolean finishedSent;

	private byte @Nullable [] sessionId;

	/**
	 * Take in what the engine has wrapped.
	 * @param engine the engine
	 * @param result the result of the engine
	 * @param sent the bytes that it has wrapped, from the first to the limit of the
	 * buffer
	 * @return whether the handshake has failed, and {@code sent} ends with the alert
	 */
	boolean hasFailed(SSLEngine engine, SSLEngineResult result, ByteBuffer sent) {
		if (result.bytesProduced() == 0) {
			// It asked to wrap, for an error that OpenSSL has no alert for
			return true;
		}
		scan(sent);
		int lastType = this.lastHeader.get(0);
		if (lastType != TlsRecords.APPLICATION_DATA) {
			this.finishedSent = false;
			return lastType == TlsRecords.ALERT;
		}
		byte[] id = engine.getSession().getId();
		boolean renewed = this.finishedSent && !Arrays.equals(id, this.sessionId);
		this.finishedSent = true;
		this.sessionId = id;
		return result.getHandshakeStatus() == HandshakeStatus.FINISHED && !renewed;
	}

	// Records go on from one call to the next where they fill the buffer of OpenSSL
	private void scan(ByteBuffer sent) {
		int i = 0;
		while (i < sent.limit()) {
			if (this.left > 0) {
				int step = Math.min(this.left, sent.limit() - i);
				this.left -= step;
				i += step;
				continue;
			}
			this.lastHeader.put(sent.get(i++));
			if (!this.lastHeader.hasRemaining()) {
				this.left = TlsRecords.length(this.lastHeader, 0);
				this.lastHeader.clear();
			}
		}
	}

}
