/*
 * Copyright 2026-present the original author or authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *      https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */

package io.github.tomcatopenssl.autoconfigure;

import java.io.ByteArrayOutputStream;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

import static io.github.tomcatopenssl.autoconfigure.TlsBytes.concat;

/**
 * The messages of a handshake, put together from records, and the hash of all of them.
 */
final class HandshakeMessages {

	private static final int HEADER = 4;

	private final ByteArrayOutputStream transcript = new ByteArrayOutputStream();

	private byte[] received = new byte[0];

	void receive(byte[] content) {
		this.received = concat(this.received, content);
	}

	byte @Nullable [] next() {
		if (this.received.length < HEADER || this.received.length < length()) {
			return null;
		}
		byte[] message = Arrays.copyOf(this.received, length());
		this.received = Arrays.copyOfRange(this.received, message.length, this.received.length);
		this.transcript.writeBytes(message);
		return message;
	}

	byte[] hash(byte[]... more) {
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
