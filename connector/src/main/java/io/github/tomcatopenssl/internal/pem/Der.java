// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.pem;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.util.Arrays;

/**
 * Reads the values of a DER encoding (X.690) one after the other.
 */
public final class Der {

	static final int INTEGER = 0x02;

	static final int OCTET_STRING = 0x04;

	static final int OBJECT_IDENTIFIER = 0x06;

	static final int SEQUENCE = 0x30;

	/**
	 * The tag of a constructed value with the context-specific number 0.
	 */
	static final int CONTEXT_0 = 0xa0;

	private final ByteBuffer in;

	private Der(ByteBuffer in) {
		this.in = in;
	}

	/**
	 * Create a reader of one sequence.
	 * @param der the encoding of the sequence, with nothing behind it
	 * @return the reader of its values
	 * @throws IOException if it is something else
	 */
	static Der ofSequence(byte[] der) throws IOException {
		Der all = new Der(ByteBuffer.wrap(der));
		Der sequence = all.sequence();
		if (all.in.hasRemaining()) {
			throw new IOException("There is something behind the sequence");
		}
		return sequence;
	}

	/**
	 * Create a reader of an extension that is a sequence.
	 * @param value the extension, as {@code X509Extension.getExtensionValue} returns it
	 * @return the reader of its values
	 * @throws IOException if it is something else
	 */
	public static Der ofExtension(byte[] value) throws IOException {
		return ofSequence(new Der(ByteBuffer.wrap(value)).bytes(OCTET_STRING));
	}

	/**
	 * Return whether there is another value.
	 * @return whether there is
	 */
	public boolean hasNext() {
		return this.in.hasRemaining();
	}

	/**
	 * Return whether the next value has a tag.
	 * @param tag the tag
	 * @return whether there is another value, and it has the tag
	 */
	boolean isNext(int tag) {
		return this.in.hasRemaining() && (this.in.get(this.in.position()) & 0xff) == tag;
	}

	/**
	 * Read the next value.
	 * @return the reader of its values
	 * @throws IOException if it is no sequence
	 */
	public Der sequence() throws IOException {
		return new Der(content(SEQUENCE));
	}

	byte[] bytes(int tag) throws IOException {
		ByteBuffer content = content(tag);
		byte[] bytes = new byte[content.remaining()];
		content.get(bytes);
		return bytes;
	}

	int number() throws IOException {
		try {
			return new BigInteger(bytes(INTEGER)).intValueExact();
		}
		catch (ArithmeticException ex) {
			throw new IOException("A number is too big", ex);
		}
	}

	String objectIdentifier() throws IOException {
		StringBuilder text = new StringBuilder();
		long number = 0;
		for (byte part : bytes(OBJECT_IDENTIFIER)) {
			number = number << 7 | part & 0x7f;
			if (part >= 0) {
				long first = Math.min(number / 40, 2);
				text.append(text.isEmpty() ? first + "." + (number - first * 40) : "." + number);
				number = 0;
			}
		}
		return text.toString();
	}

	private ByteBuffer content(int tag) throws IOException {
		if (!isNext(tag)) {
			throw new IOException("A value of another type was expected");
		}
		this.in.get();
		int length = length();
		if (length < 0 || length > this.in.remaining()) {
			throw new IOException("The value is longer than its encoding");
		}
		ByteBuffer content = this.in.slice(this.in.position(), length);
		this.in.position(this.in.position() + length);
		return content;
	}

	private int length() throws IOException {
		int bytes = this.in.hasRemaining() ? this.in.get() : -1;
		if (bytes >= 0) {
			return bytes;
		}
		bytes &= 0x7f;
		if (bytes == 0 || bytes > Integer.BYTES || bytes > this.in.remaining()) {
			throw new IOException("The length of a value cannot be read");
		}
		int length = 0;
		for (int i = 0; i < bytes; i++) {
			length = length << Byte.SIZE | this.in.get() & 0xff;
		}
		return length;
	}

	static byte[] encode(int tag, byte[]... parts) {
		int length = Arrays.stream(parts).mapToInt((part) -> part.length).sum();
		ByteArrayOutputStream out = new ByteArrayOutputStream();
		out.write(tag);
		if (length < 0x80) {
			out.write(length);
		}
		else {
			byte[] bytes = BigInteger.valueOf(length).toByteArray();
			int zeros = (bytes[0] == 0) ? 1 : 0;
			out.write(0x80 | bytes.length - zeros);
			out.write(bytes, zeros, bytes.length - zeros);
		}
		for (byte[] part : parts) {
			out.writeBytes(part);
		}
		return out.toByteArray();
	}

}
