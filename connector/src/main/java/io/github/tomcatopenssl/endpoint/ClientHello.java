// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.io.IOException;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

import io.github.tomcatopenssl.ClientFingerprint;
import io.github.tomcatopenssl.internal.engine.TlsRecords;
import io.github.tomcatopenssl.internal.host.HostNames;
import io.github.tomcatopenssl.internal.host.PolicyPreview;
import io.github.tomcatopenssl.internal.host.SessionTicketKey;
import org.apache.tomcat.util.net.TLSClientHelloExtractor;
import org.apache.tomcat.util.net.TLSClientHelloExtractor.ExtractorResult;
import org.apache.tomcat.util.net.openssl.ciphers.Group;
import org.jspecify.annotations.Nullable;

/**
 * What Tomcat has to know about a client before it creates the TLS engine. An unreadable
 * message says nothing: the engine of the default host then answers it with the
 * appropriate alert.
 *
 * @param serverName the canonical form of the host name that the client asks for, which
 * is empty if the name is not valid, or {@code null} if the client names none
 * @param requested the numbers of all that the client offers
 * @param applicationProtocols the first application protocols that the client offers
 * @param groups the groups that the client offers and Tomcat knows, without duplicates
 * @param signatures the numbers of the signature algorithms that the client offers
 * @param tickets the beginnings of the session tickets of the client, which name their
 * keys
 * @param fingerprint the fingerprint of the client, or {@code null} if none was asked
 * for, or the message is malformed
 * @param kind whether the message is one that an engine may see
 */
