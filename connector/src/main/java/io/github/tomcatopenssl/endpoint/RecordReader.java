// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.nio.ByteBuffer;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLEngineResult.Status;
import javax.net.ssl.SSLException;

/**
 * Passes records to Tomcat's OpenSSL engine one at a time. Of several records, the engine
 * hides what follows an empty one, and its result does not say which record it is about.
 */
final class RecordReader {

	private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

	private final RecordBudget budget;

	/**
	 * Whether the engine may hold data that did not fit.
	 */
	private boolean undelivered;

	/**
	 * Whether only records without data were received last time, and nothing was sent
	 * since the time before.
	 */
	private volatile boolean withoutData;

	RecordReader(RecordBudget budget) {
		this.budget = budget;
	}

	/**
	 * Unwrap all complete records, as long as there is room for their data.
	 * @param engine the engine
	 * @param in the received bytes, ready to be read
	 * @param data the buffers for the data
	 * @param offset the index of the first buffer to use
	 * @param length the number of buffers to use
	 * @param answer called after each record that brought no data, and if the engine
	 * takes no more
	 * @return the number of bytes of data
	 * @throws IOException if a record is invalid, if the answer cannot be sent, if the
	 * engine takes no more because the client does not read its answers, or if the client
	 * sends too many records without data
	 */
	long unwrapAll(SSLEngine engine, ByteBuffer in, ByteBuffer[] data, int offset, int length, Answer answer)
			throws IOException {
		long read = 0;
		int records = 0;
		while (hasRemaining(data, offset, length)) {
			boolean held = this.undelivered;
			SSLEngineResult result = held ? engine.unwrap(NOTHING, data, offset, length)
					: unwrap(engine, in, data, offset, length);
			if (!held && result.bytesConsumed() == 0) {
				if (TlsRecords.size(in) == 0 || engine.isInboundDone()) {
					break;
				}
				if (!answer.keep()) {
					throw new IOException("The client does not read what it makes the server send");
				}
				continue;
			}
			records++;
			read += result.bytesProduced();
			this.undelivered = !hasRemaining(data, offset, length);
			if (result.bytesProduced() == 0) {
				answer.send();
				if (!held) {
					this.budget.receivedNoData();
				}
			}
			else {
				this.budget.receivedData();
			}
		}
		boolean sent = this.budget.hasSent();
		this.withoutData = records > 0 && read == 0 && !sent;
		return read;
	}

	/**
	 * Return whether what was received last made no progress.
	 * @return whether all of the records were without data, such as a KeyUpdate, and
	 * nothing was sent since the client was last heard of
	 */
	boolean isWithoutData() {
		return this.withoutData;
	}

	/**
	 * Unwrap records until none is complete, or until the engine has something else to do
	 * than to wait for another one.
	 * @param engine the engine
	 * @param in the received bytes, ready to be read
	 * @param data the buffer for data
	 * @return the last result of the engine, or a buffer underflow if no record is
	 * complete
	 * @throws SSLException if a record is invalid
	 */
	SSLEngineResult unwrapHandshake(SSLEngine engine, ByteBuffer in, ByteBuffer data) throws SSLException {
		SSLEngineResult result;
		do {
			result = unwrap(engine, in, new ByteBuffer[] { data }, 0, 1);
		}
		while (result.getStatus() == Status.OK && result.getHandshakeStatus() == HandshakeStatus.NEED_UNWRAP);
		return result;
	}

	/**
	 * Unwrap the first record.
	 * @param engine the engine
	 * @param in the received bytes, ready to be read
	 * @param data the buffers for the data
	 * @param offset the index of the first buffer to use
	 * @param length the number of buffers to use
	 * @return the result of the engine, or a buffer underflow if the record is incomplete
	 * @throws SSLException if the record is invalid
	 */
	private SSLEngineResult unwrap(SSLEngine engine, ByteBuffer in, ByteBuffer[] data, int offset, int length)
			throws SSLException {
		int limit = in.limit();
		int size = TlsRecords.size(in);
		if (size == 0) {
			return new SSLEngineResult(Status.BUFFER_UNDERFLOW, HandshakeStatus.NEED_UNWRAP, 0, 0);
		}
		in.limit(in.position() + size);
		try {
			SSLEngineResult result = engine.unwrap(in, data, offset, length);
			// A record that does not fit into OpenSSL's buffer is passed in parts
			while (in.hasRemaining() && result.bytesConsumed() > 0) {
				result = engine.unwrap(in, data, offset, length);
			}
			return result;
		}
		finally {
			in.limit(limit);
		}
	}

	static boolean hasRemaining(ByteBuffer[] buffers, int offset, int length) {
		for (int i = offset; i < offset + length; i++) {
			if (buffers[i].hasRemaining()) {
				return true;
			}
		}
		return false;
	}

	/**
	 * Sends what the engine has for the peer, such as an alert.
	 */
	interface Answer {

		void send() throws IOException;

		/**
		 * Keep what cannot be sent yet, so that the engine has room for more.
		 * @return whether there is more room
		 * @throws IOException if the engine fails
		 */
		boolean keep() throws IOException;

	}

}
