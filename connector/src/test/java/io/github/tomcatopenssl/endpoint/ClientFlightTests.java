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
import static io.github.tomcatopenssl.test.tls.TlsBytes.hex;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests for {@link ClientFlight}.
 */
class ClientFlightTests {

	private static final byte[] HELLO = TlsBytes.record(TlsBytes.HANDSHAKE, new byte[300]);

	private static final byte[] CHANGE_CIPHER_SPEC = TlsBytes.record(TlsBytes.CHANGE_CIPHER_SPEC, new byte[] { 1 });

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 5, 7, 12, 13, 1000 })
	void whenClientSendsNoCertificateThenSaysSo(int segment) {
		for (int length : new int[] { 25, 41, 61, 77, 93 }) {
			assertThat(read(segment, CHANGE_CIPHER_SPEC, encrypted(length), encrypted(53)).isWithoutCertificate())
				.isTrue();
		}
		for (int length : new int[] { 19, 24, 26, 35, 60, 62, 76, 78, 199 }) {
			assertThat(read(segment, CHANGE_CIPHER_SPEC, encrypted(length), encrypted(25)).isWithoutCertificate())
				.isFalse();
		}
		byte[] empty = hex("0b000003000000");
		assertThat(read(segment, TlsBytes.record(TlsBytes.HANDSHAKE, empty)).isWithoutCertificate()).isTrue();
		assertThat(
				read(segment, TlsBytes.record(TlsBytes.HANDSHAKE, concat(empty, new byte[70]))).isWithoutCertificate())
			.isTrue();
		ClientFlight client = read(segment, TlsBytes.record(TlsBytes.HANDSHAKE, hex("0b012345012342")));
		assertThat(client.isWithoutCertificate()).isFalse();
		assertThat(client.certificateLength()).isEqualTo(0x12345);
	}

	@ParameterizedTest
	@ValueSource(ints = { 1, 2, 5, 7, 1000 })
	void whenClientSendsAnAlertThenReadsIt(int segment) {
		assertThat(read(segment, hex("15030300020230"))).returns(48, ClientFlight::alert)
			.returns(false, ClientFlight::isEncryptedAlert);
		for (int length : new int[] { 19, 35 }) {
			assertThat(read(segment, CHANGE_CIPHER_SPEC, encrypted(length))).returns(-1, ClientFlight::alert)
				.returns(true, ClientFlight::isEncryptedAlert);
		}
		assertThat(read(segment, encrypted(53), encrypted(19))).returns(false, ClientFlight::isEncryptedAlert);
		// close_notify
		assertThat(read(segment, hex("15030300020100"))).returns(-1, ClientFlight::alert);
	}

	@Test
	void whenServerHasNotAnsweredThenNothingIsTheClientsAnswer() {
		ClientFlight client = new ClientFlight();
		client.received(ByteBuffer.wrap(concat(HELLO, encrypted(25), encrypted(19))), false);
		assertThat(client).returns(false, ClientFlight::isWithoutCertificate)
			.returns(false, ClientFlight::isEncryptedAlert);
	}

	@Test
	void whenBytesAreRandomThenReadsAllOfThem() {
		Random random = new Random(1);
		for (int i = 0; i < 2000; i++) {
			byte[] bytes = new byte[random.nextInt(200)];
			random.nextBytes(bytes);
			ByteBuffer received = ByteBuffer.wrap(bytes);
			new ClientFlight().received(received, random.nextBoolean());
			assertThat(received.hasRemaining()).isFalse();
		}
	}

	private static byte[] encrypted(int length) {
		return TlsBytes.record(TlsBytes.APPLICATION_DATA, new byte[length]);
	}

	private static ClientFlight read(int segment, byte[]... answer) {
		ClientFlight client = new ClientFlight();
		receive(client, segment, HELLO, false);
		receive(client, segment, concat(answer), true);
		return client;
	}

	private static void receive(ClientFlight client, int segment, byte[] bytes, boolean answered) {
		for (int i = 0; i < bytes.length; i += segment) {
			client.received(ByteBuffer.wrap(Arrays.copyOfRange(bytes, i, Math.min(i + segment, bytes.length))),
					answered);
		}
	}

}
