// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test;

import java.nio.charset.StandardCharsets;

import static io.github.tomcatopenssl.test.tls.TlsBytes.concat;
import static io.github.tomcatopenssl.test.tls.TlsBytes.hex;
import static io.github.tomcatopenssl.test.tls.TlsBytes.number;
import static io.github.tomcatopenssl.test.tls.TlsBytes.vector;

/**
 * The HTTP protocols, with a request for {@code /hello} in bytes.
 */
public enum Http {

	HTTP_1_1("http/1.1") {

		@Override
		public byte[] request(int number) {
			return ascii("GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n");
		}

		@Override
		public byte[] request(int number, int more) {
			return concat(ascii("GET /hello HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n".formatted(more)),
					new byte[more]);
		}

	},

	H2("h2") {

		@Override
		public byte[] request(int number) {
			byte[] fields = concat(hex("828704"), vector(1, ascii("/hello")), hex("01"), vector(1, ascii("localhost")));
			byte[] headers = frame(1, 5, 2 * number + 1, fields);
			return (number != 0) ? headers
					: concat(ascii("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frame(4, 0, 0, new byte[0]), headers);
		}

		// Frames of a type that nobody knows are ignored
		@Override
		public byte[] request(int number, int more) {
			return concat(request(number), frame(0xfa, 0, 0, new byte[more]));
		}

	};

	private final String protocol;

	Http(String protocol) {
		this.protocol = protocol;
	}

	public abstract byte[] request(int number);

	public abstract byte[] request(int number, int more);

	public byte[] protocol() {
		return ascii(this.protocol);
	}

	/**
	 * Return a frame of HTTP/2.
	 */
	public static byte[] frame(int type, int flags, int stream, byte[] payload) {
		return concat(number(3, payload.length), number(1, type), number(1, flags), number(4, stream), payload);
	}

	public static byte[] ascii(String text) {
		return text.getBytes(StandardCharsets.US_ASCII);
	}

}
