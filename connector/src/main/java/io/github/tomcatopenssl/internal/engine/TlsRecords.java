// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.engine;

import java.nio.ByteBuffer;
import java.util.stream.IntStream;

/**
 * The record layer of TLS (RFC 8446, 5.1): a header of five bytes with type, version and
 * length, followed by that many bytes.
 */
public final class TlsRecords {

	/**
	 * Length of the header, in bytes.
	 */
	public static final int HEADER = 5;

	/**
	 * Maximum length of an unencrypted record, in bytes without the header.
	 */
	public static final int MAX_PLAINTEXT = 1 << 14;

	/**
	 * Maximum length of an encrypted record, in bytes without the header. TLS 1.2 allows
	 * 2048 bytes of overhead (RFC 5246, 6.2.3), TLS 1.3 fewer.
	 */
	private static final int MAX_CIPHERTEXT = MAX_PLAINTEXT + 2048;

	/**
	 * Maximum size of a record, in bytes with the header.
	 */
	public static final int MAX_SIZE = HEADER + MAX_CIPHERTEXT;

	/**
	 * Type of a ChangeCipherSpec record.
	 */
	public static final int CHANGE_CIPHER_SPEC = 20;

	/**
	 * Type of a record with an alert.
	 */
	public static final int ALERT = 21;

	/**
	 * Type of a record with handshake messages.
	 */
	public static final int HANDSHAKE = 22;

	/**
	 * Type of a record with data, and of each encrypted record of TLS 1.3.
	 */
	public static final int APPLICATION_DATA = 23;

	/**
	 * First byte of the version in each header.
	 */
	public static final int MAJOR_VERSION = 3;

	/**
	 * Header of a record that exceeds the maximum length.
	 */
	public static final byte[] TOO_LONG = { APPLICATION_DATA, MAJOR_VERSION, 3, (byte) 0xFF, (byte) 0xFF };

	private TlsRecords() {
	}

	/**
	 * Return the size of the first record.
	 * @param data received bytes, ready to be read
	 * @return the size with the header; 0 if the record is incomplete; all remaining
	 * bytes if no peer that speaks TLS starts a record like that
	 */
	public static int size(ByteBuffer data) {
		if (data.remaining() < HEADER) {
			return 0;
		}
		int start = data.position();
		int length = length(data, start);
		if (!isType(data.get(start)) || data.get(start + 1) != MAJOR_VERSION || length > MAX_CIPHERTEXT) {
			return data.remaining();
		}
		return (data.remaining() >= HEADER + length) ? HEADER + length : 0;
	}

	/**
	 * Return the number of records.
	 * @param records complete records, ready to be read
	 * @return the number of records
	 */
	public static int count(ByteBuffer records) {
		int count = 0;
		for (int start = records.position(); start < records.limit(); start += HEADER + length(records, start)) {
			count++;
		}
		return count;
	}

	/**
	 * Create an unencrypted alert that ends a connection.
	 * @param description the number of the alert (RFC 8446, 6)
	 * @return the record
	 */
	public static byte[] fatalAlert(int description) {
		return new byte[] { ALERT, MAJOR_VERSION, 3, 0, 2, 2, (byte) description };
	}

	/**
	 * Return the length of a record.
	 * @param data received bytes
	 * @param start the index of its header
	 * @return the length in bytes, without the header
	 */
	public static int length(ByteBuffer data, int start) {
		return data.getShort(start + 3) & 0xFFFF;
	}

	/**
	 * Read a vector whose length field has two bytes (RFC 8446, 3.4).
	 * @param data the data, whose position is behind the vector afterwards
	 * @return the vector
	 * @throws IndexOutOfBoundsException if the vector is longer than the data
	 */
	public static ByteBuffer vector(ByteBuffer data) {
		return take(data, data.getShort() & 0xFFFF);
	}

	/**
	 * Read a vector whose length field has one byte.
	 * @param data the data, whose position is behind the vector afterwards
	 * @return the vector
	 * @throws IndexOutOfBoundsException if the vector is longer than the data
	 */
	public static ByteBuffer shortVector(ByteBuffer data) {
		return take(data, data.get() & 0xFF);
	}

	/**
	 * Return the numbers of a vector of numbers with two bytes.
	 * @param vector the vector, whose position does not change
	 * @return the numbers
	 * @throws IndexOutOfBoundsException if a byte is left over
	 */
	public static IntStream numbers(ByteBuffer vector) {
		int start = vector.position();
		return IntStream.range(0, (vector.remaining() + 1) / Short.BYTES)
			.map((i) -> vector.getChar(start + i * Short.BYTES));
	}

	/**
	 * Read some bytes.
	 * @param data the data, whose position is behind the bytes afterwards
	 * @param length the number of bytes
	 * @return the bytes
	 * @throws IndexOutOfBoundsException if the data is shorter
	 */
	public static ByteBuffer take(ByteBuffer data, int length) {
		ByteBuffer vector = data.slice(data.position(), length);
		data.position(data.position() + length);
		return vector;
	}

	/**
	 * Return the name of a protocol version, as Tomcat spells it.
	 * @param version the number of the version
	 * @return the name
	 */
	public static String versionName(int version) {
		return switch (version) {
			case 0x0304 -> "TLSv1.3";
			case 0x0303 -> "TLSv1.2";
			case 0x0302 -> "TLSv1.1";
			case 0x0301 -> "TLSv1";
			case 0x0300 -> "SSLv3";
			default -> "Unknown(0x%04x)".formatted(version);
		};
	}

	private static boolean isType(byte type) {
		return type >= CHANGE_CIPHER_SPEC && type <= APPLICATION_DATA;
	}

}
