// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.acme;

import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import io.github.tomcatopenssl.TlsSettingException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

import org.springframework.mock.env.MockEnvironment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

/**
 * Tests for {@link HmacKey}, and for what {@link AcmePropertiesValidator} says about one
 * that cannot be used.
 */
class HmacKeyTests {

	private static final Base64.Encoder URL = Base64.getUrlEncoder();

	// Lengths with and without padding, and with both alphabets
	static Stream<byte[]> keys() {
		Random random = new Random(1);
		return Stream.of(32, 33, 34, 48, 64).map((length) -> {
			byte[] key = new byte[length];
			random.nextBytes(key);
			key[0] = (byte) 0xFB;
			key[1] = (byte) 0xFF;
			return key;
		});
	}

	@ParameterizedTest
	@MethodSource("keys")
	void whenKeyIsEncodedOnceThenItIsDecodedOnce(byte[] key) {
		for (Base64.Encoder encoder : List.of(URL, Base64.getEncoder())) {
			String padded = encoder.encodeToString(key);
			String plain = encoder.withoutPadding().encodeToString(key);
			assertThat(List.of(padded, plain, padded + "\n", " " + plain,
					plain.substring(0, 20) + "\r\n" + plain.substring(20)))
				.allSatisfy((text) -> assertThat(HmacKey.decode(text)).isEqualTo(key));
			assertAccepted(padded);
			assertAccepted(plain);
		}
	}

	static Stream<Arguments> encodedTwice() {
		return keys().flatMap(
				(key) -> Stream.of(URL, URL.withoutPadding(), Base64.getEncoder(), Base64.getEncoder().withoutPadding())
					.flatMap((inner) -> Stream.of("", "\n")
						.map((end) -> inner.encodeToString(key) + end)
						.filter((text) -> text.endsWith("=") || text.endsWith("\n"))
						.map((text) -> Arguments.of(key, text))));
	}

	@ParameterizedTest
	@MethodSource("encodedTwice")
	void whenKeyIsEncodedTwiceAndTheTextEndsSoThenItIsDecodedTwice(byte[] key, String text) {
		for (Base64.Encoder outer : List.of(URL, URL.withoutPadding(), Base64.getEncoder())) {
			String twice = outer.encodeToString(text.getBytes(StandardCharsets.US_ASCII));
			assertThat(HmacKey.decode(twice)).isEqualTo(key);
			assertAccepted(twice);
		}
	}

	// A CA may choose letters and digits as the bytes of its key
	@Test
	void whenTextCanBeAKeyItselfThenItIsDecodedOnce() {
		for (String key : List.of("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef",
				"zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG", "a_token-of-letters-digits-and-hyphens_0123",
				"not Base64 but ends with one of these =", "short-of-a-character-so-not-padded-right=")) {
			assertThat(HmacKey.decode(URL.withoutPadding().encodeToString(key.getBytes(StandardCharsets.US_ASCII))))
				.asString(StandardCharsets.US_ASCII)
				.isEqualTo(key);
		}
	}

	@ParameterizedTest
	@CsvSource(delimiter = '|', textBlock = """
			abc%                                              | the character at position 4 is not valid Base64
			zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9w‑       | the character at position 43 is not valid Base64
			'zWNDZM6eQGHWpSRTPal5=eIUYFTu7EajVIoguysqZ9wG'    | the character at position 21 is not valid Base64
			zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9-+       | it mixes the two alphabets of Base64
			zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wGaa     | a character is missing
			zWNDZM6eQGHWpSRTPal5eIUYFTu7EajVIoguysqZ9wG==     | a character is missing
			c2VjcmV0                                          | it has 6 bytes, but HS256 needs 32 (RFC 7518, 3.2)
			=                                                 | a character is missing
			""")
	void whenKeyCannotBeUsedThenTheReasonIsNamedAndTheKeyIsNot(String key, String reason) {
		assertThatExceptionOfType(TlsSettingException.class).isThrownBy(() -> validate(key))
			.withMessageContaining("'server.ssl.acme.external-account.hmac-key': " + reason)
			.withMessageNotContaining(key)
			.withMessageNotContaining("exactly");
	}

	private static void assertAccepted(String key) {
		assertThatNoException().isThrownBy(() -> validate(key));
	}

	private static void validate(String key) {
		new AcmePropertiesValidator(new AcmeProperties(List.of("localhost"), List.of(), 100, true, null,
				URI.create("https://localhost/dir"), "/acme", List.of(AcmeKeyType.EC), null, null, null,
				new AcmeProperties.ExternalAccount("kid-1", key), null), new MockEnvironment(), () -> false)
			.validate();
	}

}
