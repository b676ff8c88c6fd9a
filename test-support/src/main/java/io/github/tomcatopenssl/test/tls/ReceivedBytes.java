// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test.tls;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.Arrays;

import io.github.tomcatopenssl.test.tls.Outcome.End;
import org.jspecify.annotations.Nullable;

/**
 * All bytes received from a socket, whether or not they have been read as records.
 */
public final class ReceivedBytes {

	private static final int MAX_LENGTH = (1 << 14) + 2048;

	private static final Duration A_MOMENT = Duration.ofMillis(100);

	private final Socket socket;

	private byte[] bytes = new byte[512];

	private int count;

	private int position;

	private End end = End.OPEN;

	public ReceivedBytes(Socket socket) {
		this.socket = socket;
	}

	/**
	 * Take the next record.
	 * @param deadline when to give up
	 * @return the record, or {@code null} where nothing came or the connection has ended
	 * @throws IOException where the socket fails
	 */
	public byte @Nullable [] record(long deadline) throws IOException {
		if (!await(RecordCipher.HEADER, deadline) && remaining() == 0) {
			return null;
		}
		if (remaining() < RecordCipher.HEADER || !isHeader() || !await(length(), deadline)) {
			throw new AssertionError("After %d bytes of records came %d others: %s".formatted(this.position,
					remaining(), TlsBytes.hex(Arrays.copyOfRange(this.bytes, this.position, this.count))));
		}
		int start = this.position;
		this.position += length();
		return Arrays.copyOfRange(this.bytes, start, this.position);
	}

	public int remaining() {
		return this.count - this.position;
	}

	// OpenSSL says in the version of the hello that it does not speak it
	private boolean isHeader() {
		return get(0) >= TlsBytes.CHANGE_CIPHER_SPEC && get(0) <= TlsBytes.APPLICATION_DATA
				&& (get(1) == 3 || (get(0) == TlsBytes.ALERT && length() == RecordCipher.HEADER + 2))
				&& length() <= RecordCipher.HEADER + MAX_LENGTH;
	}

	private int length() {
		return RecordCipher.HEADER + (get(3) << 8 | get(4));
	}

	private int get(int index) {
		return this.bytes[this.position + index] & 0xff;
	}

	private boolean await(int length, long deadline) throws IOException {
		boolean waiting = true;
		while (waiting && remaining() < length && this.end == End.OPEN) {
			if (this.count == this.bytes.length) {
				this.bytes = Arrays.copyOf(this.bytes, 2 * this.count);
			}
			int read = read(deadline);
			this.count += read;
			waiting = read > 0;
		}
		return remaining() >= length;
	}

	/**
	 * Return all bytes, with those that are still under way.
	 * @return the bytes
	 * @throws IOException where the socket fails
	 */
	public byte[] all() throws IOException {
		await(Integer.MAX_VALUE, System.nanoTime() + A_MOMENT.toNanos());
		return Arrays.copyOf(this.bytes, this.count);
	}

	public End end() {
		return this.end;
	}

	private int read(long deadline) throws IOException {
		int millis = (int) Duration.ofNanos(deadline - System.nanoTime()).toMillis();
		try {
			this.socket.setSoTimeout(Math.max(millis, 1));
			int read = this.socket.getInputStream().read(this.bytes, this.count, this.bytes.length - this.count);
			this.end = (read == -1) ? End.EOF : End.OPEN;
			return Math.max(read, 0);
		}
		catch (SocketTimeoutException ex) {
			return 0;
		}
		catch (SocketException ex) {
			this.end = End.RESET;
			return 0;
		}
	}

}
