// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test.tls;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

import io.github.tomcatopenssl.test.Http;

import static io.github.tomcatopenssl.test.tls.TlsBytes.concat;
import static io.github.tomcatopenssl.test.tls.TlsBytes.handshake;
import static io.github.tomcatopenssl.test.tls.TlsBytes.hex;
import static io.github.tomcatopenssl.test.tls.TlsBytes.number;
import static io.github.tomcatopenssl.test.tls.TlsBytes.numbers;
import static io.github.tomcatopenssl.test.tls.TlsBytes.vector;

/**
 * A ClientHello that can be malformed in any way.
 */
public final class RawClientHello {

	private static final int SERVER_NAME = 0;

	public static final int SUPPORTED_GROUPS = 10;

	public static final int SIGNATURE_ALGORITHMS = 13;

	public static final int ALPN = 16;

	private static final int PADDING = 21;

	public static final int SUPPORTED_VERSIONS = 43;

	public static final int KEY_SHARE = 51;

	public static final int RENEGOTIATION_INFO = 0xff01;

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

	public static RawClientHello tls13(Http http) {
		return new RawClientHello(http, new byte[32], 0x1301).extension(SUPPORTED_VERSIONS, vector(1, numbers(0x0304)))
			.extension(KEY_SHARE, vector(2, numbers(KeyExchange.X25519), vector(2, KeyExchange.publicKey())));
	}

	public static RawClientHello tls12(Http http) {
		return new RawClientHello(http, new byte[0], 0xc02b).extension(RENEGOTIATION_INFO, hex("00"));
	}

	public RawClientHello version(int version) {
		this.version = version;
		return this;
	}

	public RawClientHello suites(int... suites) {
		this.suites = suites;
		return this;
	}

	public RawClientHello extension(int type, byte[] body) {
		this.extensions.put(type, body);
		return this;
	}

	public RawClientHello without(int type) {
		this.extensions.remove(type);
		return this;
	}

	public RawClientHello serverName(String name) {
		return extension(SERVER_NAME, vector(2, number(1, 0), vector(2, name.getBytes(StandardCharsets.US_ASCII))));
	}

	public RawClientHello padded(int length) {
		return extension(PADDING, new byte[length]);
	}

	public byte[] random() {
		return this.random.clone();
	}

	public byte[] message() {
		byte[] extensions = new byte[0];
		for (Map.Entry<Integer, byte[]> extension : this.extensions.entrySet()) {
			extensions = concat(extensions, numbers(extension.getKey()), vector(2, extension.getValue()));
		}
		return handshake(1, numbers(this.version), this.random, vector(1, this.session),
				vector(2, numbers(this.suites)), vector(1, number(1, 0)), vector(2, extensions));
	}

	public byte[] record() {
		return TlsBytes.record(TlsBytes.HANDSHAKE, message());
	}

	/**
	 * Return the message in several records.
	 * @param length the most bytes of it in each
	 * @return the records
	 */
	public byte[][] records(int length) {
		byte[] message = message();
		byte[][] records = new byte[(message.length + length - 1) / length][];
		for (int i = 0; i < records.length; i++) {
			int end = Math.min((i + 1) * length, message.length);
			records[i] = TlsBytes.record(TlsBytes.HANDSHAKE, Arrays.copyOfRange(message, i * length, end));
		}
		return records;
	}

}
