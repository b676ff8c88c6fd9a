// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;

import io.github.tomcatopenssl.test.tls.TlsBytes;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import static io.github.tomcatopenssl.test.tls.TlsBytes.concat;
import static io.github.tomcatopenssl.test.tls.TlsBytes.handshake;
import static io.github.tomcatopenssl.test.tls.TlsBytes.hex;
import static io.github.tomcatopenssl.test.tls.TlsBytes.number;
import static io.github.tomcatopenssl.test.tls.TlsBytes.numbers;
import static io.github.tomcatopenssl.test.tls.TlsBytes.vector;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ServerFlight}.
 */
class ServerFlightTests {

	private static final byte[] VERSION = extension(43, numbers(0x0304));

	private static final byte[] RETRY = hex("CF21AD74E59A6111BE1D8C021E65B891C2A211167ABB8C5E079E09E2C8A8339C");

	private static final byte[] CHANGE_CIPHER_SPEC = TlsBytes.record(TlsBytes.CHANGE_CIPHER_SPEC, new byte[] { 1 });

	private static final byte[] APPLICATION_DATA = TlsBytes.record(TlsBytes.APPLICATION_DATA, new byte[2000]);

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 3, 5, 7, 100, 1000, 20_000 })
	void whenServerHelloHasKeyShareThenItIsTheGroup(int segment) {
		byte[] share = extension(51, concat(numbers(0x11EC), vector(2, new byte[1120])));
		for (byte[] extensions : new byte[][] { concat(VERSION, share), concat(share, VERSION) }) {
			assertThat(read(segment, record(hello(extensions)), CHANGE_CIPHER_SPEC, APPLICATION_DATA).keyExchange())
				.isEqualTo(new KeyExchange("TLSv1.3", "X25519MLKEM768", false));
		}
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 100, 20_000 })
	void whenServerHelloIsInSeveralRecordsThenReadsIt(int length) {
		byte[] message = hello(concat(VERSION, extension(51, concat(numbers(0x001D), vector(2, new byte[32])))));
		byte[] records = new byte[0];
		for (int i = 0; i < message.length; i += length) {
			byte[] part = Arrays.copyOfRange(message, i, Math.min(i + length, message.length));
			records = concat(records, TlsBytes.record(TlsBytes.HANDSHAKE, part));
		}
		assertThat(read(3, records, APPLICATION_DATA).keyExchange())
			.isEqualTo(new KeyExchange("TLSv1.3", "x25519", false));
	}

	@Test
	void whenServerHelloResumesThenSaysSo() {
		byte[] preSharedKey = extension(41, numbers(0));
		byte[] share = extension(51, concat(numbers(0x0017), vector(2, new byte[65])));
		assertThat(read(9, record(hello(concat(VERSION, share, preSharedKey)))).keyExchange())
			.isEqualTo(new KeyExchange("TLSv1.3", "secp256r1", true));
		assertThat(read(9, record(hello(concat(preSharedKey, VERSION)))).keyExchange())
			.isEqualTo(new KeyExchange("TLSv1.3", "none", true));
	}

	@Test
	void whenThereIsAHelloRetryRequestThenCountsItAndReadsWhatFollows() {
		byte[] retry = handshake(2, numbers(0x0303), RETRY, vector(1, new byte[32]), numbers(0x1301), number(1, 0),
				vector(2, concat(VERSION, extension(51, numbers(0x0018)))));
		ServerFlight flight = read(11, record(retry), CHANGE_CIPHER_SPEC);
		assertThat(flight.isRetried()).isTrue();
		assertThat(flight.isAnswered()).isFalse();
		flight.sent(ByteBuffer
			.wrap(record(hello(concat(VERSION, extension(51, concat(numbers(0x0018), vector(2, new byte[97]))))))));
		assertThat(flight.isAnswered()).isTrue();
		assertThat(flight.keyExchange()).isEqualTo(new KeyExchange("TLSv1.3", "secp384r1", false));
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 4, 1000, 20_000 })
	void whenServerKeyExchangeHasCurveThenItIsTheGroup(int segment) {
		byte[] exchange = handshake(12, number(1, 3), numbers(0x001D), vector(1, new byte[32]), new byte[76]);
		assertThat(read(segment, record(hello12(0xc02b)), record(handshake(11, new byte[3000])), record(exchange),
				record(handshake(14)))
			.keyExchange()).isEqualTo(new KeyExchange("TLSv1.2", "x25519", false));
		assertThat(
				read(segment, record(concat(hello12(0xc02b), handshake(11, new byte[3000]), exchange, handshake(14))))
					.keyExchange())
			.isEqualTo(new KeyExchange("TLSv1.2", "x25519", false));
	}

	@Test
	void whenServerKeyExchangeHasAFiniteFieldThenItsSizeIsTheGroup() {
		byte[] exchange = handshake(12, vector(2, new byte[768]), vector(2, new byte[1]), vector(2, new byte[768]));
		assertThat(
				read(7, record(hello12(0x009e)), record(handshake(11, new byte[500])), record(exchange)).keyExchange())
			.isEqualTo(new KeyExchange("TLSv1.2", "dhe-6144", false));
	}

	@Test
	void whenThereIsNoServerKeyExchangeThenThereIsNoGroup() {
		assertThat(read(7, record(hello12(0x009c)), record(handshake(11, new byte[500])), record(handshake(14)))
			.keyExchange()).isEqualTo(new KeyExchange("TLSv1.2", "none", false));
	}

	@Test
	void whenSessionIsResumedWithTls12ThenThereIsNoGroup() {
		assertThat(read(7, record(hello12(0xc02b)), record(handshake(4, new byte[200])), CHANGE_CIPHER_SPEC,
				TlsBytes.record(TlsBytes.HANDSHAKE, new byte[40]))
			.keyExchange()).isEqualTo(new KeyExchange("TLSv1.2", "none", true));
	}

	@Test
	void whenGroupIsUnknownThenHasItsNumber() {
		byte[] share = extension(51, concat(numbers(0x6399), vector(2, new byte[32])));
		assertThat(read(7, record(hello(concat(VERSION, share)))).keyExchange().group()).isEqualTo("0x6399");
	}

	@Test
	void whenThereIsAnAlertThenReadsIt() {
		assertThat(read(1, TlsBytes.record(21, new byte[] { 2, 40 }))).returns(40, ServerFlight::alert)
			.returns(false, ServerFlight::isAnswered);
	}

	@Test
	void whenBytesAreAnythingThenNeverFails() {
		Random random = new Random(20);
		byte[] valid = concat(
				record(hello(concat(VERSION, extension(51, concat(numbers(0x11EC), vector(2, new byte[99])))))),
				record(handshake(12, number(1, 3), numbers(0x001D), vector(1, new byte[32]))));
		for (int i = 0; i < 20_000; i++) {
			byte[] bytes = valid.clone();
			for (int j = random.nextInt(8); j >= 0; j--) {
				bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
			}
			assertThat(read(1 + random.nextInt(300), bytes).keyExchange()).isNotNull();
		}
	}

	private static ServerFlight read(int segment, byte[]... records) {
		ServerFlight flight = new ServerFlight();
		byte[] all = concat(records);
		for (int i = 0; i < all.length; i += segment) {
			flight.sent(ByteBuffer.wrap(Arrays.copyOfRange(all, i, Math.min(i + segment, all.length))));
		}
		return flight;
	}

	private static byte[] hello(byte[] extensions) {
		return handshake(2, numbers(0x0303), new byte[32], vector(1, new byte[32]), numbers(0x1301), number(1, 0),
				vector(2, extensions));
	}

	private static byte[] hello12(int suite) {
		return handshake(2, numbers(0x0303), new byte[32], vector(1, new byte[0]), numbers(suite), number(1, 0),
				vector(2, extension(0xff01, new byte[1])));
	}

	private static byte[] record(byte[] content) {
		return TlsBytes.record(TlsBytes.HANDSHAKE, content);
	}

	private static byte[] extension(int type, byte[] body) {
		return concat(numbers(type), vector(2, body));
	}

}
