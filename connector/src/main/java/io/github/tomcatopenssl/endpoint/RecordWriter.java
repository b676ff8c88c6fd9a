// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.nio.ByteBuffer;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.Status;

/**
 * Has a TLS engine wrap records. If the engine fails, the buffer holds only the records
 * that it had completed before.
 */
final class RecordWriter {

	private RecordWriter() {
	}

	/**
	 * Wrap as many records as are certain to fit into a buffer, at least one.
	 * @param engine the engine
	 * @param data the buffers with the data
	 * @param offset the index of the first buffer to use
	 * @param length the number of buffers to use
	 * @param out the buffer for the records, which is ready to be read afterwards
	 * @return the last result of the engine, with the total numbers of bytes
	 * @throws IOException if the engine fails, or if it is closed and data is left
	 */
	static SSLEngineResult wrap(SSLEngine engine, ByteBuffer[] data, int offset, int length, ByteBuffer out)
			throws IOException {
		out.clear();
		int complete = 0;
		int consumed = 0;
		try {
			SSLEngineResult result;
			do {
				result = engine.wrap(data, offset, length, out);
				consumed += result.bytesConsumed();
				check(result, RecordReader.hasRemaining(data, offset, length));
				complete = out.position();
			}
			while (result.bytesProduced() > 0 && out.remaining() >= RecordBuffers.MAX_RECORD
					&& RecordReader.hasRemaining(data, offset, length));
			return new SSLEngineResult(result.getStatus(), result.getHandshakeStatus(), consumed, complete);
		}
		finally {
			// If the engine fails, the buffer may already hold an alert
			out.limit(complete).position(0);
		}
	}

	private static void check(SSLEngineResult result, boolean dataLeft) throws IOException {
		if (result.getStatus() == Status.BUFFER_OVERFLOW
				|| result.getStatus() == Status.CLOSED && result.bytesProduced() == 0 && dataLeft) {
			throw new IOException("The TLS engine returned the status " + result.getStatus());
		}
	}

}
