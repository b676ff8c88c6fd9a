// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test.tls;

import java.io.ByteArrayOutputStream;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

import static io.github.tomcatopenssl.test.tls.TlsBytes.concat;

/**
 * The messages of a handshake, assembled from records, and the hash of all of them.
 */
public final class HandshakeMessages {

	private static final int HEADER = 4;

	private final ByteArrayOutputStream transcript = new ByteArrayOutputStream();

	private byte[] received = new byte[0];

	public void receive(byte[] content) {
		this.received = concat(this.received, content);
	}

	public byte @Nullable [] next() {
		if (this.received.length < HEADER || this.received.length < length()) {
			return null;
		}
		byte[] message = Arrays.copyOf(this.received, length());
		this.received = Arrays.copyOfRange(this.received, message.length, this.received.length);
		this.transcript.writeBytes(message);
		return message;
	}

	public byte[] hash(byte[]... more) {
		for (byte[] message : more) {
			this.transcript.writeBytes(message);
		}
		try {
			return MessageDigest.getInstance("SHA-256").digest(this.transcript.toByteArray());
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private int length() {
		return HEADER + ((this.received[1] & 0xff) << 16 | (this.received[2] & 0xff) << 8 | this.received[3] & 0xff);
	}

}
