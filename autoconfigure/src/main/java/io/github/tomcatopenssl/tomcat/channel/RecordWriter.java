// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat.channel;

import java.io.IOException;
import java.nio.ByteBuffer;

import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.Status;

/**
 * Has a TLS engine wrap records. The buffer for them ends up empty where it fails.
 */
final class RecordWriter {

	private RecordWriter() {
	}

	/**
	 * Wrap what fits into a record.
	 * @param engine the engine
	 * @param data the data
	 * @param offset the first buffer of it
	 * @param length how many buffers of it
	 * @param out where to put the record, which is then ready to be sent
	 * @return the result of the engine
	 * @throws IOException if the engine fails, or is closed and data is left
	 */
	static SSLEngineResult wrap(SSLEngine engine, ByteBuffer[] data, int offset, int length, ByteBuffer out)
			throws IOException {
		out.clear();
		boolean wrapped = false;
		try {
			SSLEngineResult result = engine.wrap(data, offset, length, out);
			wrapped = true;
			out.flip();
			if (result.getStatus() == Status.BUFFER_OVERFLOW || result.getStatus() == Status.CLOSED
					&& result.bytesProduced() == 0 && RecordReader.hasRemaining(data, offset, length)) {
				throw new IOException("The TLS engine returned the status " + result.getStatus());
			}
			return result;
		}
		finally {
			if (!wrapped) {
				GuardedNioChannel.empty(out);
			}
		}
	}

}
