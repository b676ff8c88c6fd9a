// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import io.github.tomcatopenssl.internal.engine.TlsRecords;
import org.jspecify.annotations.Nullable;

/**
 * JA4, the fingerprint of what a client offers: 36 letters, digits and underscores, by
 * FoxIO's specification, which is under the BSD license
 * (https://github.com/FoxIO-LLC/ja4/blob/main/technical_details/JA4.md).
 */
final class Ja4 {

	private static final int SERVER_NAME = 0;

	private static final int SIGNATURE_ALGORITHMS = 13;

	private static final int APPLICATION_PROTOCOLS = 16;

	private static final int SUPPORTED_VERSIONS = 43;

	private static final int MOST_COUNTED = 99;

	/**
	 * Number of bytes of a digest that are shown.
	 */
	private static final int DIGEST = 6;

	private static final String NO_PROTOCOL = "00";

	private static final HexFormat HEX = HexFormat.of();

	private Ja4() {
	}

	/**
	 * Return the fingerprint of a ClientHello.
	 * @param version the version field
	 * @param suites the cipher suites
	 * @param extensions the extensions, whose position is undefined afterwards
	 * @return the fingerprint, or {@code null} if a list cannot be read, or an extension
	 * occurs twice
	 */
	static @Nullable String of(ByteBuffer version, ByteBuffer suites, ByteBuffer extensions) {
		try {
			SortedMap<Integer, ByteBuffer> sorted = new TreeMap<>();
			while (extensions.hasRemaining()) {
				if (sorted.put((int) extensions.getChar(), TlsRecords.vector(extensions)) != null) {
					return null;
				}
			}
			return of(version, known(TlsRecords.numbers(suites)).sorted().toArray(), sorted);
		}
		catch (BufferUnderflowException | IndexOutOfBoundsException ex) {
			return null;
		}
	}

	private static String of(ByteBuffer version, int[] suites, SortedMap<Integer, ByteBuffer> extensions) {
		ByteBuffer versions = extensions.get(SUPPORTED_VERSIONS);
		ByteBuffer protocols = extensions.get(APPLICATION_PROTOCOLS);
		ByteBuffer signatures = extensions.get(SIGNATURE_ALGORITHMS);
		int newest = known(TlsRecords.numbers((versions != null) ? TlsRecords.shortVector(versions) : version)).max()
			.orElse(0);
		int[] types = known(extensions.keySet().stream().mapToInt(Integer::intValue)).toArray();
		String others = list(
				IntStream.of(types).filter((type) -> type != SERVER_NAME && type != APPLICATION_PROTOCOLS));
		String signed = (signatures != null) ? list(known(TlsRecords.numbers(TlsRecords.vector(signatures)))) : "";
		return "t" + version(newest) + (extensions.containsKey(SERVER_NAME) ? "d" : "i") + count(suites) + count(types)
				+ ((protocols != null) ? ends(TlsRecords.vector(protocols)) : NO_PROTOCOL) + "_"
				+ digest(list(IntStream.of(suites))) + "_" + digest(signed.isEmpty() ? others : others + "_" + signed);
	}

	// Without GREASE (RFC 8701)
	private static IntStream known(IntStream numbers) {
		return numbers.filter((number) -> (number & 0x0F0F) != 0x0A0A || number >> 8 != (number & 0xFF));
	}

	private static String version(int version) {
		return switch (version) {
			case 0x0304 -> "13";
			case 0x0303 -> "12";
			case 0x0302 -> "11";
			case 0x0301 -> "10";
			case 0x0300 -> "s3";
			case 0x0002 -> "s2";
			case 0xFEFF -> "d1";
			case 0xFEFD -> "d2";
			case 0xFEFC -> "d3";
			default -> "00";
		};
	}

	private static String count(int[] numbers) {
		int count = Math.min(numbers.length, MOST_COUNTED);
		return (count < 10) ? "0" + count : String.valueOf(count);
	}

	// Of the first protocol
	private static String ends(ByteBuffer protocols) {
		ByteBuffer protocol = protocols.hasRemaining() ? TlsRecords.shortVector(protocols) : protocols;
		if (!protocol.hasRemaining()) {
			return NO_PROTOCOL;
		}
		byte first = protocol.get(0);
		byte last = protocol.get(protocol.limit() - 1);
		return (isAlphanumeric(first) && isAlphanumeric(last)) ? "" + (char) first + (char) last
				: "" + HEX.toHighHexDigit(first) + HEX.toLowHexDigit(last);
	}

	private static boolean isAlphanumeric(byte character) {
		return character > 0 && Character.isLetterOrDigit(character);
	}

	private static String list(IntStream numbers) {
		return numbers.mapToObj((number) -> HEX.toHexDigits((short) number)).collect(Collectors.joining(","));
	}

	private static String digest(String list) {
		if (list.isEmpty()) {
			return "0".repeat(2 * DIGEST);
		}
		try {
			byte[] digest = MessageDigest.getInstance("SHA-256").digest(list.getBytes(StandardCharsets.US_ASCII));
			return HEX.formatHex(digest, 0, DIGEST);
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException(ex);
		}
	}

}
