// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.net.InetSocketAddress;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

/**
 * Tests of {@link ProxyHeader}.
 */
class ProxyHeaderTests {

	private static final String SIGNATURE = "0d0a0d0a000d0a515549540a";

	// 192.0.2.1:4660 to 192.0.2.2:443
	private static final String IPV4 = "c0000201 c0000202 1234 01bb";

	private static final String IPV6 = "20010db8000000000000000000000001 20010db8000000000000000000000002 1234 01bb";

	private static final byte[] HELLO = { 22, 3, 1, 2, 0, 1 };

	@ParameterizedTest
	@CsvSource({ "PROXY TCP4 192.0.2.1 192.0.2.2 4660 443,192.0.2.1,192.0.2.2",
			"PROXY TCP4 0.0.0.0 255.255.255.255 4660 443,0.0.0.0,255.255.255.255",
			"PROXY TCP6 2001:db8::1 2001:DB8::2 4660 443,2001:db8:0:0:0:0:0:1,2001:db8:0:0:0:0:0:2",
			"PROXY TCP6 ::ffff:192.0.2.1 ::ffff:192.0.2.2 4660 443,192.0.2.1,192.0.2.2" })
	void whenTextHasAddressesThenTheyAreRead(String line, String source, String destination) throws Exception {
		assertAddresses(ascii(line + "\r\n"), source, destination);
	}

	@ParameterizedTest
	@CsvSource({ "11," + IPV4 + ",192.0.2.1,192.0.2.2", "21," + IPV6 + ",2001:db8:0:0:0:0:0:1,2001:db8:0:0:0:0:0:2",
			"21,00000000000000000000ffffc0000201 00000000000000000000ffffc0000202 1234 01bb,192.0.2.1,192.0.2.2" })
	void whenBinaryHasAddressesThenTheyAreRead(String family, String addresses, String source, String destination)
			throws Exception {
		assertAddresses(binary("21" + family, hex(addresses)), source, destination);
		// A no-op, and what AWS adds: an application-specific value
		assertAddresses(binary("21" + family, hex(addresses + "040003000000 ea0005 0176706365")), source, destination);
	}

	private static void assertAddresses(byte[] bytes, String source, String destination) throws Exception {
		ProxyHeader header = readBytewise(bytes);
		assertThat(header.source()).isNotNull().returns(4660, InetSocketAddress::getPort);
		assertThat(header.destination()).isNotNull().returns(443, InetSocketAddress::getPort);
		assertThat(header.source().getAddress().getHostAddress()).isEqualTo(source);
		assertThat(header.destination().getAddress().getHostAddress()).isEqualTo(destination);
		assertThat(header.uniqueId()).isNull();
	}

	@ParameterizedTest
	@ValueSource(strings = { "PROXY UNKNOWN", "PROXY UNKNOWN ", "PROXY UNKNOWN 192.0.2.1 192.0.2.2 4660 443",
			"PROXY UNKNOWN ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff 65535 65535",
			"PROXY UNKNOWN \u0000\u00ff\t%n" })
	void whenTextNamesNoAddressesThenThereAreNone(String line) throws Exception {
		assertThat(readBytewise((line + "\r\n").getBytes(StandardCharsets.ISO_8859_1)))
			.isEqualTo(new ProxyHeader(null, null, null, List.of()));
	}

	// LOCAL with and without addresses and in a family nobody knows, no family, UDP, and
	// a
	// socket without a protocol
	@ParameterizedTest
	@CsvSource({ "2000,''", "2011," + IPV4, "20ff,''", "20ff,00112233445566", "2100,''", "2100,0011", "2101," + IPV4,
			"2112," + IPV4, "2122," + IPV6, "2110," + IPV4, "2130,''", "2132,''" })
	void whenBinaryNamesNoClientThenThereAreNoAddresses(String commandAndFamily, String content) throws Exception {
		assertThat(readBytewise(binary(commandAndFamily, hex(content))))
			.isEqualTo(new ProxyHeader(null, null, null, List.of()));
	}

