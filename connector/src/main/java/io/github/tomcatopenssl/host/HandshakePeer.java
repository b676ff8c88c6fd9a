// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.host;

import javax.net.ssl.SSLException;

/**
 * One end of a TLS handshake in memory.
 */
interface HandshakePeer extends AutoCloseable {

	/**
	 * Take what the other end has sent, and go on until more of it is needed.
	 * @param received the records, or nothing to begin the handshake
	 * @return the records for the other end, or nothing
	 * @throws SSLException if this end refuses the handshake
	 */
	byte[] answer(byte[] received) throws SSLException;

	/**
	 * Return whether the handshake is complete for this end.
	 * @return whether it is
	 */
	boolean isComplete();

	@Override
	void close();

}
