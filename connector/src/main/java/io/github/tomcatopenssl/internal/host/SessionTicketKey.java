// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.host;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.time.Instant;
import java.util.Arrays;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

import org.jspecify.annotations.Nullable;

/**
 * A session ticket key in the format of NGINX's {@code ssl_session_ticket_key}: 48 or 80
 * random bytes, the first 16 of which are its name.
 */
public final class SessionTicketKey {

	/**
	 * Length of the name, in bytes. A ticket begins with the name of its key.
	 */
	public static final int NAME_LENGTH = 16;

	/**
	 * Length of a key in OpenSSL, in bytes ({@code SSL_CTX_set_tlsext_ticket_keys}).
	 * Tomcat Native terminates the JVM if the length differs.
	 */
	private static final int OPENSSL_LENGTH = 80;

	/**
	 * Maximum length of a key, in bytes.
	 */
	public static final int MAX_LENGTH = 80;

	private static final String MAC = "HmacSHA256";

	private final byte[] content;

	private final Instant since = Instant.now();

	private SessionTicketKey(byte[] content) {
		this.content = content;
	}

	/**
	 * Create a key, which is in use from now on.
	 * @param content the 48 or 80 bytes of the key
	 * @return the key
	 * @throws IllegalArgumentException if the length is neither 48 nor 80; the message is
	 * a clause about the content
	 */
	public static SessionTicketKey of(byte[] content) {
		if (content.length != 48 && content.length != MAX_LENGTH) {
			throw new IllegalArgumentException("it has %s bytes, but a key has 48 or 80"
				.formatted((content.length > MAX_LENGTH) ? "more than " + MAX_LENGTH : content.length));
		}
		return new SessionTicketKey(content.clone());
	}

	/**
	 * Return since when the key has been in use.
	 * @return when it was created
	 */
	public Instant since() {
		return this.since;
	}

	/**
	 * Return whether the key has a name.
	 * @param name the name, as in a ticket
	 * @return whether it is that of this key
	 */
	boolean isNamed(ByteBuffer name) {
		return name.equals(ByteBuffer.wrap(this.content, 0, NAME_LENGTH));
	}

	/**
	 * Derive the key of a virtual host, as HKDF-Expand does (RFC 5869, 2.3). The extract
	 * step is not needed because the content is random (3.3). A ticket of one host is not
	 * valid for another, which may verify its clients in another way.
	 * @param host a text that distinguishes the host from others
	 * @return the name, the key of the authentication code and the key of the cipher, in
	 * the layout of OpenSSL, always 80 bytes
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

}
