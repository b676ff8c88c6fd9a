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

import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.spec.X509EncodedKeySpec;
import java.util.Arrays;

import javax.crypto.KeyAgreement;

import static io.github.tomcatopenssl.autoconfigure.TlsBytes.concat;
import static io.github.tomcatopenssl.autoconfigure.TlsBytes.hex;

/**
 * X25519 with one key for all connections, which makes thousands of them cheap.
 */
final class KeyExchange {

	static final int X25519 = 0x001d;

	private static final byte[] PREFIX = hex("302a300506032b656e032100");

	private static final KeyPair KEYS = generate();

	private KeyExchange() {
	}

	static byte[] publicKey() {
		byte[] encoded = KEYS.getPublic().getEncoded();
		return Arrays.copyOfRange(encoded, PREFIX.length, encoded.length);
	}

	static byte[] agree(byte[] peer) {
		try {
			KeyAgreement agreement = KeyAgreement.getInstance("X25519");
			agreement.init(KEYS.getPrivate());
			agreement.doPhase(
					KeyFactory.getInstance("X25519").generatePublic(new X509EncodedKeySpec(concat(PREFIX, peer))),
					true);
			return agreement.generateSecret();
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static KeyPair generate() {
		try {
			return KeyPairGenerator.getInstance("X25519").generateKeyPair();
		}
		catch (GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
