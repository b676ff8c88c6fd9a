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

import java.nio.charset.StandardCharsets;

import static io.github.tomcatopenssl.autoconfigure.TlsBytes.concat;
import static io.github.tomcatopenssl.autoconfigure.TlsBytes.hex;
import static io.github.tomcatopenssl.autoconfigure.TlsBytes.number;
import static io.github.tomcatopenssl.autoconfigure.TlsBytes.vector;

/**
 * What asks for {@code /hello}, byte by byte.
 */
enum Http {

	HTTP_1_1("http/1.1") {

		@Override
		byte[] request(int number) {
			return ascii("GET /hello HTTP/1.1\r\nHost: localhost\r\n\r\n");
		}

		@Override
		byte[] request(int number, int more) {
			return concat(ascii("GET /hello HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n".formatted(more)),
					new byte[more]);
		}

	},

	H2("h2") {

		@Override
		byte[] request(int number) {
			byte[] fields = concat(hex("828704"), vector(1, ascii("/hello")), hex("01"), vector(1, ascii("localhost")));
			byte[] headers = frame(1, 5, 2 * number + 1, fields);
			return (number != 0) ? headers
					: concat(ascii("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"), frame(4, 0, 0, new byte[0]), headers);
		}

		// Frames of a type that nobody knows are ignored
		@Override
		byte[] request(int number, int more) {
			return concat(request(number), frame(0xfa, 0, 0, new byte[more]));
		}

	};

	private final String protocol;

	Http(String protocol) {
		this.protocol = protocol;
	}

	abstract byte[] request(int number);

	abstract byte[] request(int number, int more);

	byte[] protocol() {
		return ascii(this.protocol);
	}

	private static byte[] frame(int type, int flags, int stream, byte[] payload) {
		return concat(number(3, payload.length), number(1, type), number(1, flags), number(4, stream), payload);
	}

	private static byte[] ascii(String text) {
		return text.getBytes(StandardCharsets.US_ASCII);
	}

}
