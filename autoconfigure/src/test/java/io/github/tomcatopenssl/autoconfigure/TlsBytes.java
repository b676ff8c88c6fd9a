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
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * The presentation language of TLS (RFC 8446, section 3), as bytes.
 */
final class TlsBytes {

	static final int CHANGE_CIPHER_SPEC = 20;

	static final int ALERT = 21;

	static final int HANDSHAKE = 22;

	static final int APPLICATION_DATA = 23;

	private TlsBytes() {
	}

	static byte[] hex(String digits) {
		return HexFormat.of().parseHex(digits.replace(" ", ""));
	}

	static String hex(byte[] bytes) {
		return HexFormat.of().formatHex(bytes);
	}

	static byte[] concat(byte[]... parts) {
		ByteArrayOutputStream all = new ByteArrayOutputStream();
		for (byte[] part : parts) {
			all.writeBytes(part);
		}
		return all.toByteArray();
	}

	static byte[] number(int bytes, long value) {
		byte[] all = ByteBuffer.allocate(Long.BYTES).putLong(value).array();
		return Arrays.copyOfRange(all, all.length - bytes, all.length);
	}

	static byte[] numbers(int... values) {
		ByteBuffer all = ByteBuffer.allocate(2 * values.length);
		for (int value : values) {
			all.putShort((short) value);
		}
		return all.array();
	}

	static byte[] vector(int lengthBytes, byte[]... parts) {
		byte[] content = concat(parts);
		return concat(number(lengthBytes, content.length), content);
	}

	static byte[] record(int type, byte[]... parts) {
		return concat(number(1, type), numbers(0x0303), vector(2, parts));
	}

	static byte[] handshake(int type, byte[]... parts) {
		return concat(number(1, type), vector(3, parts));
	}

	static byte[] alert(int level, int description) {
		return new byte[] { (byte) level, (byte) description };
	}

}
