// Copyright 2026-present the original author or authors.
// SPDX-License-Identifier: Apache-2.0

package io.github.tomcatopenssl.internal.pem;

import java.io.IOException;
import java.util.HexFormat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;

/**
 * Tests for {@link Der}.
 */
class DerTests {

	@ParameterizedTest
	@ValueSource(ints = { 0, 1, 0x7b, 0x7c, 0x7d, 0xff, 0x100, 0xffff, 0x10000 })
	void whenValueIsEncodedThenItIsReadAgain(int length) throws IOException {
		byte[] content = new byte[length];
		Der sequence = Der
			.ofSequence(Der.encode(Der.SEQUENCE, Der.encode(Der.OCTET_STRING, content), new byte[] { 2, 1, 5 }));
		assertThat(sequence.isNext(Der.OCTET_STRING)).isTrue();
		assertThat(sequence.bytes(Der.OCTET_STRING)).isEqualTo(content);
		assertThat(sequence.number()).isEqualTo(5);
		assertThat(sequence.isNext(Der.INTEGER)).isFalse();
	}

	@ParameterizedTest
	@CsvSource({ "30080606 2a864886f70d, 1.2.840.113549", "30050603 883703, 2.999.3" })
	void whenObjectHasAnIdentifierThenItsNumbersAreRead(String der, String identifier) throws IOException {
		assertThat(read(der).objectIdentifier()).isEqualTo(identifier);
	}

	@ParameterizedTest
	@ValueSource(strings = { "", "020100", "3002", "300200", "3000 00", "3084 ffffffff", "3084 7fffffff",
			"3085 0000000000", "30", "3080", "3080 0000" })
	void whenEncodingIsNoSequenceThenFails(String der) {
		assertThatIOException().isThrownBy(() -> read(der));
	}

	@ParameterizedTest
	@ValueSource(strings = { "3000", "3002 0401", "3003 040100", "3003 020200", "3007 0205 0100000000" })
	void whenValueIsNoNumberThenFails(String der) throws IOException {
		Der sequence = read(der);
		assertThatIOException().isThrownBy(sequence::number);
	}

	@Test
	void whenSequenceEndsThenWhatFollowsIsNotRead() throws IOException {
		Der outer = read("3008 3003 020101 020102");
		Der inner = outer.sequence();
		assertThat(inner.number()).isEqualTo(1);
		assertThatIOException().isThrownBy(inner::number);
		assertThat(outer.number()).isEqualTo(2);
	}

	private static Der read(String der) throws IOException {
		return Der.ofSequence(HexFormat.of().parseHex(der.replace(" ", "")));
	}

}
