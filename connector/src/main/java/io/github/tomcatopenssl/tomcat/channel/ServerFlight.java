// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat.channel;

import java.nio.ByteBuffer;

import io.github.tomcatopenssl.KeyExchangeGroup;
import org.apache.tomcat.util.net.openssl.ciphers.Cipher;

/**
 * Reads what a server says of the key exchange in the clear: in the ServerHello, with TLS
 * 1.3 the {@code key_share} (RFC 8446, 4.2.8), with TLS 1.2 what the ServerKeyExchange
 * begins with (RFC 8422, 5.4); and the alert that it ends a handshake with. Takes the
 * bytes as they come, keeps none, and never fails: what is no TLS says nothing.
 */
final class ServerFlight {

	/**
	 * Type and length of a handshake message (RFC 8446, 4).
	 */
	private static final int HEADER = 4;

	private static final int SERVER_HELLO = 2;

	private static final int CERTIFICATE = 11;

	private static final int SERVER_KEY_EXCHANGE = 12;

	private static final int SERVER_HELLO_DONE = 14;

	private final ServerHello hello = new ServerHello();

	private boolean done;

	private int recordType;

	private int headerRead;

	private int recordLength;

	private int recordLeft;

	private int messageType;

	// With its header
	private int messageRead;

	private int messageLength;

	/**
	 * The first bytes of the ServerKeyExchange.
	 */
	private int exchange;

	private boolean retried;

	private boolean certificate;

	private int alert = -1;

	/**
	 * Take in what the server sends.
	 * @param sent the bytes, from the first to the limit of the buffer
	 */
	void sent(ByteBuffer sent) {
		int i = 0;
		while (i < sent.limit() && !this.done) {
			int skip = Math.min(skippable(), Math.min(this.recordLeft, sent.limit() - i));
			if (skip > 0) {
				skip(skip);
				i += skip;
			}
			else {
				accept(sent.get(i++) & 0xFF);
			}
		}
	}

	private void accept(int value) {
		if (this.recordLeft == 0) {
			header(value);
			return;
		}
		this.recordLeft--;
		if (this.recordType == TlsRecords.HANDSHAKE) {
			handshake(value);
		}
		else if (this.recordType == TlsRecords.ALERT && this.recordLeft == 0) {
			this.alert = value;
			this.done = true;
		}
	}

	private void header(int value) {
		this.headerRead++;
		if (this.headerRead == 1) {
			this.recordType = value;
			// After a HelloRetryRequest, ChangeCipherSpec says nothing (RFC 8446, D.4)
			this.done = value == TlsRecords.APPLICATION_DATA
					|| value == TlsRecords.CHANGE_CIPHER_SPEC && !this.hello.isTls13();
		}
		else if (this.headerRead == TlsRecords.HEADER - 1) {
			this.recordLength = value << Byte.SIZE;
		}
		else if (this.headerRead == TlsRecords.HEADER) {
			this.recordLeft = this.recordLength | value;
			this.headerRead = 0;
		}
	}

	private void handshake(int value) {
		this.messageRead++;
		if (this.messageRead == 1) {
			begin(value);
		}
		else if (this.messageRead <= HEADER) {
			this.messageLength = this.messageLength << Byte.SIZE | value;
		}
		else if (this.messageType == SERVER_HELLO) {
			this.hello.accept(this.messageRead - HEADER - 1, value);
		}
		else if (this.messageType == SERVER_KEY_EXCHANGE) {
			this.exchange = this.exchange << Byte.SIZE | value;
			this.done = this.messageRead == HEADER + 3;
		}
		if (this.messageRead >= HEADER && this.messageRead - HEADER >= this.messageLength) {
			end();
		}
	}

	private void begin(int type) {
		this.messageType = type;
		this.messageLength = 0;
		if (type == SERVER_HELLO) {
			this.hello.begin();
		}
		this.certificate |= type == CERTIFICATE;
		this.done = type == SERVER_HELLO_DONE;
	}

	private void end() {
		this.messageRead = 0;
		if (this.messageType == SERVER_HELLO) {
			this.retried |= this.hello.isRetry();
			this.done = this.hello.isTls13() && !this.hello.isRetry();
		}
	}

	// How many bytes say nothing
	private int skippable() {
		if (this.recordType != TlsRecords.HANDSHAKE) {
			return this.recordLeft - 1;
		}
		if (this.messageRead < HEADER || this.messageType == SERVER_KEY_EXCHANGE) {
			return 0;
		}
		int left = HEADER + this.messageLength - this.messageRead - 1;
		return (this.messageType == SERVER_HELLO) ? Math.min(left, this.hello.skippable()) : left;
	}

	private void skip(int length) {
		this.recordLeft -= length;
		if (this.recordType == TlsRecords.HANDSHAKE) {
			this.messageRead += length;
			if (this.messageType == SERVER_HELLO) {
				this.hello.skip(length);
			}
		}
	}

	/**
	 * Return whether the server has accepted what the client offers.
	 * @return whether there was a ServerHello, other than a HelloRetryRequest
	 */
	boolean isAnswered() {
		return this.hello.isBegun() && !this.hello.isRetry();
	}

	/**
	 * Return whether the server has asked for another key share.
	 * @return whether there was a HelloRetryRequest
	 */
	boolean isRetried() {
		return this.retried;
	}

	/**
	 * Return the alert that the server has sent in the clear.
	 * @return its number, or -1
	 */
	int alert() {
		return this.alert;
	}

	KeyExchange keyExchange() {
		boolean resumed = this.hello.isTls13() ? this.hello.isResumed() : !this.certificate && this.exchange == 0;
		return new KeyExchange(this.hello.protocol(), group(), resumed);
	}

	private String group() {
		if (this.hello.isTls13()) {
			return (this.hello.group() != 0) ? name(this.hello.group()) : KeyExchange.NONE;
		}
		if (this.exchange == 0) {
			return KeyExchange.NONE;
		}
		Cipher cipher = Cipher.valueOf(this.hello.suite());
		boolean finiteField = cipher != null
				&& cipher.getKx() == org.apache.tomcat.util.net.openssl.ciphers.KeyExchange.EDH;
		return finiteField ? "dhe-" + (this.exchange >> Byte.SIZE) * Byte.SIZE : name(this.exchange & 0xFFFF);
	}

	private static String name(int id) {
		KeyExchangeGroup group = KeyExchangeGroup.of(id);
		return (group != null) ? group.toString() : "0x%04X".formatted(id);
	}

}
