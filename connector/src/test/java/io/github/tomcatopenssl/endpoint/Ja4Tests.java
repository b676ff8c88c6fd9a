// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.endpoint;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.stream.IntStream;

import io.github.tomcatopenssl.ClientFingerprint;
import io.github.tomcatopenssl.test.Http;
import io.github.tomcatopenssl.test.tls.HelloSegments;
import io.github.tomcatopenssl.test.tls.RawClientHello;
import io.github.tomcatopenssl.test.tls.TlsBytes;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import static io.github.tomcatopenssl.test.tls.TlsBytes.hex;
import static io.github.tomcatopenssl.test.tls.TlsBytes.numbers;
import static io.github.tomcatopenssl.test.tls.TlsBytes.vector;
import static org.assertj.core.api.Assertions.assertThat;

/**
 * Tests of {@link Ja4}, with the examples of FoxIO's specification.
 */
class Ja4Tests {

	private static final int GREASE = 0xfafa;

	private static final int[] SUITES = { 0x1301, 0x1302, 0x1303, 0xc02b, 0xc02f, 0xc02c, 0xc030, 0xcca9, 0xcca8,
			0xc013, 0xc014, 0x009c, 0x009d, 0x002f, 0x0035 };

	private static final int[] OTHER_EXTENSIONS = { 0x001b, 0x4469, 0x0017, 0x002d, 0x0005, 0x0023, 0x0012, 0xff01,
			0x0015 };

	private static final int[] SIGNATURES = { 0x0403, 0x0804, 0x0401, 0x0503, 0x0805, 0x0501, 0x0806, 0x0601 };

	@Test
	void whenHelloIsTheOneOfTheSpecificationThenFingerprintIsToo() {
		assertThat(fingerprint(example())).isEqualTo("t13d1516h2_8daaf6152771_e5627efa2ab1").hasSize(36);
		assertThat(fingerprint(example().without(RawClientHello.SIGNATURE_ALGORITHMS)
			.extension(RawClientHello.SIGNATURE_ALGORITHMS, hex("0000"))))
			.isEqualTo("t13d1516h2_8daaf6152771_6d807ffa2a79");
	}

	@Test
	void whenClientGreasesThenFingerprintIsTheSame() {
		assertThat(fingerprint(example().suites(IntStream.concat(IntStream.of(GREASE), IntStream.of(SUITES)).toArray())
			.extension(GREASE, hex(""))
			.extension(0x0a0a, hex("00"))
			.extension(RawClientHello.SUPPORTED_VERSIONS, vector(1, numbers(GREASE, 0x0303, 0x0304)))
			.extension(RawClientHello.SIGNATURE_ALGORITHMS, vector(2, numbers(SIGNATURES), numbers(GREASE)))))
			.isEqualTo("t13d1516h2_8daaf6152771_e5627efa2ab1");
	}

	// Not all that looks like it
	@Test
	void whenSuitesAreUnknownThenTheyCount() {
		assertThat(fingerprint(example().suites(0x0a1a, 0xfa0a, 0x5600, 0x00ff, 0xfe00))).startsWith("t13d0516h2_");
	}

	@Test
	void whenOrderIsAnotherThenFingerprintIsTheSame() {
		int[] reversed = IntStream.range(0, SUITES.length).map((i) -> SUITES[SUITES.length - 1 - i]).toArray();
		assertThat(fingerprint(example().suites(reversed)
			.without(RawClientHello.ALPN)
			.extension(RawClientHello.ALPN, vector(2, vector(1, hex("6832"))))))
			.isEqualTo("t13d1516h2_8daaf6152771_e5627efa2ab1");
	}

	@ParameterizedTest
	@EnumSource
	void whenHelloComesInSegmentsThenFingerprintIsTheSame(HelloSegments segments) {
		ByteBuffer received = ByteBuffer.allocate(1 << 15);
		byte[][] sent = segments.of(example());
		for (byte[] segment : sent) {
			assertThat(ClientHello.read(received, ClientFingerprint.JA4)).isNull();
			received.put(segment);
		}
		assertThat(ClientHello.read(received, ClientFingerprint.JA4)).isNotNull()
			.extracting(ClientHello::fingerprint)
			.isEqualTo("t13d1516h2_8daaf6152771_e5627efa2ab1");
	}

	@ParameterizedTest
	@CsvSource({ "ab, ab", "20, 20", "abcd, ad", "2061, 21", "30ab, 3b", "6120, 60", "3031abcd, 3d", "30abcd31, 01",
			"6832, h2", "687474702f312e31, h1", "61, aa", "'', 00" })
	void whenProtocolIsOfferedThenItsEndsAreShown(String protocol, String ends) {
		assertThat(fingerprint(
				example().extension(RawClientHello.ALPN, vector(2, vector(1, hex(protocol)), vector(1, hex("6833"))))))
			.isEqualTo("t13d1516" + ends + "_8daaf6152771_e5627efa2ab1");
	}

