// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.certificate.development;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.HexFormat;

/**
 * Writes the Distinguished Encoding Rules (ITU-T X.690), as far as a certificate needs
 * them.
 */
final class Der {

	static final byte[] NOTHING = {};

	static final byte[] TRUE = { 1, 1, (byte) 0xff };

	static final byte[] NULL = { 5, 0 };

	private static final int SHORT_LENGTH = 0x80;

	// RFC 5280, 4.1.2.5: until then a year has two digits
	private static final Instant UTC_TIME_ENDS = Instant.parse("2050-01-01T00:00:00Z");

	private Der() {
	}

	static byte[] value(int tag, byte[]... contents) {
		ByteArrayOutputStream content = new ByteArrayOutputStream();
		for (byte[] part : contents) {
			content.writeBytes(part);
		}
		ByteArrayOutputStream value = new ByteArrayOutputStream();
		value.write(tag);
		int length = content.size();
		if (length >= SHORT_LENGTH) {
			byte[] bytes = BigInteger.valueOf(length).toByteArray();
			int first = (bytes[0] == 0) ? 1 : 0;
			value.write(SHORT_LENGTH | (bytes.length - first));
			value.write(bytes, first, bytes.length - first);
		}
		else {
			value.write(length);
		}
		value.writeBytes(content.toByteArray());
		return value.toByteArray();
	}

	static byte[] sequence(byte[]... contents) {
		return value(0x30, contents);
	}

	static byte[] integer(BigInteger number) {
		return value(0x02, number.toByteArray());
	}

	static byte[] bitString(byte[] bytes) {
		return value(0x03, new byte[1], bytes);
	}

	static byte[] octetString(byte[] bytes) {
		return value(0x04, bytes);
	}

	static byte[] objectIdentifier(String hex) {
		return value(0x06, HexFormat.of().parseHex(hex));
	}

	static byte[] time(Instant time) {
		boolean utcTime = time.isBefore(UTC_TIME_ENDS);
		String text = DateTimeFormatter.ofPattern(utcTime ? "uuMMddHHmmss'Z'" : "uuuuMMddHHmmss'Z'")
			.format(time.atOffset(ZoneOffset.UTC));
		return value(utcTime ? 0x17 : 0x18, text.getBytes(StandardCharsets.US_ASCII));
	}

}
