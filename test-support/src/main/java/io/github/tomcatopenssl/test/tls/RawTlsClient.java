// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test.tls;

import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.SocketException;
import java.security.GeneralSecurityException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import io.github.tomcatopenssl.test.Http;
import org.jspecify.annotations.Nullable;

import static io.github.tomcatopenssl.test.tls.TlsBytes.concat;
import static io.github.tomcatopenssl.test.tls.TlsBytes.hex;

/**
 * A client that sends whatever it is told to, and accepts only well-formed records that
 * it can decrypt: anything else that it receives is an {@link AssertionError}.
 */
public abstract class RawTlsClient implements AutoCloseable {

	public static final Duration PATIENCE = Duration.ofSeconds(3);

	private final Socket socket;

	private final ReceivedBytes in;

	private final Http http;

	private final List<ReceivedRecord> records = new ArrayList<>();

	private final HandshakeMessages messages = new HandshakeMessages();

	private long sent = System.nanoTime();

	private int requests;

	private @Nullable RecordCipher reading;

	private @Nullable RecordCipher writing;

	public RawTlsClient(int port, Http http) throws IOException {
		this.socket = new Socket(InetAddress.getLoopbackAddress(), port);
		this.socket.setTcpNoDelay(true);
		this.in = new ReceivedBytes(this.socket);
		this.http = http;
	}

	public abstract RawClientHello hello();

	/**
	 * Read the first flight of the server, and return the last one of the client.
	 */
	public abstract byte[] flight() throws IOException;

	/**
	 * Return a record to send instead of that flight.
	 */
	public abstract byte[] instead(int type, byte[] content);

	public abstract boolean isEncrypted(int type);

	public abstract void accept(ReceivedRecord record) throws IOException;

	/**
	 * Read what the server sends before the first request.
	 */
	public abstract void awaitEnd() throws IOException;

	public void completeHandshake(byte[]... hello) throws IOException {
		for (byte[] segment : (hello.length > 0) ? hello : new byte[][] { hello().record() }) {
			send(segment);
		}
		send(flight());
		awaitEnd();
	}

	public byte[] seal(int type, byte[] content) {
		if (this.writing == null) {
			throw new IllegalStateException("No keys yet");
		}
		return this.writing.seal(type, content);
	}

	public byte[] request() {
		return seal(TlsBytes.APPLICATION_DATA, this.http.request(this.requests++));
	}

	public byte[] longRequest(int more) {
		return seal(TlsBytes.APPLICATION_DATA, this.http.request(this.requests++, more));
	}

	/**
	 * Return how many requests the client has made.
	 */
	public int requests() {
		return this.requests;
	}

	// All in one segment, and whoever has closed meanwhile is told by what is received
	public void send(byte[]... parts) throws IOException {
		try {
			this.socket.getOutputStream().write(concat(parts));
		}
		catch (SocketException ex) {
			// Reset
		}
		this.sent = System.nanoTime();
	}

	public void shutdownOutput() throws IOException {
		try {
			this.socket.shutdownOutput();
		}
		catch (SocketException ex) {
			// Reset
		}
	}

	/**
	 * Return the socket, for a client that no longer takes part in TLS.
	 */
	public Socket socket() {
		return this.socket;
	}

	/**
	 * End the connection with a TCP reset.
	 */
	public void reset() throws IOException {
		this.socket.setSoLinger(true, 0);
		this.socket.close();
	}

	public Outcome outcome() throws IOException {
		return outcome(PATIENCE);
	}

	public Outcome outcome(Duration patience) throws IOException {
		long deadline = System.nanoTime() + patience.toNanos();
		while (receive(deadline) != null) {
			continue;
		}
		return soFar();
	}

	public Outcome answers(int expected) throws IOException {
		long deadline = System.nanoTime() + PATIENCE.toNanos();
		while (soFar().answers() < expected && receive(deadline) != null) {
			continue;
		}
		return soFar();
	}

	/**
	 * Wait for records of a response.
	 */
	public void responses(int expected) throws IOException {
		long deadline = System.nanoTime() + PATIENCE.toNanos();
		int received = 0;
		while (received < expected) {
			ReceivedRecord record = receive(deadline);
			if (record == null) {
				throw new IOException("No response: " + soFar());
			}
			received += (record.type() == TlsBytes.APPLICATION_DATA) ? 1 : 0;
		}
	}

	private Outcome soFar() {
		return new Outcome(List.copyOf(this.records), this.in.end(), sinceSent());
	}

	/**
	 * Return all bytes that have come, also those that are no records.
	 */
	public byte[] received() throws IOException {
		return this.in.all();
	}

	public byte[] message() throws IOException {
		byte[] message = this.messages.next();
		while (message == null) {
			ReceivedRecord record = receive(System.nanoTime() + PATIENCE.toNanos());
			if (record == null || record.isAlert()) {
				throw new HandshakeFailure("No handshake: " + soFar());
			}
			if (record.type() == TlsBytes.HANDSHAKE) {
				this.messages.receive(record.content());
			}
			message = this.messages.next();
		}
		return message;
	}

	public HandshakeMessages messages() {
		return this.messages;
	}

	public void readWith(RecordCipher cipher) {
		this.reading = cipher;
	}

	public void writeWith(RecordCipher cipher) {
		this.writing = cipher;
	}

	@Nullable ReceivedRecord receive(long deadline) throws IOException {
		byte[] bytes = this.in.record(deadline);
		if (bytes == null) {
			return null;
		}
		ReceivedRecord record = opened(bytes);
		this.records.add(record);
		accept(record);
		return record;
	}

	private ReceivedRecord opened(byte[] bytes) {
		if (this.reading == null || !isEncrypted(bytes[0])) {
			return new ReceivedRecord(bytes, bytes[0], Arrays.copyOfRange(bytes, RecordCipher.HEADER, bytes.length),
					sinceSent());
		}
		try {
			byte[] content = this.reading.open(bytes);
			return new ReceivedRecord(bytes, content[content.length - 1], Arrays.copyOf(content, content.length - 1),
					sinceSent());
		}
		catch (GeneralSecurityException ex) {
			throw new AssertionError("After %s came a record that does not decrypt, and %d bytes more: %s"
				.formatted(this.records, this.in.remaining(), hex(bytes)), ex);
		}
	}

	private Duration sinceSent() {
		return Duration.ofNanos(System.nanoTime() - this.sent);
	}

	@Override
	public void close() throws IOException {
		this.socket.close();
	}

}
