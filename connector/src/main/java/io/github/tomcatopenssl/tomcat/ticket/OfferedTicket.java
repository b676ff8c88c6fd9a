// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat.ticket;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

import org.jspecify.annotations.Nullable;

/**
 * The session ticket that a client offers. It starts with the name of its key (RFC 5077,
 * 4). Only that name is read, to find the context that has the key. Nothing is trusted: a
 * ticket that does not match its key is ignored.
 */
public final class OfferedTicket {

	private static final int RECORD_AND_MESSAGE_HEADER = 9;

	private static final int VERSION_AND_RANDOM = 34;

	/**
	 * Extension {@code session_ticket}, before TLS 1.3.
	 */
	private static final int SESSION_TICKET = 35;

	/**
	 * Extension {@code pre_shared_key}, the last extension of a client (RFC 8446,
	 * 4.2.11).
	 */
	private static final int PRE_SHARED_KEY = 41;

	private static final ThreadLocal<byte[]> CURRENT = new ThreadLocal<>();

	private OfferedTicket() {
	}

	/**
	 * Create an engine for the ticket of a client.
	 * @param received the record with the ClientHello, ready to be written to
	 * @param engine creates the engine on the current thread
	 */
	public static void during(ByteBuffer received, Runnable engine) {
		byte[] keyName = keyName(received.duplicate().flip());
		if (keyName == null) {
			engine.run();
			return;
		}
		CURRENT.set(keyName);
		try {
			engine.run();
		}
		finally {
			CURRENT.remove();
		}
	}

	/**
	 * Return the name of the key of the ticket that the current engine is created for.
	 * @return the name, or {@code null} if the client offers no ticket
	 */
	public static byte @Nullable [] keyName() {
		return CURRENT.get();
	}

	// Returns the key name of the first ticket, or null if the message is malformed or
	// spans several records
	static byte @Nullable [] keyName(ByteBuffer hello) {
		try {
			skip(hello, RECORD_AND_MESSAGE_HEADER + VERSION_AND_RANDOM);
			skip(hello, hello.get() & 0xFF);
			skip(hello, hello.getShort() & 0xFFFF);
			skip(hello, hello.get() & 0xFF);
			ByteBuffer extensions = next(hello);
			byte[] keyName = null;
			while (extensions.hasRemaining()) {
				int type = extensions.getShort() & 0xFFFF;
				ByteBuffer extension = next(extensions);
				if (type == SESSION_TICKET) {
					keyName = start(extension);
				}
				else if (type == PRE_SHARED_KEY) {
					return start(next(next(extension)));
				}
			}
			return keyName;
		}
		catch (BufferUnderflowException | IndexOutOfBoundsException | IllegalArgumentException ex) {
			return null;
		}
	}

	private static void skip(ByteBuffer data, int length) {
		data.position(data.position() + length);
	}

	private static ByteBuffer next(ByteBuffer data) {
		int length = data.getShort() & 0xFFFF;
		ByteBuffer next = data.slice(data.position(), length);
		skip(data, length);
		return next;
	}

	private static byte @Nullable [] start(ByteBuffer ticket) {
		if (ticket.remaining() < SessionTicketKey.NAME_LENGTH) {
			return null;
		}
		byte[] name = new byte[SessionTicketKey.NAME_LENGTH];
		ticket.get(name);
		return name;
	}

}
