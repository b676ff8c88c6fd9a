// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test.tls;

import java.io.IOException;
import java.util.Arrays;

import io.github.tomcatopenssl.test.Http;
import org.jspecify.annotations.Nullable;

import static io.github.tomcatopenssl.test.tls.TlsBytes.concat;
import static io.github.tomcatopenssl.test.tls.TlsBytes.handshake;
import static io.github.tomcatopenssl.test.tls.TlsBytes.vector;

/**
 * TLS 1.2 with X25519 and TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 (RFC 5246, 5288 and
 * 8422).
 */
public final class Tls12Client extends RawTlsClient {

	private static final int SERVER_HELLO = 2;

	private static final int SERVER_KEY_EXCHANGE = 12;

	private static final int SERVER_HELLO_DONE = 14;

	private static final int CLIENT_KEY_EXCHANGE = 16;

	private static final int FINISHED = 20;

	private final RawClientHello hello;

	private byte[] verified = new byte[0];

	private @Nullable RecordCipher next;

	private boolean encrypted;

	public Tls12Client(int port, Http http) throws IOException {
		super(port, http);
		this.hello = RawClientHello.tls12(http);
	}

	@Override
	public RawClientHello hello() {
		return this.hello;
	}

	@Override
	public byte[] flight() throws IOException {
		messages().hash(this.hello.message());
		byte[] random = new byte[0];
		byte[] share = new byte[0];
		byte[] message;
		do {
			message = message();
			if (message[0] == SERVER_HELLO) {
				random = Arrays.copyOfRange(message, 6, 38);
			}
			else if (message[0] == SERVER_KEY_EXCHANGE) {
				share = Arrays.copyOfRange(message, 8, 40);
			}
		}
		while (message[0] != SERVER_HELLO_DONE);
		byte[] main = KeyDerivation.prf(KeyExchange.agree(share), "master secret", concat(this.hello.random(), random),
				48);
		byte[] keys = KeyDerivation.prf(main, "key expansion", concat(random, this.hello.random()), 40);
		writeWith(RecordCipher.tls12(Arrays.copyOf(keys, 16), Arrays.copyOfRange(keys, 32, 36)));
		this.next = RecordCipher.tls12(Arrays.copyOfRange(keys, 16, 32), Arrays.copyOfRange(keys, 36, 40));
		byte[] exchange = handshake(CLIENT_KEY_EXCHANGE, vector(1, KeyExchange.publicKey()));
		this.verified = KeyDerivation.prf(main, "client finished", messages().hash(exchange), 12);
		return concat(TlsBytes.record(TlsBytes.HANDSHAKE, exchange),
				TlsBytes.record(TlsBytes.CHANGE_CIPHER_SPEC, new byte[] { 1 }),
				seal(TlsBytes.HANDSHAKE, handshake(FINISHED, this.verified)));
	}

	@Override
	public byte[] instead(int type, byte[] content) {
		return TlsBytes.record(type, content);
	}

	public byte[] renegotiation() {
		return seal(TlsBytes.HANDSHAKE,
				RawClientHello.tls12(Http.HTTP_1_1)
					.extension(RawClientHello.RENEGOTIATION_INFO, vector(1, this.verified))
					.message());
	}

	@Override
	public void awaitEnd() throws IOException {
		while (message()[0] != FINISHED) {
			continue;
		}
	}

	@Override
	public void accept(ReceivedRecord record) {
		if (record.type() == TlsBytes.CHANGE_CIPHER_SPEC && this.next != null) {
			readWith(this.next);
			this.encrypted = true;
		}
	}

	@Override
	public boolean isEncrypted(int type) {
		return this.encrypted;
	}

}
