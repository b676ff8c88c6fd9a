// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.test.tls;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.HexFormat;

/**
 * Encodes the presentation language of TLS (RFC 8446, section 3).
 */
public final class TlsBytes {

	public static final int CHANGE_CIPHER_SPEC = 20;

	public static final int ALERT = 21;

	public static final int HANDSHAKE = 22;

	public static final int APPLICATION_DATA = 23;

	private TlsBytes() {
	}

	public static byte[] hex(String digits) {
		return HexFormat.of().parseHex(digits.replace(" ", ""));
	}

	public static String hex(byte[] bytes) {
		return HexFormat.of().formatHex(bytes);
	}

	public static byte[] concat(byte[]... parts) {
		ByteArrayOutputStream all = new ByteArrayOutputStream();
		for (byte[] part : parts) {
			all.writeBytes(part);
		}
		return all.toByteArray();
	}

	public static byte[] number(int bytes, long value) {
		byte[] all = ByteBuffer.allocate(Long.BYTES).putLong(value).array();
		return Arrays.copyOfRange(all, all.length - bytes, all.length);
	}

	public static byte[] numbers(int... values) {
		ByteBuffer all = ByteBuffer.allocate(2 * values.length);
		for (int value : values) {
			all.putShort((short) value);
		}
		return all.array();
	}

	public static byte[] vector(int lengthBytes, byte[]... parts) {
		byte[] content = concat(parts);
		return concat(number(lengthBytes, content.length), content);
	}

	public static byte[] record(int type, byte[]... parts) {
		return concat(number(1, type), numbers(0x0303), vector(2, parts));
	}

	public static byte[] handshake(int type, byte[]... parts) {
		return concat(number(1, type), vector(3, parts));
	}

	public static byte[] alert(int level, int description) {
		return new byte[] { (byte) level, (byte) description };
	}

}
