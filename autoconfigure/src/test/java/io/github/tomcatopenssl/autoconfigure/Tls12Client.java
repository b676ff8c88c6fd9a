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

import java.io.IOException;
import java.util.Arrays;

import org.jspecify.annotations.Nullable;

import static io.github.tomcatopenssl.autoconfigure.TlsBytes.concat;
import static io.github.tomcatopenssl.autoconfigure.TlsBytes.handshake;
import static io.github.tomcatopenssl.autoconfigure.TlsBytes.vector;

/**
 * TLS 1.2 with X25519 and TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256 (RFC 5246, 5288 and
 * 8422).
 */
final class Tls12Client extends RawTlsClient {

	private static final int SERVER_HELLO = 2;

	private static final int SERVER_KEY_EXCHANGE = 12;

	private static final int SERVER_HELLO_DONE = 14;

	private static final int CLIENT_KEY_EXCHANGE = 16;

	private static final int FINISHED = 20;

	private final RawClientHello hello;

	private byte[] verified = new byte[0];

	private @Nullable RecordCipher next;

	private boolean encrypted;

	Tls12Client(int port, Http http) throws IOException {
		super(port, http);
		this.hello = RawClientHello.tls12(http);
	}

	@Override
	RawClientHello hello() {
		return this.hello;
	}

	@Override
	byte[] flight() throws IOException {
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

	byte[] renegotiation() {
		return seal(TlsBytes.HANDSHAKE,
				RawClientHello.tls12(Http.HTTP_1_1)
					.extension(RawClientHello.RENEGOTIATION_INFO, vector(1, this.verified))
					.message());
	}

	@Override
	void awaitEnd() throws IOException {
		while (message()[0] != FINISHED) {
			continue;
		}
	}

	@Override
	void accept(ReceivedRecord record) {
		if (record.type() == TlsBytes.CHANGE_CIPHER_SPEC && this.next != null) {
			readWith(this.next);
			this.encrypted = true;
		}
	}

	@Override
	boolean isEncrypted(int type) {
		return this.encrypted;
	}

}
