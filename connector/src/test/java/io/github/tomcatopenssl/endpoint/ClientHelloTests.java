// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;

import org.apache.tomcat.util.net.openssl.ciphers.Group;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of {@link ClientHello}.
 */
class ClientHelloTests {

	private static final byte[] SERVER_NAME = extension(0, 0, 7, 0, 0, 4, 'H', 'o', 's', 't');

	private static final byte[] PROTOCOLS = extension(16, 0, 12, 2, 'h', '2', 8, 'h', 't', 't', 'p', '/', '1', '.',
			'1');

	private static final byte[] VERSIONS = extension(43, 4, 3, 4, 0x7A, 0x7A);

	// x25519, an unknown group, and x25519 again
	private static final byte[] GROUPS = extension(10, 0, 6, 0, 29, 0x7A, 0x7A, 0, 29);

	private static final byte[] SIGNATURES = extension(13, 0, 4, 4, 3, 8, 4);

	@Test
	void whenMessageIsCompleteThenAllOfItIsRead() {
		ClientHello hello = read(SERVER_NAME, GROUPS, SIGNATURES, PROTOCOLS, VERSIONS);
		assertThat(hello.serverName()).isEqualTo("host");
		assertThat(hello.requested().suiteNames()).containsExactly("TLS_AES_128_GCM_SHA256", "Unknown(0x7a7a)");
		assertThat(hello.applicationProtocols()).containsExactly("h2", "http/1.1");
		assertThat(hello.protocols()).containsExactly("TLSv1.3", "Unknown(0x7a7a)");
		assertThat(hello.groups()).containsExactly(Group.x25519);
		assertThat(hello.kind()).isEqualTo(ClientHello.Kind.TLS);
	}

	@Test
	void whenMessageIsLongThenNothingElseOfItIsKept() {
		ClientHello hello = read(SIGNATURES, extension(21, new byte[10_000]));
		assertThat(hello.signatures().array()).containsExactly(4, 3, 8, 4);
	}

	@Test
	void whenClientHasTicketsThenTheNamesOfTheirKeysAreRead() {
		byte[] ticket = new byte[40];
		byte[] identities = new byte[2 + 2 * (2 + ticket.length + 4)];
		ByteBuffer.wrap(identities)
			.putShort((short) (identities.length - 2))
			.putShort((short) ticket.length)
			.put(named(ticket, 1))
			.putInt(0)
			.putShort((short) ticket.length)
			.put(named(ticket, 2))
			.putInt(0);
		assertThat(read(extension(35, named(ticket, 3)), extension(41, identities)).tickets())
			.extracting((name) -> name.remaining() + " " + name.get(0))
			.containsExactly("16 3", "16 1", "16 2");
		assertThat(read(extension(35, new byte[0])).tickets()).isEmpty();
		assertThat(read(extension(41, Arrays.copyOf(identities, 60)), SERVER_NAME).serverName()).isNull();
	}

	private static byte[] named(byte[] ticket, int name) {
		byte[] named = ticket.clone();
		named[0] = (byte) name;
		return named;
	}

	// Tomcat's own reader stops after the server name, the application protocols and the
	// versions
	@Test
	void whenExtensionsAreInAnyOrderThenAllOfThemAreRead() {
		ClientHello hello = read(SERVER_NAME, PROTOCOLS, VERSIONS, GROUPS, SIGNATURES);
		assertThat(hello.groups()).isNotEmpty();
	}

	@Test
	void whenMessageHasNoExtensionsThenItsVersionCounts() {
		ClientHello hello = read();
		assertThat(hello.protocols()).containsExactly("TLSv1.2");
		assertThat(hello.serverName()).isNull();
		assertThat(hello.applicationProtocols()).isEmpty();
	}

	@Test
	void whenMessageSpansRecordsThenWaitsForTheLast() {
		byte[] message = Arrays.copyOfRange(hello(SERVER_NAME).array(), 5, hello(SERVER_NAME).limit());
		ByteBuffer received = ByteBuffer.allocate(1 << 14);
		for (int i = 0; i < message.length; i++) {
			ClientHello hello = ClientHello.read(received, null);
			assertThat(hello).isNull();
			received.put(new byte[] { 22, 3, 0, 0, 1, message[i] });
		}
		assertThat(ClientHello.read(received, null)).isNotNull()
			.satisfies((hello) -> assertThat(hello.serverName()).isEqualTo("host"));
	}