	@Test
	void whenClientUsesUnixSocketThenOnlyTheIdentifierIsRead() throws Exception {
		assertThat(readBytewise(binary("2131", new byte[216], addition(5, ascii("id")))))
			.isEqualTo(new ProxyHeader(null, null, "id", List.of()));
	}

	@Test
	void whenProxyAddsIdentifierThenAllBytesOfItAreRead() throws Exception {
		byte[] identifier = new byte[128];
		for (int i = 0; i < identifier.length; i++) {
			identifier[i] = (byte) (2 * i);
		}
		String uniqueId = readBytewise(binary("2111", hex(IPV4), addition(5, identifier))).uniqueId();
		assertThat(uniqueId).isNotNull();
		assertThat(uniqueId.getBytes(StandardCharsets.ISO_8859_1)).isEqualTo(identifier);
		assertThat(readBytewise(binary("2111", hex(IPV4), addition(5, new byte[0]))).uniqueId()).isEmpty();
	}

	@ParameterizedTest
	@CsvSource({ "03 00000000 280002abcd,abcd", "05 00000000 210003000000 280002abcd 220000,abcd",
			"07 00000000 280000,''" })
	void whenProxyAddsCertificateOfItsClientThenItIsRead(String tls, String certificate) throws Exception {
		ProxyHeader header = readBytewise(
				binary("2111", hex(IPV4), addition(0x20, hex(tls)), addition(5, ascii("id"))));
		assertThat(header.clientCertificate()).containsExactly(hex(certificate));
		assertThat(header.uniqueId()).isEqualTo("id");
		assertThat(readBytewise(binary("2131", new byte[216], addition(0x20, hex(tls)))).clientCertificate())
			.containsExactly(hex(certificate));
	}