	@Test
	void whenNoProtocolIsOfferedThenSaysSo() {
		assertThat(fingerprint(example().extension(RawClientHello.ALPN, hex("0000")))).startsWith("t13d151600_");
		assertThat(fingerprint(example().without(RawClientHello.ALPN)))
			.isEqualTo("t13d151500_8daaf6152771_e5627efa2ab1");
	}

	@ParameterizedTest
	@CsvSource({ "0304, 13", "0303, 12", "0302, 11", "0301, 10", "0300, s3", "0002, s2", "feff, d1", "fefd, d2",
			"fefc, d3", "0305, 00", "fafa, 00" })
	void whenVersionIsOfferedThenItIsShown(String version, String shown) {
		assertThat(fingerprint(example().extension(RawClientHello.SUPPORTED_VERSIONS, vector(1, hex(version)))))
			.startsWith("t" + shown + "d1516h2_");
		assertThat(fingerprint(
				example().without(RawClientHello.SUPPORTED_VERSIONS).version(Integer.decode("0x" + version))))
			.startsWith("t" + shown + "d1515h2_");
	}

	@Test
	void whenClientOffersLittleThenHashesAreZero() {
		RawClientHello hello = example().suites(GREASE);
		Arrays.stream(OTHER_EXTENSIONS).forEach(hello::without);
		for (int type : new int[] { 10, 11, RawClientHello.SIGNATURE_ALGORITHMS, RawClientHello.SUPPORTED_VERSIONS,
				RawClientHello.KEY_SHARE }) {
			hello.without(type);
		}
		assertThat(fingerprint(hello)).isEqualTo("t12d0002h2_000000000000_000000000000");
		assertThat(fingerprint(hello.without(0).without(RawClientHello.ALPN)))
			.isEqualTo("t12i000000_000000000000_000000000000");
	}

	@Test
	void whenClientOffersMuchThenCountsHaveTwoDigits() {
		RawClientHello hello = example().suites(IntStream.range(0, 300).toArray());
		IntStream.range(0x6000, 0x6000 + 200).forEach((type) -> hello.extension(type, hex("")));
		assertThat(fingerprint(hello)).startsWith("t13d9999h2_").hasSize(36);
	}

	@ParameterizedTest
	@ValueSource(
			ints = { 0, RawClientHello.SIGNATURE_ALGORITHMS, RawClientHello.ALPN, RawClientHello.SUPPORTED_VERSIONS })
	void whenExtensionIsMalformedThenThereIsNone(int type) {
		assertThat(fingerprint(example().extension(type, hex("ffff01")))).isNull();
		assertThat(fingerprint(example().extension(type, hex("")))).isNull();
	}

	@Test
	void whenListIsCutInTheMiddleThenThereIsNone() {
		assertThat(fingerprint(example().extension(RawClientHello.SIGNATURE_ALGORITHMS, hex("0003040308")))).isNull();
		assertThat(fingerprint(example().extension(RawClientHello.SUPPORTED_VERSIONS, hex("03030403")))).isNull();
		byte[] message = example().message();
		// After the version, the random and the session
		int suites = 4 + 2 + 32 + 33;
		message[suites + 1]--;
		assertThat(fingerprint(message)).isNull();
	}

	@Test
	void whenExtensionOccursTwiceThenThereIsNone() {
		byte[] message = example().extension(0x6000, hex("")).extension(0x6001, hex("")).message();
		message[message.length - 3]--;
		assertThat(fingerprint(message)).isNull();
	}

	@Test
	void whenNobodyAsksThenThereIsNone() {
		assertThat(read(example().record(), null).fingerprint()).isNull();
	}

	private static RawClientHello example() {
		RawClientHello hello = RawClientHello.tls13(Http.H2)
			.serverName("localhost")
			.suites(SUITES)
			.extension(RawClientHello.SIGNATURE_ALGORITHMS, vector(2, numbers(SIGNATURES)));
		Arrays.stream(OTHER_EXTENSIONS).forEach((type) -> hello.extension(type, hex("00")));
		return hello;
	}

	private static @Nullable String fingerprint(RawClientHello hello) {
		return fingerprint(hello.message());
	}

	private static @Nullable String fingerprint(byte[] message) {
		return read(TlsBytes.record(TlsBytes.HANDSHAKE, message), ClientFingerprint.JA4).fingerprint();
	}

	private static ClientHello read(byte[] record, @Nullable ClientFingerprint fingerprint) {
		ClientHello hello = ClientHello.read(ByteBuffer.wrap(record).position(record.length), fingerprint);
		assertThat(hello).isNotNull();
		return hello;
	}

}
