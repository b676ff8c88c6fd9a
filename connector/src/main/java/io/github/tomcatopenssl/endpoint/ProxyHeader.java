// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.zip.CRC32C;

import io.github.tomcatopenssl.internal.engine.TlsRecords;
import io.github.tomcatopenssl.internal.host.HostNames;
import org.jspecify.annotations.Nullable;

/**
 * The header with which a proxy passes on the address of its client, before the client's
 * first byte: version 1 or 2 of the PROXY protocol, as HAProxy specifies it
 * (proxy-protocol.txt). The numbers of sections are those of the specification.
 *
 * @param source the address of the client, or {@code null} if the addresses of the
 * connection itself hold: for a health check of the proxy ({@code LOCAL}), and for a
 * client that does not use TCP or is unknown
 * @param destination the address that the client has connected to, or {@code null} if
 * there is no source
 * @param uniqueId the proxy's identifier of the connection, each byte as a character, or
 * {@code null}
 * @param tls the fields about the TLS of the client, of which there may be several
 */
record ProxyHeader(@Nullable InetSocketAddress source, @Nullable InetSocketAddress destination,
		@Nullable String uniqueId, List<ByteBuffer> tls) {

	private static final ProxyHeader WITHOUT_ADDRESSES = new ProxyHeader(null, null, null, List.of());

	private static final byte[] TEXT = "PROXY ".getBytes(StandardCharsets.US_ASCII);

	private static final byte[] BINARY = { '\r', '\n', '\r', '\n', 0, '\r', '\n', 'Q', 'U', 'I', 'T', '\n' };

	/**
	 * Maximum length of version 1, in bytes (2.1).
	 */
	private static final int MAX_LINE = 107;

	// Zeros in front of a number are not permitted (2.1)
	private static final Pattern LINE = Pattern.compile(
			"PROXY (UNKNOWN( [^\r\n]*)?|TCP(?<version>[46]) (?<source>[\\da-fA-F:.]+) (?<destination>[\\da-fA-F:.]+)"
					+ " (?<sourcePort>0|[1-9]\\d{0,4}) (?<destinationPort>0|[1-9]\\d{0,4}))\r\n");

	/**
	 * Length of the part of version 2 that is always there, in bytes (2.2).
	 */
	private static final int START = 16;

	/**
	 * Maximum length of version 2, in bytes, as in NGINX. The specification has every
	 * header fit into 536 bytes, but lets a proxy add more than that: a socket's path
	 * with a host name and an identifier, or a client's certificate.
	 */
	private static final int MAX_LENGTH = 4096;

	private static final int LOCAL = 0x20;

	private static final int PROXY = 0x21;

	private static final int TCP_IPV4 = 0x11;

	private static final int TCP_IPV6 = 0x21;

	private static final int UNIX_STREAM = 0x31;

	private static final int CHECKSUM = 3;

	private static final int UNIQUE_ID = 5;

	private static final int TLS = 0x20;

	/**
	 * The client has presented a certificate over this connection, or before in its
	 * session (2.2.6).
	 */
	private static final int CERTIFICATE_PRESENTED = 0x06;

	private static final int CLIENT_CERTIFICATE = 0x28;

	/**
	 * Maximum length of an identifier, in bytes (2.2.5).
	 */
	private static final int MAX_UNIQUE_ID = 128;

	/**
	 * Return whether a header begins. This needs as many bytes as the decision that no
	 * TLS record begins.
	 * @param received the bytes received so far, ready to be written to
	 * @return whether they are the beginning of a header
	 */
	static boolean begins(ByteBuffer received) {
		ByteBuffer data = received.duplicate().flip();
		return data.remaining() >= TlsRecords.HEADER && (startsWith(data, TEXT) || startsWith(data, BINARY));
	}

	// Compares as many bytes as were received
	private static boolean startsWith(ByteBuffer data, byte[] signature) {
		int length = Math.min(data.remaining(), signature.length);
		return data.slice(0, length).equals(ByteBuffer.wrap(signature, 0, length));
	}

	/**
	 * Read the header.
	 * @param received the bytes received so far, ready to be written to, from which a
	 * complete header is removed
	 * @return the header, or {@code null} if it is not complete yet
	 * @throws RefusedHandshakeException if the bytes are not a header, as soon as that is
	 * clear
	 */
	static @Nullable ProxyHeader read(ByteBuffer received) throws RefusedHandshakeException {
		ByteBuffer data = received.duplicate().flip();
		try {
			ProxyHeader header = startsWith(data, TEXT) ? readText(data) : readBinary(data);
			if (header != null) {
				received.flip().position(data.position());
				received.compact();
			}
			return header;
		}
		catch (IllegalArgumentException | BufferUnderflowException | IndexOutOfBoundsException
				| UnknownHostException ex) {
			RefusedHandshakeException refusal = new RefusedHandshakeException(FailureReason.NO_PROXY_HEADER,
					"The address of the connection is that of a trusted proxy, but it does not begin with a valid header of the PROXY protocol");
			refusal.initCause(ex);
			throw refusal;
		}
	}

	private static @Nullable ProxyHeader readText(ByteBuffer data) throws UnknownHostException {
		String line = StandardCharsets.ISO_8859_1.decode(data.slice(0, Math.min(data.remaining(), MAX_LINE)))
			.toString();
		int end = line.indexOf('\n') + 1;
		if (end == 0) {
			require(line.length() < MAX_LINE, "The line has no end");
			return null;
		}
		Matcher matcher = LINE.matcher(line.substring(0, end));
		require(matcher.matches(), "The line is invalid");
		data.position(end);
		if (matcher.group("version") == null) {
			return WITHOUT_ADDRESSES;
		}
		boolean ipv6 = matcher.group("version").equals("6");
		return new ProxyHeader(address(ipv6, matcher.group("source"), matcher.group("sourcePort")),
				address(ipv6, matcher.group("destination"), matcher.group("destinationPort")), null, List.of());
	}

	private static InetSocketAddress address(boolean ipv6, String address, String port) throws UnknownHostException {
		require(ipv6 == address.contains(":") && HostNames.isAddress(HostNames.canonical(address)),
				"An address is invalid");
		return new InetSocketAddress(InetAddress.getByName(address), Integer.parseInt(port));
	}

	private static @Nullable ProxyHeader readBinary(ByteBuffer data) throws UnknownHostException {
		require(startsWith(data, BINARY), "The signature is missing");
		if (data.remaining() < START) {
			return null;
		}
		int command = data.get(BINARY.length) & 0xFF;
		int family = data.get(BINARY.length + 1) & 0xFF;
		int length = START + data.getChar(BINARY.length + 2);
		require(command == LOCAL || command == PROXY, "The version or the command is unknown");
		require(command == LOCAL || family >> 4 <= 3 && (family & 0xF) <= 2, "The address family is unknown");
		require(length <= MAX_LENGTH, "The header is too long");
		if (data.remaining() < length) {
			return null;
		}
		ByteBuffer header = TlsRecords.take(data, length);
		return (command == PROXY) ? readAddresses(header.position(START), family) : WITHOUT_ADDRESSES;
	}

	private static ProxyHeader readAddresses(ByteBuffer header, int family) throws UnknownHostException {
		if (family == UNIX_STREAM) {
			header.position(START + 2 * 108);
			return read(null, null, header);
		}
		if (family != TCP_IPV4 && family != TCP_IPV6) {
			return WITHOUT_ADDRESSES;
		}
		byte[] source = new byte[(family == TCP_IPV4) ? 4 : 16];
		byte[] destination = source.clone();
		header.get(source).get(destination);
		return read(new InetSocketAddress(InetAddress.getByAddress(source), header.getChar()),
				new InetSocketAddress(InetAddress.getByAddress(destination), header.getChar()), header);
	}

	// Any other addition is skipped (2.2)
	private static ProxyHeader read(@Nullable InetSocketAddress source, @Nullable InetSocketAddress destination,
			ByteBuffer header) {
		String uniqueId = null;
		List<ByteBuffer> tls = new ArrayList<>();
		while (header.hasRemaining()) {
			int type = header.get();
			ByteBuffer value = TlsRecords.vector(header);
			if (type == UNIQUE_ID) {
				require(value.remaining() <= MAX_UNIQUE_ID, "The identifier is too long");
				uniqueId = StandardCharsets.ISO_8859_1.decode(value).toString();
			}
			else if (type == TLS) {
				tls.add(ByteBuffer.allocate(value.remaining()).put(value).flip());
			}
			else if (type == CHECKSUM) {
				require(value.remaining() == Integer.BYTES
						&& value.getInt() == checksum(header, header.position() - Integer.BYTES),
						"The checksum is wrong");
			}
		}
		return new ProxyHeader(source, destination, uniqueId, List.copyOf(tls));
	}

	/**
	 * Return the certificate of the client, if the proxy passes it on (2.2.6).
	 * @return the certificate, encoded; empty if there is none
	 * @throws IllegalArgumentException if there are several, or if the proxy has not
	 * verified it
	 * @throws BufferUnderflowException if the encoding is invalid
	 */
	List<byte[]> clientCertificate() {
		require(this.tls.size() <= 1, "The header has the TLS of the client several times");
		List<byte[]> certificates = new ArrayList<>();
		for (ByteBuffer tls : this.tls) {
			ByteBuffer value = tls.duplicate();
			int client = value.get();
			boolean verified = value.getInt() == 0;
			while (value.hasRemaining()) {
				int type = value.get();
				ByteBuffer addition = TlsRecords.vector(value);
				if (type == CLIENT_CERTIFICATE) {
					byte[] certificate = new byte[addition.remaining()];
					addition.get(certificate);
					certificates.add(certificate);
				}
			}
			require(certificates.isEmpty() || verified && (client & CERTIFICATE_PRESENTED) != 0,
					"The proxy has not verified the certificate");
		}
		require(certificates.size() <= 1, "The header has several certificates of the client");
		return certificates;
	}

	// The header is summed up with zeros in place of the checksum (2.2.3)
	private static int checksum(ByteBuffer header, int position) {
		CRC32C checksum = new CRC32C();
		checksum.update(header.slice(0, position));
		checksum.update(new byte[Integer.BYTES]);
		checksum.update(header.slice(position + Integer.BYTES, header.limit() - position - Integer.BYTES));
		return (int) checksum.getValue();
	}

	private static void require(boolean valid, String message) {
		if (!valid) {
			throw new IllegalArgumentException(message);
		}
	}

	/**
	 * The rule for the beginning of a connection.
	 */
	enum Rule {

		/**
		 * No proxy is trusted: a header is read as TLS, which it is not.
		 */
		UNKNOWN,

		/**
		 * A header, because the connection comes from a trusted proxy.
		 */
		REQUIRED,

		/**
		 * No header, because the connection comes from anybody else, or the header has
		 * already been read.
		 */
		REFUSED

	}

}
