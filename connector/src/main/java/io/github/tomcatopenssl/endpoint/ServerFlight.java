// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;

import io.github.tomcatopenssl.KeyExchangeGroup;
import io.github.tomcatopenssl.internal.engine.TlsRecords;
import org.apache.tomcat.util.net.openssl.ciphers.Cipher;

/**
 * Reads what a server sends unencrypted about the key exchange: with TLS 1.3, the
 * {@code key_share} of the ServerHello (RFC 8446, 4.2.8); with TLS 1.2, the start of the
 * ServerKeyExchange (RFC 8422, 5.4). It also reads the alert that ends a handshake. It
 * keeps the bytes until it has found what it looks for. It never fails, and ignores what
 * is not TLS.
 */
final class ServerFlight {

	/**
	 * Maximum number of bytes that are kept, which is more than the longest certificate
	 * chain in use.
	 */
	private static final int MOST = 64 * 1024;

	/**
	 * Length of the type and length fields of a handshake message, in bytes (RFC 8446,
	 * 4).
	 */
	private static final int MESSAGE_HEADER = 4;

	private static final int SERVER_HELLO = 2;

	private static final int CERTIFICATE = 11;

	private static final int SERVER_KEY_EXCHANGE = 12;

	private static final int SERVER_HELLO_DONE = 14;

	private static final int PRE_SHARED_KEY = 41;

	private static final int SUPPORTED_VERSIONS = 43;

	private static final int KEY_SHARE = 51;

	private static final int TLS_1_3 = 0x0304;

	private static final byte[] NOTHING = {};

	/**
	 * Random value of a HelloRetryRequest (RFC 8446, 4.1.3).
	 */
	private static final byte[] RETRY = HexFormat.of()
		.parseHex("cf21ad74e59a6111be1d8c021e65b891c2a211167abb8c5e079e09e2c8a8339c");

	/**
	 * All bytes sent unencrypted so far.
	 */
	private byte[] sent = NOTHING;

	private boolean done;

	private int version;

	private int suite;

	private int group;

	private boolean answered;

	private boolean retried;

	private boolean resumed;

	private boolean certificate;

	/**
	 * First three bytes of the ServerKeyExchange.
	 */
	private int exchange;

	private int alert = -1;

	/**
	 * Inspect what the server sends.
	 * @param bytes the bytes, ready to be read, whose position does not change
	 */
	void sent(ByteBuffer bytes) {
		if (this.done) {
			return;
		}
		int before = this.sent.length;
		this.sent = Arrays.copyOf(this.sent, before + bytes.remaining());
		bytes.get(bytes.position(), this.sent, before, bytes.remaining());
		this.done = readRecords() || this.sent.length > MOST;
		if (this.done) {
			this.sent = NOTHING;
		}
	}

	// Returns whether there is nothing more to find
	private boolean readRecords() {
		ByteBuffer records = ByteBuffer.wrap(this.sent);
		ByteBuffer messages = ByteBuffer.allocate(this.sent.length);
		while (records.remaining() >= TlsRecords.HEADER) {
			int start = records.position();
			int type = records.get(start);
			int length = TlsRecords.length(records, start);
			ByteBuffer content = records.slice(start + TlsRecords.HEADER,
					Math.min(length, records.remaining() - TlsRecords.HEADER));
			records.position(start + TlsRecords.HEADER + content.remaining());
			if (type == TlsRecords.HANDSHAKE) {
				messages.put(content);
			}
			else if (type == TlsRecords.ALERT) {
				if (length > 0 && content.remaining() == length) {
					this.alert = content.get(length - 1) & 0xFF;
					readMessages(messages);
					return true;
				}
			}
			// ChangeCipherSpec has no meaning after a HelloRetryRequest (RFC 8446, D.4)
			else if (readMessages(messages) || type != TlsRecords.CHANGE_CIPHER_SPEC || !isTls13()) {
				return true;
			}
		}
		return readMessages(messages);
	}

