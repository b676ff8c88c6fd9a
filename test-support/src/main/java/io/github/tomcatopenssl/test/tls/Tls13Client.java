// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test.tls;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.Arrays;

import io.github.tomcatopenssl.test.Http;

import static io.github.tomcatopenssl.test.tls.TlsBytes.concat;
import static io.github.tomcatopenssl.test.tls.TlsBytes.handshake;

/**
 * TLS 1.3 with X25519 and TLS_AES_128_GCM_SHA256 (RFC 8446).
 */
public final class Tls13Client extends RawTlsClient {

	private static final int FINISHED = 20;

	private static final int KEY_UPDATE = 24;

	private static final int HASH = 32;

	private static final byte[] NOTHING = new byte[0];

	private final RawClientHello hello;

	private byte[] readingSecret = NOTHING;

	private byte[] writingSecret = NOTHING;

	private byte[] handshakeSecret = NOTHING;

	private int updates;

	public Tls13Client(int port, Http http) throws IOException {
		super(port, http);
		this.hello = RawClientHello.tls13(http);
	}

	@Override
	public RawClientHello hello() {
		return this.hello;
	}

	@Override
	public byte[] flight() throws IOException {
		byte[] empty = messages().hash();
		messages().hash(this.hello.message());
		byte[] shared = KeyExchange.agree(keyShare(message()));
		byte[] hello = messages().hash();
		byte[] early = KeyDerivation.hmac(new byte[HASH], new byte[HASH]);
		byte[] handshake = KeyDerivation.hmac(KeyDerivation.expand(early, "derived", empty, HASH), shared);
		byte[] client = KeyDerivation.expand(handshake, "c hs traffic", hello, HASH);
		readWith(RecordCipher.tls13(KeyDerivation.expand(handshake, "s hs traffic", hello, HASH)));
		while (message()[0] != FINISHED) {
			continue;
		}
		byte[] finished = messages().hash();
		byte[] main = KeyDerivation.hmac(KeyDerivation.expand(handshake, "derived", empty, HASH), new byte[HASH]);
		this.readingSecret = KeyDerivation.expand(main, "s ap traffic", finished, HASH);
		this.writingSecret = KeyDerivation.expand(main, "c ap traffic", finished, HASH);
		readWith(RecordCipher.tls13(this.readingSecret));
		writeWith(RecordCipher.tls13(this.writingSecret));
		byte[] verified = KeyDerivation.hmac(KeyDerivation.expand(client, "finished", NOTHING, HASH), finished);
		this.handshakeSecret = client;
		return concat(TlsBytes.record(TlsBytes.CHANGE_CIPHER_SPEC, new byte[] { 1 }),
				RecordCipher.tls13(client).seal(TlsBytes.HANDSHAKE, handshake(FINISHED, verified)));
	}

	@Override
	public byte[] instead(int type, byte[] content) {
		return RecordCipher.tls13(this.handshakeSecret).seal(type, content);
	}

	public byte[] keyUpdate(int request) {
		byte[] update = seal(TlsBytes.HANDSHAKE, handshake(KEY_UPDATE, new byte[] { (byte) request }));
		this.writingSecret = next(this.writingSecret);
		writeWith(RecordCipher.tls13(this.writingSecret));
		return update;
	}

	/**
	 * Return how often the server has changed its keys.
	 * @return the number of its KeyUpdates
	 */
	public int updates() {
		return this.updates;
	}

	@Override
	public void accept(ReceivedRecord record) {
		if (isKeyUpdate(record)) {
			this.updates++;
			this.readingSecret = next(this.readingSecret);
			readWith(RecordCipher.tls13(this.readingSecret));
		}
	}

	private static boolean isKeyUpdate(ReceivedRecord record) {
		return record.type() == TlsBytes.HANDSHAKE && record.content().length == 5 && record.content()[0] == KEY_UPDATE;
	}

	@Override
	public boolean isEncrypted(int type) {
		return type == TlsBytes.APPLICATION_DATA;
	}

	@Override
	public void awaitEnd() {
	}

	private static byte[] next(byte[] secret) {
		return KeyDerivation.expand(secret, "traffic upd", NOTHING, HASH);
	}

	private static byte[] keyShare(byte[] serverHello) throws IOException {
		ByteBuffer in = ByteBuffer.wrap(serverHello);
		in.position(38);
		in.position(39 + in.get() + 3 + 2);
		while (in.hasRemaining()) {
			int type = in.getShort();
			byte[] body = new byte[in.getShort()];
			in.get(body);
			if (type == RawClientHello.KEY_SHARE && body.length == 36) {
				return Arrays.copyOfRange(body, 4, body.length);
			}
		}
		throw new HandshakeFailure("No key share: " + TlsBytes.hex(serverHello));
	}

}
