// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.tomcat.ticket;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;

import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests of {@link OfferedTicket} and {@link SessionTicketKey}.
 */
class OfferedTicketTests {

	private static final byte[] TICKET = bytes(200, 7);

	private static final byte[] NAME = Arrays.copyOf(TICKET, 16);

	@Test
	void whenClientOffersTicketThenReadsTheNameOfItsKey() {
		assertThat(OfferedTicket.keyName(hello(extension(0, 0, 0), extension(35, TICKET)))).isEqualTo(NAME);
		assertThat(OfferedTicket.keyName(hello(extension(35), extension(41, preSharedKey())))).isEqualTo(NAME);
	}

	@Test
	void whenClientOffersNoTicketThenThereIsNoName() {
		assertThat(OfferedTicket.keyName(hello())).isNull();
		assertThat(OfferedTicket.keyName(hello(extension(35), extension(43, 2, 3, 4)))).isNull();
		assertThat(OfferedTicket.keyName(hello(extension(35, bytes(15, 1))))).isNull();
	}

	@Test
	void whenMessageIsBrokenThenThereIsNoNameAndNoError() {
		byte[] whole = hello(extension(10, 0, 2, 0, 29), extension(41, preSharedKey())).array();
		for (int i = 0; i < whole.length - 184; i++) {
			assertThat(OfferedTicket.keyName(ByteBuffer.wrap(whole, 0, i))).as("%d bytes", i).isNull();
		}
		Random random = new Random(1);
		for (int i = 0; i < 100_000; i++) {
			byte[] broken = whole.clone();
			for (int j = 0; j < 4; j++) {
				broken[random.nextInt(90)] = (byte) random.nextInt();
			}
			byte[] name = OfferedTicket.keyName(ByteBuffer.wrap(broken));
			assertThat(name == null || name.length == 16).isTrue();
		}
	}

	@Test
	void whenKeyIsDerivedThenHasItsNameAndTheLengthThatOpenSslNeeds() {
		for (int length : new int[] { 48, 80 }) {
			byte[] content = bytes(length, length);
			SessionTicketKey key = SessionTicketKey.of(content);
			byte[] derived = key.derive("one");
			assertThat(derived).hasSize(80).startsWith(Arrays.copyOf(content, 16));
			assertThat(Arrays.copyOfRange(derived, 16, 80)).isEqualTo(Arrays.copyOfRange(key.derive("one"), 16, 80))
				.isNotEqualTo(Arrays.copyOfRange(key.derive("other"), 16, 80));
			assertThat(key.isNamed(Arrays.copyOf(content, 16))).isTrue();
			assertThat(key.isNamed(NAME)).isFalse();
			assertThat(key).isEqualTo(SessionTicketKey.of(content)).hasToString("SessionTicketKey");
		}
	}

	@Test
	void whenLengthIsWrongThenThereIsNoKey() {
		for (int length : new int[] { 0, 16, 47, 49, 79, 81, 160 }) {
			assertThatIllegalArgumentException().isThrownBy(() -> SessionTicketKey.of(new byte[length]));
		}
	}

	private static byte[] preSharedKey() {
		return ByteBuffer.allocate(2 + 2 + TICKET.length + 4 + 2 + 33)
			.putShort((short) (2 + TICKET.length + 4))
			.putShort((short) TICKET.length)
			.put(TICKET)
			.putInt(1)
			.putShort((short) 33)
			.array();
	}

	private static byte[] extension(int type, int... content) {
		byte[] bytes = new byte[content.length];
		for (int i = 0; i < content.length; i++) {
			bytes[i] = (byte) content[i];
		}
		return extension(type, bytes);
	}

	private static byte[] extension(int type, byte[] content) {
		return ByteBuffer.allocate(4 + content.length)
			.putShort((short) type)
			.putShort((short) content.length)
			.put(content)
			.array();
	}

	private static ByteBuffer hello(byte[]... extensions) {
		int length = Arrays.stream(extensions).mapToInt((extension) -> extension.length).sum();
		ByteBuffer hello = ByteBuffer.allocate(9 + 34 + 1 + 8 + 2 + 4 + 2 + 2 + length);
		hello.position(9 + 34);
		hello.put((byte) 8).put(bytes(8, 2));
		hello.putShort((short) 4).putInt(0x13011302);
		hello.put((byte) 1).put((byte) 0);
		hello.putShort((short) length);
		for (byte[] extension : extensions) {
			hello.put(extension);
		}
		return hello.flip();
	}

	private static byte[] bytes(int length, long seed) {
		byte[] bytes = new byte[length];
		new Random(seed).nextBytes(bytes);
		return bytes;
	}

}
