// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.regex.Pattern;

/**
 * Reads the HMAC key of an external account in the forms in which CAs show it. RFC 8555,
 * 7.3.4 has Base64 for URLs without padding. Padding and the other alphabet can only mean
 * the same. A key that was encoded twice is decoded twice if the text that results says
 * so, with padding or a line break at its end; otherwise, the text could be the key
 * itself, and counts as the key.
 */
final class HmacKey {

	/**
	 * The bytes that HS256 needs (RFC 7518, 3.2).
	 */
	static final int SHORTEST = 32;

	private static final Pattern ENCODED = Pattern.compile("[\\w+/-]+(={1,2}[\r\n]*|[\r\n]+)");

	private static final Pattern TEXT = Pattern.compile("[\\w+/-]+");

	private static final Pattern FOREIGN = Pattern.compile("[^\\w+/=\\s-]|=(?=.*[^=\\s])", Pattern.DOTALL);

	private HmacKey() {
	}

	/**
	 * Return the key.
	 * @param text the value of the property
	 * @return the key
	 * @throws IllegalArgumentException if the value is not Base64. The message is the
	 * reason as a clause, and contains nothing of the key.
	 */
	static byte[] decode(String text) {
		byte[] key = decodeOnce(text);
		String inner = new String(key, StandardCharsets.ISO_8859_1);
		if (ENCODED.matcher(inner).matches()) {
			try {
				byte[] decoded = decodeOnce(inner);
				return (decoded.length >= SHORTEST) ? decoded : key;
			}
			catch (IllegalArgumentException ex) {
				return key;
			}
		}
		return key;
	}

	/**
	 * Return whether a key looks as if it were still encoded.
	 * @param key the key
	 * @return whether it does
	 */
	static boolean isText(byte[] key) {
		return TEXT.matcher(new String(key, StandardCharsets.ISO_8859_1)).matches();
	}

	private static byte[] decodeOnce(String text) {
		FOREIGN.matcher(text).results().findFirst().ifPresent((foreign) -> {
			throw new IllegalArgumentException(
					"the character at position %d is not valid Base64".formatted(foreign.start() + 1));
		});
		String encoded = text.replaceAll("\\s", "");
		String content = encoded.replace("=", "");
		int end = content.length() % 4;
		if (end == 1 || content.isEmpty()
				|| !encoded.equals(content) && encoded.length() != content.length() + (4 - end) % 4) {
			throw new IllegalArgumentException("a character is missing, or there is one too many");
		}
		boolean forUrls = content.matches(".*[_-].*");
		if (forUrls && content.matches(".*[+/].*")) {
			throw new IllegalArgumentException("it mixes the two alphabets of Base64 ('+/' and '-_')");
		}
		return (forUrls ? Base64.getUrlDecoder() : Base64.getDecoder()).decode(content);
	}

}
