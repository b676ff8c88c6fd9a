// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.certificate.development;

import java.io.ByteArrayOutputStream;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.Arrays;

/**
 * Encodes values by the Distinguished Encoding Rules (ITU-T X.690), as far as a
 * certificate needs them.
 */
final class Der {

	static final int INTEGER = 0x02;

	static final int BIT_STRING = 0x03;

	static final int OCTET_STRING = 0x04;

	static final int SEQUENCE = 0x30;

	private static final int SHORT_LENGTH = 0x80;

	// RFC 5280, 4.1.2.5: before this time, a year has two digits
	private static final Instant UTC_TIME_ENDS = Instant.parse("2050-01-01T00:00:00Z");

	private Der() {
	}

	static byte[] value(int tag, byte[]... parts) {
		byte[] content = join(parts);
		byte[] length = BigInteger.valueOf(content.length).toByteArray();
		if (content.length < SHORT_LENGTH) {
			return join(new byte[] { (byte) tag }, length, content);
		}
		// A positive number begins with a zero byte if its first bit would be set
		int first = (length[0] == 0) ? 1 : 0;
		byte[] header = { (byte) tag, (byte) (SHORT_LENGTH | length.length - first) };
		return join(header, Arrays.copyOfRange(length, first, length.length), content);
	}

	static byte[] join(byte[]... parts) {
		ByteArrayOutputStream joined = new ByteArrayOutputStream();
		for (byte[] part : parts) {
			joined.writeBytes(part);
		}
		return joined.toByteArray();
	}

	static byte[] time(Instant time) {
		boolean utcTime = time.isBefore(UTC_TIME_ENDS);
		String text = DateTimeFormatter.ofPattern(utcTime ? "uuMMddHHmmss'Z'" : "uuuuMMddHHmmss'Z'")
			.format(time.atOffset(ZoneOffset.UTC));
		return value(utcTime ? 0x17 : 0x18, text.getBytes(StandardCharsets.US_ASCII));
	}

}
