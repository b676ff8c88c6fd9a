// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat.channel;

/**
 * Reads a ServerHello (RFC 8446, 4.1.3), byte by byte as they come, without keeping any.
 */
final class ServerHello {

	static final int TLS_1_3 = 0x0304;

	/**
	 * The random of a HelloRetryRequest (RFC 8446, 4.1.3).
	 */
	private static final byte[] RETRY = { (byte) 0xCF, 0x21, (byte) 0xAD, 0x74, (byte) 0xE5, (byte) 0x9A, 0x61, 0x11,
			(byte) 0xBE, 0x1D, (byte) 0x8C, 0x02, 0x1E, 0x65, (byte) 0xB8, (byte) 0x91, (byte) 0xC2, (byte) 0xA2, 0x11,
			0x16, 0x7A, (byte) 0xBB, (byte) 0x8C, 0x5E, 0x07, (byte) 0x9E, 0x09, (byte) 0xE2, (byte) 0xC8, (byte) 0xA8,
			0x33, (byte) 0x9C };

	/**
	 * Where the ID of the session begins, with its length.
	 */
	private static final int SESSION_ID = 2 + RETRY.length;

	/**
	 * What stands between the ID of the session and the extensions: suite, compression
	 * and the length of the extensions.
	 */
	private static final int BEFORE_EXTENSIONS = 5;

	/**
	 * Type and length of an extension (RFC 8446, 4.2).
	 */
	private static final int HEADER = 4;

	/**
	 * As much of an extension as is read.
	 */
	private static final int VALUE = HEADER + 2;

	private static final int PRE_SHARED_KEY = 41;

	private static final int SUPPORTED_VERSIONS = 43;

	private static final int KEY_SHARE = 51;

	private int extensionsStart;

	private int extensionRead;

	private int extensionHeader;

	private int extensionValue;

	private int version;

	private int suite;

	private int group;

	private boolean retry;

	private boolean resumed;

	/**
	 * Begin, also after a HelloRetryRequest.
	 */
	void begin() {
		this.extensionsStart = Integer.MAX_VALUE;
		this.extensionRead = 0;
		this.version = 0;
		this.suite = 0;
		this.group = 0;
		this.retry = true;
	}

	/**
	 * Take in a byte.
	 * @param at where it stands in the message
	 * @param value its value
	 */
	void accept(int at, int value) {
		if (at < 2) {
			this.version = this.version << Byte.SIZE | value;
		}
		else if (at < SESSION_ID) {
			this.retry &= value == (RETRY[at - 2] & 0xFF);
		}
		else if (at == SESSION_ID) {
			this.extensionsStart = SESSION_ID + 1 + value + BEFORE_EXTENSIONS;
		}
		else if (at >= this.extensionsStart) {
			extension(value);
		}
		else if (at >= this.extensionsStart - BEFORE_EXTENSIONS && at < this.extensionsStart - 3) {
			this.suite = this.suite << Byte.SIZE | value;
		}
	}

	private void extension(int value) {
		this.extensionRead++;
		if (this.extensionRead <= HEADER) {
			this.extensionHeader = this.extensionHeader << Byte.SIZE | value;
		}
		else {
			this.extensionValue = this.extensionValue << Byte.SIZE | value;
		}
		if (this.extensionRead == VALUE) {
			value(this.extensionHeader >>> Short.SIZE, this.extensionValue & 0xFFFF);
		}
		if (this.extensionRead >= HEADER && this.extensionRead - HEADER >= extensionLength()) {
			this.extensionRead = 0;
		}
	}

	private int extensionLength() {
		return this.extensionHeader & 0xFFFF;
	}

	private void value(int type, int value) {
		if (type == KEY_SHARE) {
			this.group = value;
		}
		else if (type == SUPPORTED_VERSIONS) {
			this.version = value;
		}
		this.resumed |= type == PRE_SHARED_KEY;
	}

	/**
	 * Return how many bytes, which follow, say nothing.
	 * @return the number, without the last byte of an extension
	 */
	int skippable() {
		return (this.extensionRead >= VALUE) ? HEADER + extensionLength() - this.extensionRead - 1 : 0;
	}

	void skip(int length) {
		this.extensionRead += length;
	}

	boolean isTls13() {
		return this.version == TLS_1_3;
	}

	boolean isBegun() {
		return this.version != 0;
	}

	/**
	 * Return whether it is a HelloRetryRequest.
	 * @return whether it has the random of one
	 */
	boolean isRetry() {
		return this.retry;
	}

	boolean isResumed() {
		return this.resumed;
	}

	int suite() {
		return this.suite;
	}

	int group() {
		return this.group;
	}

	String protocol() {
		return switch (this.version) {
			case TLS_1_3 -> "TLSv1.3";
			case 0x0303 -> "TLSv1.2";
			case 0x0302 -> "TLSv1.1";
			case 0x0301 -> "TLSv1";
			default -> "unknown";
		};
	}

}
