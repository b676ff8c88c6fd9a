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

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

import static io.github.tomcatopenssl.autoconfigure.TlsBytes.concat;
import static io.github.tomcatopenssl.autoconfigure.TlsBytes.handshake;
import static io.github.tomcatopenssl.autoconfigure.TlsBytes.hex;
import static io.github.tomcatopenssl.autoconfigure.TlsBytes.number;
import static io.github.tomcatopenssl.autoconfigure.TlsBytes.numbers;
import static io.github.tomcatopenssl.autoconfigure.TlsBytes.vector;

/**
 * A ClientHello that can be made as wrong as one likes.
 */
final class RawClientHello {

	static final int SUPPORTED_GROUPS = 10;

	static final int SIGNATURE_ALGORITHMS = 13;

	static final int ALPN = 16;

	private static final int PADDING = 21;

	static final int SUPPORTED_VERSIONS = 43;

	static final int KEY_SHARE = 51;

	static final int RENEGOTIATION_INFO = 0xff01;

	private int version = 0x0303;

	private int[] suites;

	private final byte[] random = new byte[32];

	private final byte[] session;

	private final Map<Integer, byte[]> extensions = new LinkedHashMap<>();

	private RawClientHello(Http http, byte[] session, int... suites) {
		ThreadLocalRandom.current().nextBytes(this.random);
		this.session = session;
		this.suites = suites;
		extension(SUPPORTED_GROUPS, vector(2, numbers(KeyExchange.X25519, 0x0017)));
		extension(11, hex("0100"));
		extension(SIGNATURE_ALGORITHMS, vector(2, numbers(0x0403, 0x0804, 0x0401)));
		extension(ALPN, vector(2, vector(1, http.protocol())));
	}

	static RawClientHello tls13(Http http) {
		return new RawClientHello(http, new byte[32], 0x1301).extension(SUPPORTED_VERSIONS, vector(1, numbers(0x0304)))
			.extension(KEY_SHARE, vector(2, numbers(KeyExchange.X25519), vector(2, KeyExchange.publicKey())));
	}

	static RawClientHello tls12(Http http) {
		return new RawClientHello(http, new byte[0], 0xc02b).extension(RENEGOTIATION_INFO, hex("00"));
	}

	RawClientHello version(int version) {
		this.version = version;
		return this;
	}

	RawClientHello suites(int... suites) {
		this.suites = suites;
		return this;
	}

	RawClientHello extension(int type, byte[] body) {
		this.extensions.put(type, body);
		return this;
	}

	RawClientHello without(int type) {
		this.extensions.remove(type);
		return this;
	}

	RawClientHello padded(int length) {
		return extension(PADDING, new byte[length]);
	}

	byte[] random() {
		return this.random.clone();
	}

	byte[] message() {
		byte[] extensions = new byte[0];
		for (Map.Entry<Integer, byte[]> extension : this.extensions.entrySet()) {
			extensions = concat(extensions, numbers(extension.getKey()), vector(2, extension.getValue()));
		}
		return handshake(1, numbers(this.version), this.random, vector(1, this.session),
				vector(2, numbers(this.suites)), vector(1, number(1, 0)), vector(2, extensions));
	}

	byte[] record() {
		return TlsBytes.record(TlsBytes.HANDSHAKE, message());
	}

	/**
	 * Return the message in several records.
	 * @param length the most bytes of it in each
	 * @return the records
	 */
	byte[][] records(int length) {
		byte[] message = message();
		byte[][] records = new byte[(message.length + length - 1) / length][];
		for (int i = 0; i < records.length; i++) {
			int end = Math.min((i + 1) * length, message.length);
			records[i] = TlsBytes.record(TlsBytes.HANDSHAKE, Arrays.copyOfRange(message, i * length, end));
		}
		return records;
	}

}