	private boolean readMessages(ByteBuffer all) {
		ByteBuffer messages = all.duplicate().flip();
		while (messages.remaining() >= MESSAGE_HEADER) {
			int type = messages.get(messages.position());
			int length = messages.getInt() & 0xFFFFFF;
			if (type == SERVER_KEY_EXCHANGE && messages.remaining() > 2) {
				this.exchange = messages.getInt(messages.position() - 1) & 0xFFFFFF;
				return true;
			}
			if (length > messages.remaining()) {
				return false;
			}
			ByteBuffer message = messages.slice(messages.position(), length);
			messages.position(messages.position() + length);
			this.certificate |= type == CERTIFICATE;
			if (type == SERVER_HELLO_DONE || type == SERVER_HELLO && readHello(message)) {
				return true;
			}
		}
		return false;
	}

	private boolean readHello(ByteBuffer hello) {
		try {
			this.version = hello.getShort();
			byte[] random = new byte[RETRY.length];
			hello.get(random);
			boolean retry = Arrays.equals(random, RETRY);
			this.answered |= !retry;
			this.retried |= retry;
			this.group = 0;
			hello.position(hello.position() + 1 + (hello.get(hello.position()) & 0xFF));
			this.suite = hello.getShort() & 0xFFFF;
			// Skip the compression method and the length of the extensions
			hello.position(hello.position() + 3);
			while (hello.hasRemaining()) {
				readExtension(hello.getShort() & 0xFFFF, TlsRecords.vector(hello));
			}
			return isTls13() && !retry;
		}
		catch (BufferUnderflowException | IndexOutOfBoundsException | IllegalArgumentException ex) {
			return false;
		}
	}

	private void readExtension(int type, ByteBuffer extension) {
		if (type == SUPPORTED_VERSIONS) {
			this.version = extension.getShort();
		}
		else if (type == KEY_SHARE) {
			this.group = extension.getShort() & 0xFFFF;
		}
		this.resumed |= type == PRE_SHARED_KEY;
	}

	private boolean isTls13() {
		return this.version == TLS_1_3;
	}

	/**
	 * Return whether the server has accepted the client's offer.
	 * @return whether it has sent a ServerHello other than a HelloRetryRequest
	 */
	boolean isAnswered() {
		return this.answered;
	}

	/**
	 * Return whether the server has asked for another key share.
	 * @return whether it has sent a HelloRetryRequest
	 */
	boolean isRetried() {
		return this.retried;
	}

	/**
	 * Return the alert that the server has sent unencrypted.
	 * @return the number of the alert, or -1 if there is none
	 */
	int alert() {
		return this.alert;
	}

	KeyExchange keyExchange() {
		boolean resumed = isTls13() ? this.resumed : !this.certificate && this.exchange == 0;
		return new KeyExchange(TlsRecords.versionName(this.version), group(), resumed);
	}

	/**
	 * Return the cipher suite that the server has chosen.
	 * @return the name in the TLS registry, or the number of a suite that is not known
	 */
	String cipherSuite() {
		Cipher cipher = Cipher.valueOf(this.suite);
		return (cipher != null) ? cipher.name() : "0x%04X".formatted(this.suite);
	}

	private String group() {
		if (isTls13()) {
			return (this.group != 0) ? name(this.group) : KeyExchange.NONE;
		}
		if (this.exchange == 0) {
			return KeyExchange.NONE;
		}
		Cipher cipher = Cipher.valueOf(this.suite);
		boolean finiteField = cipher != null
				&& cipher.getKx() == org.apache.tomcat.util.net.openssl.ciphers.KeyExchange.EDH;
		return finiteField ? "dhe-" + (this.exchange >> Byte.SIZE) * Byte.SIZE : name(this.exchange & 0xFFFF);
	}

	private static String name(int id) {
		KeyExchangeGroup group = KeyExchangeGroup.of(id);
		return (group != null) ? group.toString() : "0x%04X".formatted(id);
	}

}