	@ParameterizedTest
	@ValueSource(strings = { "01 00000000", "03 00000001 210003000000", "00 00000000" })
	void whenProxyAddsNoCertificateThenThereIsNone(String tls) throws Exception {
		assertThat(readBytewise(binary("2111", hex(IPV4), addition(0x20, hex(tls)))).clientCertificate()).isEmpty();
		assertThat(readBytewise(binary("2111", hex(IPV4))).clientCertificate()).isEmpty();
		assertThat(readBytewise(binary("20ff", addition(0x20, hex("03 00000000 280002abcd")))).clientCertificate())
			.isEmpty();
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "03", "03 000000", "03 00000001 280002abcd", "01 00000000 280002abcd",
			"03 00000000 280003abcd", "03 00000000 28", "03 00000000 2800", "03 00000000 280002abcd 280002abcd",
			"03 00000000 280002abcd 21" })
	void whenCertificateOfTheClientIsInvalidThenOnlyReadingItFails(String tls) throws Exception {
		ProxyHeader header = readBytewise(binary("2111", hex(IPV4), addition(0x20, hex(tls))));
		assertThatExceptionOfType(RuntimeException.class).isThrownBy(header::clientCertificate)
			.isInstanceOfAny(IllegalArgumentException.class, BufferUnderflowException.class,
					IndexOutOfBoundsException.class);
		byte[] valid = addition(0x20, hex("03 00000000 280002abcd"));
		assertThatIllegalArgumentException()
			.isThrownBy(readBytewise(binary("2111", hex(IPV4), valid, valid))::clientCertificate);
	}

	@Test
	void whenProxyAddsChecksumThenItIsVerified() throws Exception {
		byte[] header = binary("2111", hex(IPV4), addition(4, new byte[3]), addition(3, new byte[4]),
				addition(5, ascii("id")));
		CRC32C checksum = new CRC32C();
		checksum.update(header);
		int position = 16 + 12 + 6 + 3;
		ByteBuffer.wrap(header).putInt(position, (int) checksum.getValue());
		assertThat(readBytewise(header).uniqueId()).isEqualTo("id");
		// The first and last byte of the addresses, of the checksum and of the identifier
		for (int i : new int[] { 16, 27, position, position + 3, header.length - 2, header.length - 1 }) {
			byte[] broken = header.clone();
			broken[i] ^= 1;
			assertInvalid(broken);
		}
	}

	// The check value of RFC 4960's polynomial
	@Test
	void whenChecksumIsThatOfTheSpecificationThenItIsRight() {
		CRC32C checksum = new CRC32C();
		checksum.update(ascii("123456789"));
		assertThat(checksum.getValue()).isEqualTo(0xE3069283L);
	}

	@Test
	void whenHeaderIsAsLongAsPossibleThenItIsRead() throws Exception {
		assertThat(readBytewise(binary("2111", hex(IPV4), addition(0xE0, new byte[4096 - 16 - 12 - 3]))).source())
			.isNotNull();
		assertInvalid(Arrays.copyOf(binary("2111", hex(IPV4), addition(0xE0, new byte[4096 - 16 - 12 - 2])), 16));
	}

	@ParameterizedTest
	@MethodSource
	void whenTextIsInvalidThenFails(String line) {
		assertInvalid(line.getBytes(StandardCharsets.ISO_8859_1));
	}

	static Stream<String> whenTextIsInvalidThenFails() {
		return Stream.concat(Stream.of("", "TCP4", "TCP4 ", "TCP4 192.0.2.1 192.0.2.2 1",
				"TCP4 192.0.2.1 192.0.2.2 1 2 ", "TCP4 192.0.2.1 192.0.2.2 1 2 3", "TCP4  192.0.2.1 192.0.2.2 1 2",
				"TCP4 192.0.2.1  192.0.2.2 1 2", "TCP4\t192.0.2.1 192.0.2.2 1 2", "tcp4 192.0.2.1 192.0.2.2 1 2",
				"TCP5 192.0.2.1 192.0.2.2 1 2", "TCP4 ::1 ::2 1 2", "TCP4 ::ffff:192.0.2.1 ::ffff:192.0.2.2 1 2",
				"TCP4 192.0.2.1 ::2 1 2", "TCP6 192.0.2.1 192.0.2.2 1 2", "TCP6 ::1 192.0.2.2 1 2",
				"TCP4 192.0.2.01 192.0.2.2 1 2", "TCP4 192.0.2.256 192.0.2.2 1 2", "TCP4 192.0.2 192.0.2.2 1 2",
				"TCP4 3221225985 192.0.2.2 1 2", "TCP4 localhost 192.0.2.2 1 2", "TCP4 192.0.2.1 192.0.2.2 01 2",
				"TCP4 192.0.2.1 192.0.2.2 -1 2", "TCP4 192.0.2.1 192.0.2.2 65536 2", "TCP4 192.0.2.1 192.0.2.2 1 65536",
				"TCP4 192.0.2.1 192.0.2.2 99999 2", "TCP6 [::1] ::2 1 2", "TCP6 ::1%lo ::2 1 2",
				"TCP6 fe80::1%1 ::2 1 2", "TCP6 1::2::3 ::2 1 2", "TCP6 : ::2 1 2", "TCP6 1:2:3:4:5:6:7:8:9 ::2 1 2",
				"TCP6 12345::1 ::2 1 2", "UNKNOWNX", "UNKNOWN\r", "UNKNOWN x\r", "TCP4 192.0.2.1 192.0.2.2 \u0661 2")
			.map((rest) -> "PROXY " + rest + "\r\n"),
				Stream.of("PROXY UNKNOWN\n", "PROXY TCP4 192.0.2.1 192.0.2.2 1 2\n", "PROXY\r\n", "PROXYTCP4", "proxy ",
						" PROXY", "GET / HTTP/1.1\r\n", "PROXY UNKNOWN " + "x".repeat(93), "PROXY " + "x".repeat(101)));
	}

	@ParameterizedTest
	@ValueSource(strings = { "0d0a0d0a000d0a515549540b", "0d0a0d0a0a", "00", "0a", SIGNATURE + "11110000",
			SIGNATURE + "31110000", SIGNATURE + "22110000", SIGNATURE + "2f110000", SIGNATURE + "01110000",
			SIGNATURE + "21410000", SIGNATURE + "21f10000", SIGNATURE + "21130000", SIGNATURE + "211f0000",
			SIGNATURE + "2111ffff", SIGNATURE + "2000ffff", SIGNATURE + "21000ff1" })
	void whenStartIsInvalidThenFailsAtOnce(String start) {
		assertInvalid(hex(start));
	}

	// Addresses that are too short for their family, and additions that are cut off, too
	// long, or have a checksum of another length
	@ParameterizedTest
	@CsvSource({ "2111,''", "2111,c0000201c0000202123401", "2121," + IPV4, "2131," + IPV6, "2111," + IPV4 + "05",
			"2111," + IPV4 + "0500", "2111," + IPV4 + "050001", "2111," + IPV4 + "05ffff00",
			"2111," + IPV4 + "03000400000000", "2111," + IPV4 + "030003000000", "2111," + IPV4 + "0300050000000000" })
	void whenContentIsInvalidThenFails(String commandAndFamily, String content) {
		assertInvalid(binary(commandAndFamily, hex(content)));
	}

	@Test
	void whenIdentifierIsTooLongThenFails() {
		assertInvalid(binary("2111", hex(IPV4), addition(5, new byte[129])));
	}

	@Test
	void whenFiveBytesAreThereThenItIsClearWhetherAHeaderBegins() {
		for (byte[] header : List.of(ascii("PROXY UNKNOWN\r\n"), binary("2000"))) {
			for (int i = 0; i <= header.length; i++) {
				assertThat(ProxyHeader.begins(received(Arrays.copyOf(header, i)))).as("%d bytes", i).isEqualTo(i >= 5);
			}
		}
		assertThat(ProxyHeader.begins(received(HELLO))).isFalse();
		assertThat(ProxyHeader.begins(received(ascii("PROPFIND")))).isFalse();
	}

	/**
	 * Read a header that arrives byte by byte, and as one segment with what follows it.
	 */
	private static ProxyHeader readBytewise(byte[] header) throws RefusedHandshakeException {
		ByteBuffer received = received(new byte[0]);
		ProxyHeader read = null;
		for (int i = 0; i < header.length; i++) {
			assertThat(read).as("header after %d of %d bytes", i, header.length).isNull();
			assertThat(received.position()).isEqualTo(i);
			read = ProxyHeader.read(received.put(header[i]));
		}
		assertThat(read).isNotNull();
		assertThat(received.position()).isZero();
		received = received(header).put(HELLO);
		assertThat(ProxyHeader.read(received)).isEqualTo(read);
		assertThat(received.limit()).isEqualTo(received.capacity());
		byte[] rest = new byte[received.flip().remaining()];
		received.get(rest);
		assertThat(rest).isEqualTo(HELLO);
		return read;
	}

	private static void assertInvalid(byte[] header) {
		assertThatExceptionOfType(RefusedHandshakeException.class).isThrownBy(() -> ProxyHeader.read(received(header)))
			.returns(FailureReason.NO_PROXY_HEADER, RefusedHandshakeException::reason);
	}

	private static ByteBuffer received(byte[] bytes) {
		return ByteBuffer.allocate(1 << 14).put(bytes);
	}

	private static byte[] binary(String commandAndFamily, byte[]... content) {
		int length = Stream.of(content).mapToInt((part) -> part.length).sum();
		ByteBuffer header = ByteBuffer.allocate(16 + length);
		header.put(hex(SIGNATURE + commandAndFamily)).putShort((short) length);
		Stream.of(content).forEach(header::put);
		return header.array();
	}

	private static byte[] addition(int type, byte[] value) {
		return ByteBuffer.allocate(3 + value.length).put((byte) type).putShort((short) value.length).put(value).array();
	}

	private static byte[] hex(String text) {
		return HexFormat.of().parseHex(text.replace(" ", ""));
	}

	private static byte[] ascii(String text) {
		return text.getBytes(StandardCharsets.US_ASCII);
	}

}
