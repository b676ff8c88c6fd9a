// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat.ticket;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Arrays;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

import org.jspecify.annotations.Nullable;

/**
 * A key of session tickets, in the format of NGINX's {@code ssl_session_ticket_key}: 48
 * or 80 random bytes, the first 16 of which are its name.
 */
public final class SessionTicketKey {

	/**
	 * The length of the name in bytes.
	 */
	public static final int NAME_LENGTH = 16;

	/**
	 * The length of a key of OpenSSL in bytes ({@code SSL_CTX_set_tlsext_ticket_keys}).
	 * Tomcat Native ends the JVM at any other.
	 */
	private static final int OPENSSL_LENGTH = 80;

	/**
	 * How many bytes a key has at most.
	 */
	public static final int MAX_LENGTH = 80;

	private static final String MAC = "HmacSHA256";

	private final byte[] content;

	private SessionTicketKey(byte[] content) {
		this.content = content;
	}

	/**
	 * Return whether a key has so many bytes, as those of NGINX.
	 * @param length the number of bytes
	 * @return whether it is 48 or 80
	 */
	public static boolean isLength(int length) {
		return length == 48 || length == MAX_LENGTH;
	}

	/**
	 * Create a key.
	 * @param content its 48 or 80 bytes
	 * @return the key
	 */
	public static SessionTicketKey of(byte[] content) {
		if (!isLength(content.length)) {
			throw new IllegalArgumentException("The length is " + content.length);
		}
		return new SessionTicketKey(content.clone());
	}

	/**
	 * Return whether the key has a name.
	 * @param name the name
	 * @return whether it has
	 */
	public boolean isNamed(byte @Nullable [] name) {
		return name != null && Arrays.equals(name, Arrays.copyOf(this.content, NAME_LENGTH));
	}

	/**
	 * Derive the key of a virtual host, as HKDF-Expand does (RFC 5869, 2.3; the content
	 * is random, so that there is nothing to extract, 3.3). A ticket of one host is none
	 * for another, which may verify its clients in another way.
	 * @param host what tells the host from others
	 * @return the name, the key of the authentication code and that of the cipher, in the
	 * layout of OpenSSL, always 80 bytes
	 */
	public byte[] derive(String host) {
		try {
			Mac mac = Mac.getInstance(MAC);
			mac.init(new SecretKeySpec(this.content, MAC));
			ByteBuffer derived = ByteBuffer.allocate(OPENSSL_LENGTH).put(this.content, 0, NAME_LENGTH);
			byte[] block = {};
			for (byte i = 1; derived.hasRemaining(); i++) {
				mac.update(block);
				mac.update(host.getBytes(StandardCharsets.UTF_8));
				block = mac.doFinal(new byte[] { i });
				derived.put(block);
			}
			return derived.array();
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	@Override
	public boolean equals(@Nullable Object other) {
		return other instanceof SessionTicketKey key && Arrays.equals(this.content, key.content);
	}

	@Override
	public int hashCode() {
		return Arrays.hashCode(this.content);
	}

	/**
	 * Does not show the key.
	 */
	@Override
	public String toString() {
		return "SessionTicketKey";
	}

}