record ClientHello(@Nullable String serverName, RequestedSuites requested, List<String> applicationProtocols,
		List<Group> groups, ByteBuffer signatures, List<ByteBuffer> tickets, @Nullable String fingerprint, Kind kind) {

	private static final ClientHello NOTHING = unread(Kind.TLS);

	private static final ClientHello HTTP = unread(Kind.HTTP);

	private static final ClientHello EXCESSIVE = unread(Kind.EXCESSIVE);

	private static final ClientHello MALFORMED_NAME = unread(Kind.MALFORMED_NAME);

	/**
	 * Length of the type and length fields of a handshake message, in bytes (RFC 8446,
	 * 4).
	 */
	private static final int MESSAGE_HEADER = 4;

	private static final int CLIENT_HELLO = 1;

	private static final int RANDOM = 32;

	private static final int SERVER_NAME = 0;

	private static final int HOST_NAME = 0;

	private static final int SUPPORTED_GROUPS = 10;

	private static final int SIGNATURE_ALGORITHMS = 13;

	private static final int APPLICATION_PROTOCOLS = 16;

	private static final int SESSION_TICKET = 35;

	private static final int PRE_SHARED_KEY = 41;

	private static final int SUPPORTED_VERSIONS = 43;

	/**
	 * Maximum number of entries of a list in the message, such as the cipher suites. It
	 * is more than the TLS registries have, and clients in use offer fewer than 200.
	 * Engines keep an object for each entry, so that a client with thousands of them
	 * would cost several hundred KB.
	 */
	private static final int MOST_ENTRIES = 512;

	/**
	 * Maximum number of tickets that are looked at. Clients in use send one or two.
	 */
	private static final int MOST_TICKETS = 4;

	/**
	 * Maximum length of a host name in bytes, as in OpenSSL
	 * ({@code TLSEXT_MAXLEN_host_name}).
	 */
	private static final int MAX_SERVER_NAME = 255;

	private static final Set<Integer> READ_EXTENSIONS = Set.of(SERVER_NAME, SUPPORTED_GROUPS, SIGNATURE_ALGORITHMS,
			APPLICATION_PROTOCOLS, SESSION_TICKET, PRE_SHARED_KEY, SUPPORTED_VERSIONS);

	private static ClientHello unread(Kind kind) {
		return new ClientHello(null, RequestedSuites.NONE, List.of(), List.of(), ByteBuffer.allocate(0), List.of(),
				null, kind);
	}

	/**
	 * Return the protocol versions that the client offers.
	 * @return the names, as Tomcat spells them
	 */
	List<String> protocols() {
		return this.requested.versionNames();
	}

	/**
	 * Return the offer that a policy preview checks.
	 * @return the offer, as numbers of the TLS registries
	 */
	PolicyPreview.Offer offer() {
		return new PolicyPreview.Offer(this.requested.versionNumbers(), this.requested.suiteNumbers(),
				this.groups.stream().mapToInt(Group::getId).toArray(), TlsRecords.numbers(this.signatures).toArray());
	}

	/**
	 * Read the message, which may span several records and have any record version (RFC
	 * 8446, appendix D.4).
	 * @param received the bytes received so far, ready to be written to
	 * @param fingerprint the fingerprint to compute, or {@code null} for none
	 * @return the message, or {@code null} if it is not complete yet
	 */
	static @Nullable ClientHello read(ByteBuffer received, @Nullable ClientFingerprint fingerprint) {
		ByteBuffer data = received.duplicate().flip();
		if (data.remaining() < TlsRecords.HEADER) {
			return null;
		}
		if (data.get(0) != TlsRecords.HANDSHAKE) {
			return isHttp(received) ? HTTP : NOTHING;
		}
		ByteBuffer message = ByteBuffer.allocate(data.remaining());
		while (data.remaining() >= TlsRecords.HEADER) {
			int length = TlsRecords.length(data, data.position());
			if (data.get(data.position()) != TlsRecords.HANDSHAKE || length == 0 || length > TlsRecords.MAX_PLAINTEXT) {
				return NOTHING;
			}
			if (data.remaining() < TlsRecords.HEADER + length) {
				break;
			}
			message.put(data.slice(data.position() + TlsRecords.HEADER, length));
			data.position(data.position() + TlsRecords.HEADER + length);
			int missing = missing(message);
			if (missing <= 0) {
				return parse(message.flip(), fingerprint);
			}
			if (missing > received.capacity()) {
				return NOTHING;
			}
		}
		return received.hasRemaining() ? null : NOTHING;
	}

	private static boolean isHttp(ByteBuffer received) {
		try {
			return new TLSClientHelloExtractor(received).getResult() == ExtractorResult.NON_SECURE;
		}
		catch (IOException ex) {
			return false;
		}
	}

	private static int missing(ByteBuffer message) {
		int read = message.position() - MESSAGE_HEADER;
		return (read < 0) ? -read : (message.getInt(0) & 0xFFFFFF) - read;
	}

	private static ClientHello parse(ByteBuffer message, @Nullable ClientFingerprint fingerprint) {
		try {
			if (message.get(0) != CLIENT_HELLO) {
				return NOTHING;
			}
			message.position(MESSAGE_HEADER);
			ByteBuffer version = TlsRecords.take(message, Short.BYTES);
			message.position(message.position() + RANDOM);
			// The session ID
			TlsRecords.shortVector(message);
			ByteBuffer suites = TlsRecords.vector(message);
			requireFew(suites);
			// The compression methods
			TlsRecords.shortVector(message);
			ByteBuffer all = message.hasRemaining() ? TlsRecords.vector(message) : message;
			Map<Integer, ByteBuffer> extensions = extensions(all.duplicate());
			// Engines keep an object for each
			ByteBuffer signatures = RequestedSuites.copy(list(extensions.get(SIGNATURE_ALGORITHMS)));
			ByteBuffer versions = extensions.containsKey(SUPPORTED_VERSIONS)
					? TlsRecords.shortVector(extensions.get(SUPPORTED_VERSIONS)) : version;
			return new ClientHello(serverName(extensions.get(SERVER_NAME)), new RequestedSuites(suites, versions),
					applicationProtocols(extensions.get(APPLICATION_PROTOCOLS)),
					groups(list(extensions.get(SUPPORTED_GROUPS))), signatures,
					tickets(extensions.get(SESSION_TICKET), extensions.get(PRE_SHARED_KEY)),
					(fingerprint != null) ? Ja4.of(version, suites, all) : null, Kind.TLS);
		}
		catch (ExcessiveException ex) {
			return EXCESSIVE;
		}
		catch (MalformedNameException ex) {
			return MALFORMED_NAME;
		}
		catch (BufferUnderflowException | IndexOutOfBoundsException | IllegalArgumentException ex) {
			return NOTHING;
		}
	}

	private static Map<Integer, ByteBuffer> extensions(ByteBuffer all) {
		Map<Integer, ByteBuffer> extensions = new HashMap<>();
		for (int i = 0; all.hasRemaining(); i++) {
			requireFew(i);
			int type = all.getChar();
			ByteBuffer extension = TlsRecords.vector(all);
			if (READ_EXTENSIONS.contains(type) && extensions.put(type, extension) != null) {
				throw new IllegalArgumentException("The extension %d occurs twice".formatted(type));
			}
		}
		return extensions;
	}

	private static @Nullable String serverName(@Nullable ByteBuffer extension) {
		if (extension == null) {
			return null;
		}
		// The list has one entry, whose type is a host name (RFC 6066, 3)
		ByteBuffer list = TlsRecords.vector(extension);
		int type = list.get();
		ByteBuffer name = TlsRecords.vector(list);
		if (type != HOST_NAME || name.remaining() > MAX_SERVER_NAME || list.hasRemaining()
				|| extension.hasRemaining()) {
			throw new IllegalArgumentException("The server name cannot be read");
		}
		String text = StandardCharsets.ISO_8859_1.decode(name).toString();
		if (!StandardCharsets.US_ASCII.newEncoder().canEncode(text)) {
			throw new MalformedNameException();
		}
		return HostNames.canonical(text);
	}

	private static List<String> applicationProtocols(@Nullable ByteBuffer extension) {
		List<String> protocols = new ArrayList<>();
		if (extension != null) {
			ByteBuffer list = TlsRecords.vector(extension);
			while (list.hasRemaining()) {
				requireFew(protocols.size());
				protocols.add(text(TlsRecords.shortVector(list)));
			}
		}
		return protocols;
	}

	// RFC 5077, 3.2, and RFC 8446, 4.2.11
	private static List<ByteBuffer> tickets(@Nullable ByteBuffer ticket, @Nullable ByteBuffer preSharedKeys) {
		List<ByteBuffer> tickets = new ArrayList<>();
		if (ticket != null) {
			addBeginning(ticket, tickets);
		}
		if (preSharedKeys != null) {
			ByteBuffer identities = TlsRecords.vector(preSharedKeys);
			for (int i = 0; identities.hasRemaining(); i++) {
				requireFew(i);
				addBeginning(TlsRecords.vector(identities), tickets);
				// The age
				identities.getInt();
			}
		}
		return tickets;
	}

	private static void addBeginning(ByteBuffer ticket, List<ByteBuffer> tickets) {
		if (tickets.size() < MOST_TICKETS && ticket.remaining() >= SessionTicketKey.NAME_LENGTH) {
			tickets.add(RequestedSuites.copy(TlsRecords.take(ticket, SessionTicketKey.NAME_LENGTH)));
		}
	}

	private static List<Group> groups(ByteBuffer list) {
		return TlsRecords.numbers(list).mapToObj(Group::valueOf).filter(Objects::nonNull).distinct().toList();
	}

	private static ByteBuffer list(@Nullable ByteBuffer extension) {
		if (extension == null) {
			return ByteBuffer.allocate(0);
		}
		ByteBuffer list = TlsRecords.vector(extension);
		requireFew(list);
		return list;
	}

	private static String text(ByteBuffer vector) {
		return StandardCharsets.UTF_8.decode(vector).toString();
	}

	private static void requireFew(ByteBuffer numbers) {
		requireFew(numbers.remaining() / Short.BYTES - 1);
	}

	private static void requireFew(int before) {
		if (before >= MOST_ENTRIES) {
			throw new ExcessiveException();
		}
	}

	/**
	 * Kinds of messages.
	 */
	enum Kind {

		/**
		 * For an engine, which also answers an unreadable message.
		 */
		TLS,

		/**
		 * HTTP without TLS.
		 */
		HTTP,

		/**
		 * A list has too many entries.
		 */
		EXCESSIVE,

		/**
		 * The server name is not ASCII (RFC 6066, 3).
		 */
		MALFORMED_NAME

	}

	private static final class ExcessiveException extends RuntimeException {

		ExcessiveException() {
			super(null, null, false, false);
		}

	}

	private static final class MalformedNameException extends RuntimeException {

		MalformedNameException() {
			super(null, null, false, false);
		}

	}

}
