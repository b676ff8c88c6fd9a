// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat.channel;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import org.apache.tomcat.util.net.TLSClientHelloExtractor;
import org.apache.tomcat.util.net.TLSClientHelloExtractor.ExtractorResult;
import org.apache.tomcat.util.net.openssl.ciphers.Authentication;
import org.apache.tomcat.util.net.openssl.ciphers.Cipher;
import org.apache.tomcat.util.net.openssl.ciphers.Group;
import org.apache.tomcat.util.net.openssl.ciphers.SignatureScheme;
import org.jspecify.annotations.Nullable;

/**
 * What Tomcat has to know about a client before it creates the TLS engine. An unreadable
 * message says nothing: the engine of the default host then answers it with the
 * appropriate alert.
 *
 * @param serverName the host name that the client asks for, or {@code null} if it names
 * none
 * @param ciphers the cipher suites that the client offers and Tomcat knows
 * @param cipherNames the names of all cipher suites that the client offers
 * @param applicationProtocols the application protocols that the client offers
 * @param protocols the protocol versions that the client offers
 * @param groups the groups that the client offers and Tomcat knows, without duplicates
 * @param signatureSchemes the signature schemes that the client offers and Tomcat knows
 * @param http whether the message is an HTTP request without TLS
 */
public record ClientHello(@Nullable String serverName, List<Cipher> ciphers, List<String> cipherNames,
		List<String> applicationProtocols, List<String> protocols, List<Group> groups,
		List<SignatureScheme> signatureSchemes, boolean http) {

	private static final ClientHello NOTHING = new ClientHello(null, List.of(), List.of(), List.of(), List.of(),
			List.of(), List.of(), false);

	private static final ClientHello HTTP = new ClientHello(null, List.of(), List.of(), List.of(), List.of(), List.of(),
			List.of(), true);

	/**
	 * Length of the type and length fields of a handshake message, in bytes (RFC 8446,
	 * 4).
	 */
	private static final int MESSAGE_HEADER = 4;

	/**
	 * Return the cipher suites without those whose certificate the client cannot verify
	 * (RFC 5246, 7.4.2). Before TLS 1.3, Tomcat chooses the certificate by the cipher
	 * suites alone.
	 * @return the cipher suites, in the order of the client
	 */
	List<Cipher> verifiableCiphers() {
		Set<Authentication> verifiable = this.signatureSchemes.stream()
			.map(SignatureScheme::getAuth)
			.collect(Collectors.toSet());
		if (verifiable.isEmpty()) {
			return this.ciphers;
		}
		boolean ecdsa = verifiable.contains(Authentication.ECDSA) || verifiable.contains(Authentication.EdDSA);
		boolean rsa = verifiable.contains(Authentication.RSA);
		return this.ciphers.stream()
			.filter((cipher) -> ecdsa || cipher.getAu() != Authentication.ECDSA)
			.filter((cipher) -> rsa || cipher.getAu() != Authentication.RSA)
			.toList();
	}

	/**
	 * Read the message.
	 * @param received the bytes received so far, ready to be written to
	 * @return the message, or {@code null} if it is not complete yet
	 */
	static @Nullable ClientHello read(ByteBuffer received) {
		ByteBuffer data = received.duplicate().flip();
		if (data.remaining() < TlsRecords.HEADER) {
			return null;
		}
		if (data.get(0) != TlsRecords.HANDSHAKE) {
			return extract(received);
		}
		ByteBuffer message = ByteBuffer.allocate(data.remaining());
		// A client may start with any record version (RFC 8446, appendix D.4), but
		// Tomcat would not recognize every one as TLS
		message.put((byte) TlsRecords.HANDSHAKE).putShort(TlsRecords.VERSION).putShort((short) 0);
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
				return extract(message.putShort(3, (short) (message.position() - TlsRecords.HEADER)));
			}
			if (missing > received.capacity()) {
				return NOTHING;
			}
		}
		return received.hasRemaining() ? null : NOTHING;
	}

	private static int missing(ByteBuffer message) {
		int read = message.position() - TlsRecords.HEADER - MESSAGE_HEADER;
		return (read < 0) ? -read : (message.getInt(TlsRecords.HEADER) & 0xFFFFFF) - read;
	}

	private static ClientHello extract(ByteBuffer message) {
		try {
			TLSClientHelloExtractor hello = new TLSClientHelloExtractor(message);
			if (hello.getResult() == ExtractorResult.NON_SECURE) {
				return HTTP;
			}
			boolean complete = hello.getResult() == ExtractorResult.COMPLETE;
			return new ClientHello(complete ? hello.getSNIValue() : null, hello.getClientRequestedCiphers(),
					hello.getClientRequestedCipherNames(), hello.getClientRequestedApplicationProtocols(),
					hello.getClientRequestedProtocols(),
					List.copyOf(new LinkedHashSet<>(hello.getClientSupportedGroups())),
					hello.getClientSignatureSchemes(), false);
		}
		catch (IOException | IllegalStateException ex) {
			return NOTHING;
		}
	}

}