	@Test
	void whenServerNameIsNoHostNameThenSaysSo() {
		assertThat(read(extension(0, 0, 8, 0, 0, 5, 'h', 'o', 's', 't', '.')).serverName()).isEqualTo("host");
		for (int character : new int[] { ' ', '*', ':', 0 }) {
			assertThat(read(extension(0, 0, 8, 0, 0, 5, 'h', 'o', 's', 't', character)).serverName()).isEmpty();
		}
		for (int character : new int[] { 0x80, 0xC4, 0xFF }) {
			assertThat(read(extension(0, 0, 8, 0, 0, 5, 'h', 'o', 's', 't', character)).kind())
				.isEqualTo(ClientHello.Kind.MALFORMED_NAME);
		}
	}

	@Test
	void whenThereIsNotOneServerNameThenSaysNothing() {
		assertThat(read(SERVER_NAME, SERVER_NAME, GROUPS).groups()).isEmpty();
		assertThat(read(extension(0, 0, 7, 1, 0, 4, 'H', 'o', 's', 't')).serverName()).isNull();
		assertThat(read(extension(0, 0, 7, 0, 0, 4, 'H', 'o', 's', 't', 0)).serverName()).isNull();
		assertThat(read(extension(0, 0, 11, 0, 0, 4, 'H', 'o', 's', 't', 0, 0, 1, 'a')).serverName()).isNull();
	}

	@Test
	void whenListIsLongerThanAnyClientHasThenSaysSo() {
		for (int type : new int[] { 10, 13 }) {
			assertThat(read(numbers(type, 512)).kind()).isEqualTo(ClientHello.Kind.TLS);
			assertThat(read(numbers(type, 513)).kind()).isEqualTo(ClientHello.Kind.EXCESSIVE);
		}
		byte[][] extensions = new byte[513][];
		Arrays.setAll(extensions, (i) -> extension(0x6000 + i));
		assertThat(read(Arrays.copyOf(extensions, 512)).kind()).isEqualTo(ClientHello.Kind.TLS);
		assertThat(read(extensions).kind()).isEqualTo(ClientHello.Kind.EXCESSIVE);
	}

	private static byte[] numbers(int type, int count) {
		return extension(type, ByteBuffer.allocate(2 + 2 * count).putShort((short) (2 * count)).array());
	}

	@Test
	void whenClientSendsHttpThenSaysSo() {
		ByteBuffer request = ByteBuffer.allocate(100);
		request.put("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
		assertThat(ClientHello.read(request, null)).isNotNull()
			.satisfies((hello) -> assertThat(hello.kind()).isEqualTo(ClientHello.Kind.HTTP));
	}

	@Test
	void whenMessageIsBrokenThenSaysNothing() {
		byte[] whole = hello(GROUPS, extension(35, bytes(200, 7))).array();
		for (int i = 9; i < whole.length; i++) {
			byte[] cut = Arrays.copyOf(whole, i);
			ByteBuffer.wrap(cut).putShort(3, (short) (i - 5)).putInt(5, 1 << 24 | i - 9);
			// 51 bytes are a message without extensions
			assertThat(ClientHello.read(ByteBuffer.wrap(cut).position(i), null)).isNotNull()
				.satisfies((hello) -> assertThat(hello.groups()).as("%d bytes", cut.length).isEmpty());
		}
		Random random = new Random(1);
		for (int i = 0; i < 20_000; i++) {
			byte[] broken = whole.clone();
			for (int j = 0; j < 4; j++) {
				broken[9 + random.nextInt(90)] = (byte) random.nextInt();
			}
			assertThat(ClientHello.read(ByteBuffer.wrap(broken).position(broken.length), null)).isNotNull();
		}
	}

	private static ClientHello read(byte[]... extensions) {
		ByteBuffer message = hello(extensions);
		ClientHello hello = ClientHello.read(message.position(message.limit()), null);
		assertThat(hello).isNotNull();
		return hello;
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

	// The record version is one that Tomcat's reader does not take for TLS
	private static ByteBuffer hello(byte[]... extensions) {
		int length = Arrays.stream(extensions).mapToInt((extension) -> extension.length).sum();
		int size = 34 + 1 + 8 + 2 + 4 + 2 + ((length > 0) ? 2 + length : 0);
		ByteBuffer hello = ByteBuffer.allocate(9 + size);
		hello.put(new byte[] { 22, 3, 0 }).putShort((short) (4 + size)).putInt(1 << 24 | size);
		hello.putShort((short) 0x0303).position(9 + 34);
		hello.put((byte) 8).put(bytes(8, 2));
		hello.putShort((short) 4).putInt(0x13017A7A);
		hello.put((byte) 1).put((byte) 0);
		if (length > 0) {
			hello.putShort((short) length);
		}
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
