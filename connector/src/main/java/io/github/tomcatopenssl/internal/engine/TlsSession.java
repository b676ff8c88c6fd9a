// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.engine;

import java.nio.ByteBuffer;
import java.security.cert.X509Certificate;

import javax.net.ssl.SSLException;

import org.jspecify.annotations.Nullable;

/**
 * One end of a TLS connection without its socket: it takes the records of the peer from a
 * buffer, and gives those for the peer into another. One thread at a time reads, one
 * writes, and both may work at once. After an exception, {@link #drain} gives the alert
 * for the peer, and nothing else is called but {@link #close}.
 */
public interface TlsSession extends AutoCloseable {

	/**
	 * Room that a buffer for the peer's records must have, in bytes: a record of maximum
	 * size (RFC 5246, 6.2.3), and more where a client asks for small ones (RFC 6066, 4).
	 */
	int ROOM = 20 * 1024;

	/**
	 * Continue the handshake. At most one record is taken.
	 * @param in the bytes of the peer, ready to be read
	 * @param out where the records for the peer are appended
	 * @return what the session needs to go on
	 * @throws SSLException if the handshake fails
	 */
	Progress handshake(ByteBuffer in, ByteBuffer out) throws SSLException;

	/**
	 * Decrypt one complete record, or deliver the rest of the one before.
	 * @param in the bytes of the peer, ready to be read
	 * @param data where the data is put
	 * @return the number of bytes of data, or 0 if the record has none
	 * @throws SSLException if the record is invalid
	 */
	int read(ByteBuffer in, ByteBuffer data) throws SSLException;

	/**
	 * Return whether the rest of a record waits to be read.
	 * @return whether data is left that did not fit
	 */
	boolean hasData();

	/**
	 * Encrypt as much data as there is room for.
	 * @param data the buffers with the data
	 * @param offset the index of the first buffer to use
	 * @param length the number of buffers to use
	 * @param out where the records are appended
	 * @return the number of bytes of data that were encrypted
	 * @throws SSLException if the session fails
	 */
	int write(ByteBuffer[] data, int offset, int length, ByteBuffer out) throws SSLException;

	/**
	 * Append the records that the session itself has for the peer, such as an alert or
	 * the answer to a KeyUpdate.
	 * @param out where the records are appended
	 */
	void drain(ByteBuffer out);

	/**
	 * Have the session send {@code close_notify} to the peer.
	 */
	void shutdown();

	/**
	 * Return whether the peer has sent {@code close_notify}.
	 * @return whether it has
	 */
	boolean isShutdown();

	/**
	 * Return the application protocol.
	 * @return the protocol that the handshake has negotiated, or {@code null} if there is
	 * none
	 */
	@Nullable String applicationProtocol();

	/**
	 * Return the certificates of the peer.
	 * @return the certificates, its own first; empty if it has presented none
	 */
	X509Certificate[] peerCertificates();

	/**
	 * Return the identifier of the session.
	 * @return the identifier, empty if there is none
	 */
	byte[] id();

	/**
	 * Have the session not be resumed, as far as the engine can: OpenSSL cannot, because
	 * the client keeps the tickets.
	 */
	void invalidate();

	/**
	 * Release the session, once no other method is at work. Another call does nothing.
	 */
	@Override
	void close();

	/**
	 * What a session needs to go on with the handshake.
	 */
	enum Progress {

		/**
		 * Another complete record of the peer.
		 */
		NEEDS_RECORD,

		/**
		 * More room for records for the peer.
		 */
		NEEDS_ROOM,

		/**
		 * Nothing: the handshake is complete.
		 */
		DONE

	}

	/**
	 * Is told why a certificate of the peer is refused.
	 */
	@FunctionalInterface
	interface RefusalListener {

		/**
		 * Ignores all refusals.
		 */
		RefusalListener NONE = (chain, cause) -> {
		};

		/**
		 * Accept a refusal.
		 * @param chain the certificates of the peer, its own first; empty if they cannot
		 * be read
		 * @param cause what the trust manager has thrown
		 */
		void refused(X509Certificate[] chain, Exception cause);

	}

}
